import type { Frame, Locator } from 'playwright-core';
import { type ModelServer, startModelServer } from './modelServer.js';
import { openWorkbench, type Workbench } from './workbench.js';
import type { WorkbenchOptions } from './workbenchFiles.js';

/** A workbench whose model is a scripted server on 127.0.0.1. */
export interface ModelWorkbench extends Workbench {
  model: ModelServer;
}

/** The settings under which the model is the scripted server. */
export function modelSettings(model: ModelServer): Record<string, unknown> {
  return {
    'nanobot.model': 'openai/test-model',
    'nanobot.sessionTitles': false,
    'nanobot.providers': { openai: { apiBase: `${model.url}/v1` } },
  };
}

/** Opens a workbench with a model that says what a test tells it to (`model.setScript`). `close()` ends both. */
export async function openWithModel(options: WorkbenchOptions = {}): Promise<ModelWorkbench> {
  const model = await startModelServer();
  try {
    const workbench = await openWorkbench({
      ...options,
      settings: { ...modelSettings(model), ...options.settings },
      env: { OPENAI_API_KEY: 'sk-test', ...options.env },
    });
    return {
      ...workbench,
      model,
      close: async () => {
        await workbench.close();
        await model.close();
      },
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

/** A gate for a scripted reply: the stream waits at this chunk until `open` is called. */
export function gateAt(chunk: number): { gate: (n: number) => Promise<void> | undefined; open: () => void } {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate: (n) => (n === chunk ? opened : undefined), open: () => open() };
}

/** The words of everything in a request, to look for what the model was told. */
export function wordsOf(request: { body: { messages: unknown[] } } | undefined): string {
  return JSON.stringify(request?.body.messages ?? []);
}

/** The newest card of a tool, whatever message it stands in. */
export function toolCard(chat: Frame, name: string, status?: string): Locator {
  const wanted = status === undefined ? '[data-status]' : `[data-status="${status}"]`;
  return chat.locator(`[role="log"] [data-tool="${name}"]${wanted}`).last();
}

/** The card in which Nanobot asks before it acts. */
export function approvalCard(chat: Frame): Locator {
  return chat.getByRole('group', { name: 'Approval' });
}

/** The button with exactly this name. */
export function button(scope: Frame | Locator, name: string): Locator {
  return scope.getByRole('button', { name, exact: true });
}

export function textbox(chat: Frame): Locator {
  return chat.getByRole('textbox', { name: 'Message Nanobot' });
}

/** The messages of the conversation as a person reads them, without what changes by itself (times). */
export async function transcriptOf(chat: Frame): Promise<string[]> {
  return await chat.locator('[role="log"] [role="article"]').evaluateAll((articles) =>
    articles.map((article) => {
      const copy = article.cloneNode(true) as HTMLElement;
      for (const time of copy.querySelectorAll('.time, [role="toolbar"]')) time.remove();
      return `${article.ariaLabel}: ${copy.textContent.replace(/\s+/g, ' ').trim()}`;
    }),
  );
}
