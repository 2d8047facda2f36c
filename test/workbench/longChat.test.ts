import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, textbox } from '../support/modelWorkbench.js';
import { writeSession } from '../support/storedSession.js';
import { until } from '../support/until.js';

/** Messages of the chat, those that the page may hold at once, and those in which the word stands. */
const MESSAGES = 1_000;
const LOADED = 80;
const HITS = [12, 503, 990];

describe('a chat of 1,000 messages', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' } });
    const texts = Array.from({ length: MESSAGES }, (_, index) => {
      const more = 'It says something of a certain length. '.repeat((index % 4) + 1);
      return `Message number ${String(index)}. ${more}${HITS.includes(index) ? 'Here is the Marmalade.' : ''}`;
    });
    writeSession(workbench.home, { key: 'vscode:long', title: 'A long talk', texts });
    chat = await workbench.openChat();
    await button(chat, 'Switch session (now New chat)').click();
    await chat.getByRole('dialog', { name: 'Sessions' }).locator('.row').getByText('A long talk').click();
    await button(chat, 'Switch session (now A long talk)').waitFor();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const log = (): Locator => chat.getByRole('log', { name: 'Conversation' });
  const articles = (): Locator => log().getByRole('article');
  /** The numbers of the messages that are in the page. */
  const loaded = async (): Promise<number[]> => {
    const ids = await articles().evaluateAll((all) => all.map((article) => article.dataset['messageId'] ?? ''));
    return ids.map((id) => Number(id.slice(1)));
  };
  /** Whether a message is on the screen, at least in part. */
  const isOnScreen = async (messageId: string): Promise<boolean> => {
    return await log().evaluate((element, id) => {
      const box = element.querySelector(`[data-message-id="${id}"]`)?.getBoundingClientRect();
      const frame = element.getBoundingClientRect();
      return box !== undefined && box.top < frame.bottom && box.bottom > frame.top;
    }, messageId);
  };
  const isSeen = (index: number) => isOnScreen(`m${String(index)}`);

  it('opens at its newest message, with no more of them in the page than it needs', async () => {
    await until('the newest message', () => isSeen(MESSAGES - 1));
    const numbers = await loaded();
    expect(numbers.length).toBeLessThanOrEqual(LOADED);
    expect(numbers.at(-1)).toBe(MESSAGES - 1);
    await workbench.screenshot('long-end');
  });

  it('loads older messages as the reader scrolls up, lets go of newer ones, and leads back to the end', async () => {
    const oldest = (await loaded())[0] ?? 0;
    await log().hover();
    await until('messages from far above', async () => {
      await workbench.page.mouse.wheel(0, -2_000);
      return ((await loaded())[0] ?? oldest) < oldest - 100;
    });
    const numbers = await loaded();
    expect(numbers.length).toBeLessThanOrEqual(LOADED);
    expect(numbers).not.toContain(MESSAGES - 1);
    expect(numbers).toEqual(numbers.map((_, offset) => (numbers[0] ?? 0) + offset));
    await workbench.screenshot('long-middle');

    await button(chat, 'Jump to the end').click();
    await until('the newest message', () => isSeen(MESSAGES - 1));
    expect((await loaded()).length).toBeLessThanOrEqual(LOADED);
  });

  it('finds words in messages that are not loaded, steps through them, and closes by Escape', async () => {
    const { keyboard } = workbench.page;
    const bar = findBar();
    const shows = async (count: string, index: number) => {
      await bar.getByText(count, { exact: true }).waitFor();
      await until(`message ${String(index)} to be seen`, () => isSeen(index));
      expect(await log().locator('[data-found]').getAttribute('data-message-id')).toBe(`m${String(index)}`);
      expect(await highlighted()).toEqual(['Marmalade']);
    };
    await textbox(chat).focus();
    await openFind();
    await keyboard.type('marmalade');
    // The newest comes first: the reader is at the end.
    await shows('3 of 3', 990);
    await keyboard.press('Enter');
    await shows('2 of 3', 503);
    await workbench.screenshot('long-find');
    await keyboard.press('Enter');
    await shows('1 of 3', 12);
    await keyboard.press('Shift+Enter');
    await shows('2 of 3', 503);
    expect((await loaded()).length).toBeLessThanOrEqual(LOADED);

    await keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await highlighted()).toEqual([]);
    expect(await textbox(chat).evaluate((box) => box === document.activeElement)).toBe(true);
  });

  it('says when there is nothing to be found', async () => {
    await openFind();
    await workbench.page.keyboard.type('no such words');
    await findBar().getByText('No results', { exact: true }).waitFor();
    await textbox(chat).focus();
    await openFind();
    await workbench.page.keyboard.press('Escape');
    await findBar().waitFor({ state: 'detached' });
  });

  it('goes on where it ended, from wherever the reader was', async () => {
    workbench.model.setScript([{ text: 'And so it goes on.' }]);
    expect(await workbench.ask('what comes next?')).toContain('And so it goes on.');
    expect(await articles().count()).toBeLessThanOrEqual(LOADED);
    const id = (await articles().last().getAttribute('data-message-id')) ?? '';
    await until('the answer to be seen', () => isOnScreen(id), 5_000);
  });

  function findBar(): Locator {
    return chat.getByRole('search', { name: 'Find in conversation' });
  }

  /** Presses Ctrl+F and waits until what is typed goes into the find bar. */
  async function openFind(): Promise<void> {
    await workbench.page.keyboard.press('Control+f');
    await findBar().locator('css=:focus-within').first().waitFor({ timeout: 5_000 });
  }

  /** The words that the find bar has marked. */
  async function highlighted(): Promise<string[]> {
    return await chat.evaluate(() =>
      [...(CSS.highlights.get('nanobot-find') ?? [])].map((range) => (range as Range).toString()),
    );
  }
});
