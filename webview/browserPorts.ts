import type { PagePorts, SavedPage } from './ports.js';

/** The object that `acquireVsCodeApi()` gives a webview. */
export interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

/** The ports of a page that runs in a VS Code webview. */
export function browserPorts(api: VsCodeApi): PagePorts {
  return {
    post: (message) => api.postMessage(message),
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    onFrame: (run) => void requestAnimationFrame(run),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    every: (ms, run) => {
      const timer = setInterval(run, ms);
      return () => clearInterval(timer);
    },
    saved: () => readSaved(api.getState()),
    save: (page) => api.setState({ ...page, session: sessionIn(api.getState()) }),
    rememberSession: (session) => {
      const state = api.getState();
      if (sessionIn(state) !== session) api.setState({ ...(state ?? {}), session });
    },
  };
}

function sessionIn(state: unknown): string | undefined {
  const { session } = (state ?? {}) as { session?: string };
  return session;
}

/** An older version of the page may have stored something else: whatever does not fit counts as nothing. */
function readSaved(value: unknown): SavedPage | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { draft, at, attachments, scroll } = value as Partial<SavedPage>;
  if (typeof draft !== 'string' || !Array.isArray(attachments)) return undefined;
  return { draft, at: typeof at === 'number' ? at : 0, attachments, ...(scroll ? { scroll } : {}) };
}
