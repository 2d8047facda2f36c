import type { Frame, Locator, Page } from 'playwright-core';
import { until } from './until.js';

/** The states in which an answer does not change any more. */
export type AnswerStatus = 'done' | 'error' | 'aborted';

/** What a test does with the chat view, found by the roles and labels that are the product's contract. */
export interface ChatPage {
  /** The frame of the chat page. A reload or a rebuilt page makes a new frame, so ask again instead of keeping it. */
  chat(timeout?: number): Promise<Frame>;
  /** Shows the chat view by the icon in the activity bar, unless it is shown, and waits for its textbox. */
  openChat(): Promise<Frame>;
  /** Opens the chat view, types a message and sends it with Enter. */
  send(text: string): Promise<void>;
  /**
   * The answer to what was sent last, once its turn is over. Without `send`, the last answer of the conversation. An
   * answer that ends with another status than the expected one ("done") rejects at once and shows the conversation.
   */
  lastAnswer(options?: { status?: AnswerStatus; timeout?: number }): Promise<Locator>;
  /** `send` and `lastAnswer` in one: resolves with the text of the answer. */
  ask(text: string): Promise<string>;
}

/** The chat's part of a workbench. */
export function chatPage(page: Page): ChatPage {
  // Answers that were there before the last `send`: none of them answers it. A page that was loaded anew may not show all of them yet.
  let earlier = new Set<string>();
  const seen = new Set<string>();

  const chat = (timeout?: number) => until('the chat view', () => findChat(page), timeout);

  const openChat = async () => {
    const icon = page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"])');
    await icon.waitFor();
    const frame = await until('the chat view', async () => {
      // A click on the icon of the view that is shown hides it. A window that has just been loaded may show it by itself
      // between our look and our click, so we look again afterwards.
      if (await icon.evaluate((element) => element.classList.contains('checked'))) return await findChat(page);
      await icon.click();
      // A mouse that rests on the icon would open its tooltip over the view.
      await page.mouse.move(0, 0);
      return undefined;
    });
    await textboxOf(frame).waitFor();
    return frame;
  };

  const send = async (text: string) => {
    const frame = await openChat();
    for (const { id } of await frame.evaluate(readAnswers)) seen.add(id);
    earlier = new Set(seen);
    await textboxOf(frame).fill(text);
    await textboxOf(frame).press('Enter');
  };

  const lastAnswer: ChatPage['lastAnswer'] = async ({ status = 'done', timeout = 30_000 } = {}) => {
    const look = async () => {
      // The page may be rebuilt while we look at it: then the next look sees the new one.
      const answers = await (await findChat(page))?.evaluate(readAnswers).catch(() => undefined);
      const last = answers?.at(-1);
      return last?.isOver && !earlier.has(last.id) ? last : undefined;
    };
    const answer = await until('the end of an answer', look, timeout).catch((error) => explain(page, error));
    if (answer.status !== status) {
      await explain(page, new Error(`The answer ended with "${answer.status}" and not with "${status}".`));
    }
    seen.add(answer.id);
    return (await chat()).locator(`[role="article"][data-message-id=${JSON.stringify(answer.id)}]`);
  };

  const ask = async (text: string) => {
    await send(text);
    return await (await lastAnswer()).innerText();
  };

  return { chat, openChat, send, lastAnswer, ask };
}

function textboxOf(frame: Frame): Locator {
  return frame.getByRole('textbox', { name: 'Message Nanobot' });
}

/** A webview is a frame in a frame in the window, and only the inner one holds the page. */
async function findChat(page: Page): Promise<Frame | undefined> {
  return (await framesWith(page, (frame) => frame.locator('[role="log"][aria-label="Conversation"]')))[0];
}

/** The frames of a window in which something is, in their order. */
export async function framesWith(page: Page, what: (frame: Frame) => Locator): Promise<Frame[]> {
  const found: Frame[] = [];
  for (const frame of page.frames()) {
    const count = await what(frame)
      .count()
      // A frame may go away while it is asked.
      .catch(() => 0);
    if (count > 0) found.push(frame);
  }
  return found;
}

/**
 * Runs in the page: the answers shown, in order. `isOver` is true for the last one if nothing follows it and the turn
 * has ended, which shows by the Stop button being gone: between two steps of a turn the last message is finished too.
 */
function readAnswers(): { id: string; status: string; isOver: boolean }[] {
  const articles = [...document.querySelectorAll<HTMLElement>('[role="article"]')];
  const stop = [...document.querySelectorAll<HTMLElement>('[aria-label="Stop"]')];
  const isBusy = stop.some((button) => button.checkVisibility());
  return articles
    .filter((article) => article.ariaLabel === 'Nanobot')
    .map((article) => {
      const status = article.dataset['status'] ?? '';
      const isLast = article === articles.at(-1);
      const isOver = isLast && !isBusy && ['done', 'error', 'aborted'].includes(status);
      return { id: article.dataset['messageId'] ?? '', status, isOver };
    });
}

async function explain(page: Page, error: unknown): Promise<never> {
  const log = (await findChat(page))?.getByRole('log', { name: 'Conversation' });
  const shown = (await log?.innerText().catch(() => undefined)) ?? '(no chat view is open)';
  const message = error instanceof Error ? error.message : String(error);
  throw new Error(`${message}\nThe conversation at this time:\n${shown}`, { cause: error });
}
