import type { Frame } from 'playwright-core';
import { writeSession } from '../support/storedSession.js';
import type { Workbench } from '../support/workbench.js';
import { processorSeconds, renderers } from './inWindow.js';
import type { Row } from './table.js';

const SIZES = [1_000, 10_000];
const OPENINGS = 5;

declare global {
  interface Window {
    /** Characters of the messages that the page was sent. */
    charactersTaken: number;
  }
}

/** Writes the chats that `measureLongChats` opens, before the window is there. */
export function writeLongChats(home: string): void {
  for (const size of [2, ...SIZES]) {
    const texts = Array.from(
      { length: size },
      (_, n) => `Message ${String(n)}. ${'It says something. '.repeat(1 + (n % 9))}`,
    );
    writeSession(home, { key: `vscode:long-${String(size)}`, title: titleOf(size), texts });
  }
}

/**
 * From the click on a chat of 1,000 and of 10,000 messages in the switcher to its newest message on the screen with a box to write in, and what the
 * page is sent, holds and uses for it. The baseline is a chat of two messages in the same window.
 */
export async function measureLongChats(workbench: Workbench): Promise<Row[]> {
  const frame = await workbench.openChat();
  await frame.evaluate(() => {
    window.charactersTaken = 0;
    addEventListener('message', ({ data }) => (window.charactersTaken += JSON.stringify(data).length));
  });
  const bare = await openings(frame, 2, SIZES[0] ?? 0);
  const rows: Row[] = [];
  for (const size of SIZES) {
    const long = await openings(frame, size, 2);
    const name = size.toLocaleString('en');
    rows.push(
      {
        name: `open a chat of ${name} messages → its newest, to be answered`,
        unit: 'ms',
        values: long.ms,
        baseline: Math.min(...bare.ms),
        budget: 200,
      },
      { name: '… messages in the page', unit: '', values: [long.articles], baseline: bare.articles, budget: 80 },
      { name: '… elements in the page', unit: '', values: [long.elements], baseline: bare.elements },
      {
        name: '… sent to the page',
        unit: 'MB',
        values: long.megabytes,
        baseline: Math.max(...bare.megabytes),
        budget: 0.5,
      },
      { name: '… script memory of the page', unit: 'MB', values: [long.heap], baseline: bare.heap },
      {
        name: '… processor time of page and window',
        unit: 's',
        values: long.seconds,
        baseline: Math.min(...bare.seconds),
        budget: 0.5,
      },
    );
  }
  return rows;
}

/** Opens a chat again and again, another one in between. */
async function openings(frame: Frame, size: number, other: number) {
  const ms: number[] = [];
  const megabytes: number[] = [];
  const seconds: number[] = [];
  for (let n = 0; n < OPENINGS; n++) {
    await open(frame, other);
    const before = {
      characters: await frame.evaluate(() => window.charactersTaken),
      seconds: processorSeconds(renderers()),
    };
    ms.push(await open(frame, size));
    megabytes.push(((await frame.evaluate(() => window.charactersTaken)) - before.characters) / 1e6);
    seconds.push(processorSeconds(renderers()) - before.seconds);
  }
  const held = await frame.evaluate(() => ({
    articles: document.querySelectorAll('[role="article"]').length,
    elements: document.querySelectorAll('*').length,
    heap: (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize / 1e6,
  }));
  return { ms, megabytes, seconds, ...held };
}

/** Milliseconds from the click on its row. */
async function open(frame: Frame, size: number): Promise<number> {
  await frame.getByRole('button', { name: /^Switch session/ }).click();
  const row = frame.getByRole('dialog', { name: 'Sessions' }).locator('.row').getByText(titleOf(size), { exact: true });
  await row.waitFor();
  return row.evaluate(clickToNewest, `m${String(size - 1)}`);
}

/** Runs in the page. */
async function clickToNewest(row: Element, id: string): Promise<number> {
  const begun = performance.now();
  (row as HTMLElement).click();
  for (;;) {
    const newest = document.querySelector(`[data-message-id="${id}"]`);
    const log = document.querySelector('[role="log"]');
    const box = newest?.getBoundingClientRect();
    const around = log?.getBoundingClientRect();
    const isSeen = box && around && box.top < around.bottom && box.bottom > around.top;
    const field = document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message Nanobot"]');
    if (isSeen && field && !field.disabled) return performance.now() - begun;
    if (performance.now() - begun > 30_000) throw new Error(`The message ${id} was not shown.`);
    await new Promise(requestAnimationFrame);
  }
}

function titleOf(size: number): string {
  return `A talk of ${String(size)}`;
}
