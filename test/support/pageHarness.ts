import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/lib/browser.mjs';
import { pageOptions } from '../../scripts/lib/bundles.mjs';
import { emptyState, reduce, type ChatState } from '../../src/protocol/chatState.js';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { HostMessage, PageMessage, PageSetup } from '../../src/protocol/wire.js';
import { earlyComposer } from '../../src/vscode/chat/earlyComposer.js';
import { themes, type ThemeName } from './pageThemes.js';
import { until } from './until.js';

const NONCE = 'abc123';
/** Where the page's words are in another language. */
const TEXTS = '/texts.js';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser and a server for the chat page. One a test file; `close` in `afterAll`. */
export interface PageLab {
  open(options?: OpenOptions): Promise<ChatPageUnderTest>;
  /** Sizes of what ships, in bytes. */
  sizes: { script: number; style: number };
  script: Uint8Array;
  close(): Promise<void>;
}

export interface OpenOptions {
  theme?: ThemeName;
  width?: number;
  height?: number;
  /** The first snapshot; without it the page waits for one. */
  state?: Partial<ChatState> | null;
  setup?: Partial<PageSetup>;
  /** What the page says, by what it says in English; without it, English. */
  texts?: Record<string, string>;
}

/** The real page in a real browser; the test plays the host. */
export interface ChatPageUnderTest {
  page: Page;
  /** Addresses the page asked for after it was loaded. */
  requests: string[];
  /** Violations of the content security policy and errors of scripts. */
  problems: string[];
  /** Everything the page has posted. */
  posted(): Promise<PageMessage[]>;
  /** The messages of a type that were posted, once there are `count`. */
  waitFor<Type extends PageMessage['type']>(
    type: Type,
    count?: number,
  ): Promise<Extract<PageMessage, { type: Type }>[]>;
  send(message: HostMessage): Promise<void>;
  snapshot(state?: Partial<ChatState>, setup?: Partial<PageSetup>): Promise<void>;
  /** Posts events as the next frame and waits until it is drawn. */
  frame(...events: AgentEvent[]): Promise<void>;
  /** What the host holds: the fold of all that was sent. */
  state(): ChatState;
  /** Loads the document anew; what the page had saved for itself is still there. */
  reload(): Promise<void>;
  /** Fails if the page had errors or broke its policy. */
  close(): Promise<void>;
}

export const defaultSetup: PageSetup = {
  examples: ['Explain what src/main.js does', 'Find every TODO in this folder', 'Run the tests and fix what fails'],
  remembered: 'Nothing yet',
  home: '/home/ada/.nanobot',
  commands: [
    { name: 'new', description: 'Start a new chat' },
    { name: 'status', description: 'What is running' },
    { name: 'dream', description: 'Digest the history now' },
    { name: 'dream-log', description: 'What the last Dream changed' },
  ],
  draft: '',
  draftAt: 0,
  trusted: true,
};

/** Bundles the page as it ships and starts a browser; `deviceScaleFactor` is 2 where a person has zoomed to 200 %. */
export async function openLab({ deviceScaleFactor = 1 } = {}): Promise<PageLab> {
  const [script, style] = await Promise.all([bundle('webview/main.tsx'), bundle('webview/style.css')]);
  const files: Files = { '/main.js': script, '/main.css': style };
  const server = await serve(files);
  const executablePath = findBrowser();
  if (!executablePath) throw new Error('The page tests need Chromium or Chrome; NANOBOT_BROWSER may name one.');
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browsing = await startBrowsing(browser, origin, deviceScaleFactor);
  return {
    open: (options = {}) => {
      files[TEXTS] = options.texts && `globalThis.nanobotTexts = ${JSON.stringify(options.texts)};`;
      return openPage(browsing, options);
    },
    sizes: { script: script.byteLength, style: style.byteLength },
    script,
    close: async () => {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Bundles one entry with the options that the page is built with. */
export async function bundle(entry: string): Promise<Uint8Array> {
  const result = await build({
    ...pageOptions({ minify: true, outdir: 'out' }),
    entryPoints: [entry],
    write: false,
    logLevel: 'error',
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error(`Bundling ${entry} gave nothing.`);
  return file.contents;
}

/** What is served, by its address. */
type Files = Record<string, Uint8Array | string | undefined>;

async function serve(files: Files): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = files[url.pathname];
    if (url.pathname === '/') {
      const theme = (url.searchParams.get('theme') ?? 'dark') as ThemeName;
      response.setHeader('content-security-policy', policy(`http://${request.headers.host}`));
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html(theme, files[TEXTS] !== undefined));
    } else if (url.pathname.startsWith('/theme-')) {
      response.setHeader('content-type', 'text/css').end(themes[url.pathname.slice(7, -4) as ThemeName]);
    } else if (file) {
      response.setHeader('content-type', url.pathname.endsWith('.css') ? 'text/css' : 'text/javascript').end(file);
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** The policy that the extension gives the page, with this server in the place of VS Code's resource host. */
function policy(source: string): string {
  return `default-src 'none'; script-src 'nonce-${NONCE}'; style-src ${source}; img-src ${source} data:`;
}

function html(theme: ThemeName, isTranslated: boolean): string {
  const kind = {
    dark: 'vscode-dark',
    light: 'vscode-light',
    contrast: 'vscode-high-contrast',
    contrastLight: 'vscode-high-contrast-light vscode-high-contrast',
  }[theme];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Nanobot</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/theme-${theme}.css"><link rel="stylesheet" href="/main.css">
</head><body class="${kind}"><script nonce="${NONCE}">
if (location.search.includes('fresh')) sessionStorage.clear();
window.posted = [];
window.violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
window.acquireVsCodeApi = () => ({
  postMessage: (message) => window.posted.push(structuredClone(message)),
  getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
  setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
});
</script>${earlyComposer(NONCE)}${isTranslated ? `<script nonce="${NONCE}" src="${TEXTS}"></script>` : ''}<script nonce="${NONCE}" src="/main.js"></script></body></html>`;
}

interface PageWindow {
  posted: PageMessage[];
  violations: string[];
}

type Browsing = Awaited<ReturnType<typeof startBrowsing>>;

/** One page for all tests of a file: each starts by loading the document anew, which is much quicker than a new page. */
async function startBrowsing(browser: Browser, origin: string, deviceScaleFactor: number) {
  const page = await browser.newPage({ deviceScaleFactor });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('dialog', (dialog) => {
    errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, requests, errors, origin };
}

async function openPage(browsing: Browsing, options: OpenOptions): Promise<ChatPageUnderTest> {
  const { page, requests, errors, origin } = browsing;
  const { width = 400, height = 700, theme = 'dark' } = options;
  await page.setViewportSize({ width, height });
  await page.goto(`${origin}/?theme=${theme}&fresh`);
  requests.length = 0;
  errors.length = 0;
  const host = createHost(page);
  if (options.state !== null) await host.snapshot(options.state, options.setup);
  return {
    page,
    ...host,
    requests,
    problems: errors,
    reload: async () => {
      await page.goto(`${origin}/?theme=${theme}`);
      requests.length = 0;
    },
    close: async () => {
      const violations = await page.evaluate(() => (window as unknown as PageWindow).violations);
      // The toolkit tries once, while it is loaded, whether a style element knows :focus-visible; being refused is an answer it can live with.
      const unknown = violations.filter(
        (violation, index) => index > 0 || violation.trim() !== 'style-src-elem inline',
      );
      if (unknown.length > 0) throw new Error(`The page broke its content security policy:\n${unknown.join('\n')}`);
      if (errors.length > 0) throw new Error(`The page had errors:\n${errors.join('\n')}`);
    },
  };
}

function createHost(page: Page) {
  let n = 0;
  let state = emptyState('vscode:1');
  const posted = () => page.evaluate(() => (window as unknown as PageWindow).posted);
  const send = async (message: HostMessage) => {
    if (message.type === 'loaded')
      state = { ...state, first: message.first, total: message.total, messages: message.messages };
    // The page's own listener was there first: it has taken the message when this one hears it.
    await page.evaluate(async (data) => {
      const heard = new Promise((resolve) => window.addEventListener('message', resolve, { once: true }));
      window.postMessage(data, '*');
      await heard;
    }, message);
  };
  const waitFor = async <Type extends PageMessage['type']>(type: Type, count = 1) => {
    const isWanted = (message: PageMessage): message is Extract<PageMessage, { type: Type }> => message.type === type;
    return until(`${count} posted "${type}"`, async () => {
      const found = (await posted()).filter(isWanted);
      return found.length >= count ? found : undefined;
    });
  };
  return {
    posted,
    send,
    waitFor,
    state: () => state,
    snapshot: async (part?: Partial<ChatState>, setup?: Partial<PageSetup>) => {
      const model = { id: 'anthropic/claude-sonnet-4-5', label: 'Claude Sonnet 4.5', window: 200_000 };
      const next = { ...emptyState('vscode:1'), model, ...part };
      state = { ...next, total: part?.total ?? next.first + next.messages.length };
      await send({ type: 'snapshot', n: ++n, state, setup: { ...defaultSetup, ...setup } });
      await pictured(page);
    },
    frame: async (...events: AgentEvent[]) => {
      state = events.reduce(reduce, state);
      await send({ type: 'frame', n: ++n, events });
      await pictured(page);
    },
  };
}

/** Resolves when what is in the document is on screen, with all that follows from its layout. */
async function pictured(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
