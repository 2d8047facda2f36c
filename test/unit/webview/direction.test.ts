import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import type { ChatState } from '../../../src/protocol/chatState.js';
import { answer, AT, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';

/** Whatever follows these in a line is turned round, and nothing ends it. */
const OVERRIDE = '\u202e';

const TEXT = `# כותרת עם Latin בסופה

הקובץ \`src/tea.js\` מכיל שגיאה (ראו README).

- \`npm test\` נכשל
- פריט שני

> ציטוט קצר

| קובץ | מצב |
| --- | --- |
| \`src/tea.js\` | תקין |

\`\`\`js
const name = 1; // הערה
\`\`\`

This paragraph is English with מילה in it.

- an English list`;

const state: Partial<ChatState> = {
  messages: [userMessage('u', 'שלום Nanobot!\nand a line\nתקן את src/a.ts (בבקשה).'), answer('a', TEXT)],
};

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options: Parameters<PageLab['open']>[0]) => void (chat = await lab.open(options));
const at = (selector: string) => chat.page.locator(selector).first();

/** Where a piece of the text of an element stands on the screen. */
function placeOf(element: Locator, piece: string): Promise<{ left: number; right: number; top: number }> {
  return element.evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const start = node.nodeValue?.indexOf(wanted) ?? -1;
      if (start < 0) continue;
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, start + wanted.length);
      const { left, right, top } = range.getBoundingClientRect();
      return { left, right, top };
    }
    throw new Error(`${wanted} is not in ${root.textContent}`);
  }, piece);
}

/** The pieces from left to right. */
async function order(element: Locator, pieces: string[]): Promise<string[]> {
  const placed = await Promise.all(pieces.map(async (piece) => ({ piece, ...(await placeOf(element, piece)) })));
  return placed.sort((a, b) => a.left - b.left).map(({ piece }) => piece);
}

const edges = (element: Locator) =>
  element.evaluate((node) => {
    const { left, right } = node.getBoundingClientRect();
    return { left, right };
  });

describe('text that is written from right to left', () => {
  it('stands at the right and reads from there, block by block; English ones stay at the left', async () => {
    await open({ state });
    for (const [selector, piece] of [
      ['.md h1', 'כותרת'],
      ['.md > p', 'הקובץ'],
    ] as const) {
      const { right } = await edges(at(selector));
      expect((await placeOf(at(selector), piece)).right).toBeCloseTo(right, 0);
    }
    expect(await order(at('.md > p'), ['הקובץ', 'src/tea.js', 'README'])).toEqual(['README', 'src/tea.js', 'הקובץ']);
    const english = chat.page.locator('.md > p').last();
    expect((await placeOf(english, 'This')).left).toBeCloseTo((await edges(english)).left, 0);
  });

  it('has the marks of its lists, the bar of its quotes and the first column of its tables at the right', async () => {
    await open({ state });
    const directions = (selector: string) =>
      chat.page.locator(selector).evaluateAll((all) => all.map((element) => getComputedStyle(element).direction));
    expect(await directions('.md > ul')).toEqual(['rtl', 'ltr']);
    expect(await directions('.md table')).toEqual(['rtl']);
    expect(await at('.md blockquote').evaluate((quote) => getComputedStyle(quote).borderRightWidth)).toBe('3px');
    expect(await at('.md > ul').evaluate((list) => getComputedStyle(list).paddingRight)).toBe('22px');
    expect(await order(at('.md thead'), ['קובץ', 'מצב'])).toEqual(['מצב', 'קובץ']);
    const cell = at('.md tbody td');
    expect((await edges(cell)).right - (await placeOf(cell, 'src/tea.js')).right).toBeLessThan(16);
  });

  it('leaves code as it is: from left to right, at the left', async () => {
    await open({ state });
    const code = at('.md figure.code pre');
    expect(await order(code, ['const', '1;', '//'])).toEqual(['const', '1;', '//']);
    expect((await placeOf(code, 'const')).left - (await edges(code)).left).toBeLessThan(14);
  });

  it('keeps its direction line by line in what a person wrote and writes', async () => {
    await open({ state });
    const { left, right } = await edges(at('.you'));
    expect(right - (await placeOf(at('.you'), 'שלום')).right).toBeLessThan(14);
    expect(await order(at('.you'), ['שלום', 'Nanobot'])).toEqual(['Nanobot', 'שלום']);
    expect((await placeOf(at('.you'), 'and a line')).left - left).toBeLessThan(14);
    const pieces = ['תקן', 'src/a.ts', ' (', 'בבקשה', ').'];
    expect(await order(at('.you'), pieces)).toEqual(pieces.reverse());
    const box = at('.composer textarea');
    await box.fill('שלום');
    expect(await box.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await box.fill('hello');
    expect(await box.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  });

  it('is found by its answer while that streams, too', async () => {
    await open({ state: { messages: [userMessage('u', 'x')] } });
    await chat.frame(
      { type: 'turn_start', turnId: 't', at: AT },
      { type: 'message_start', id: 'b', at: AT },
      { type: 'text', text: '- `a` פריט\n- עוד' },
    );
    expect(await at('.md > ul').evaluate((list) => getComputedStyle(list).direction)).toBe('rtl');
  });
});

describe('marks that turn the order of letters round', () => {
  it('in a title or a path end with it: the rest of the row stays as it is', async () => {
    const title = `About ${OVERRIDE}teas`;
    await open({ state: { session: { key: 'vscode:1', title, readOnly: false, interrupted: false } } });
    await at('.header .title').click();
    const row = { key: 'vscode:2', title, updatedAt: AT, messages: 3, busy: true, running: false };
    await chat.send({ type: 'sessions', query: '', rows: [{ ...row, project: `work${OVERRIDE}` }] });
    const small = at('.sessions .row small');
    expect(await order(small, ['work', '3 messages', 'open elsewhere'])).toEqual([
      'work',
      '3 messages',
      'open elsewhere',
    ]);
    expect(await isForward(small, 'messages')).toBe(true);
    await chat.page.keyboard.press('Escape');
    const file = { path: '/a', label: `a${OVERRIDE}b.txt`, kind: 'put back' as const, changedSince: true };
    await chat.send({ type: 'restorePlan', for: 'restore', plan: { messageId: 'u', messages: 2, files: [file] } });
    const item = at('.restore li');
    expect(await order(item, ['put back', 'changed since'])).toEqual(['put back', 'changed since']);
    expect(await isForward(item, 'changed since')).toBe(true);
  });
});

/** Whether the first letter of a piece stands before its last. */
async function isForward(element: Locator, piece: string): Promise<boolean> {
  return element.evaluate((root, wanted) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const start = node.nodeValue?.indexOf(wanted) ?? -1;
      if (start < 0) continue;
      const leftOf = (offset: number) => {
        const range = document.createRange();
        range.setStart(node, offset);
        range.setEnd(node, offset + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(start) < leftOf(start + wanted.length - 1);
    }
    throw new Error(`${wanted} is not there.`);
  }, piece);
}
