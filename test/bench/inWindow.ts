import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { descendantsOf } from '../../scripts/lib/processes.mjs';
import type { ModelServer } from '../support/modelServer.js';
import { until } from '../support/until.js';
import type { Workbench } from '../support/workbench.js';
import { epoch } from './epoch.js';

/** Times in a page, in milliseconds since 1970 with fractions: the same clock as every process of this machine has. */
interface Times {
  /** The last pointer press, in the window. */
  pressed: number;
  /** The last Enter, in the chat page. */
  entered: number;
  /** When the chat's textbox first took input. */
  ready: number;
  /** When the words of the answer that is watched were first in the document, by number. */
  words: Record<number, number>;
  /** What the words of that answer begin with, before their number. Empty: nothing is watched, which costs nothing. */
  prefix: string;
}

declare global {
  interface Window {
    benchTimes: Times;
    /** In the window: whether a webview is to be seen. */
    isChatShown(): boolean;
  }
}

/** Makes the window and every page that is opened in it note its times. Call it before the chat is opened. */
export async function listen(page: Page): Promise<void> {
  await page.addInitScript(noteTimes);
  await page.evaluate(noteTimes);
}

/**
 * Runs in the page. VS Code writes a webview's document after scripts of ours have run, which takes their listeners away: so they are set once the
 * chat is there, which a timer sees within 4 ms. A word counts as on screen when it is in the document.
 */
function noteTimes(): void {
  const now = () => performance.timeOrigin + performance.now();
  const times: Times = { pressed: 0, entered: 0, ready: 0, words: {}, prefix: '' };
  window.benchTimes = times;
  window.isChatShown = () =>
    [...document.querySelectorAll('iframe.webview.ready')].some((one) =>
      one.checkVisibility({ visibilityProperty: true }),
    );
  addEventListener('pointerdown', (event) => (times.pressed = performance.timeOrigin + event.timeStamp), true);
  const note = () => {
    if (times.prefix === '') return;
    const last = [...document.querySelectorAll('[role="article"]')].at(-1);
    const text = last?.textContent?.slice(-400) ?? '';
    const at = text.lastIndexOf(times.prefix);
    if (at >= 0) times.words[parseInt(text.slice(at + times.prefix.length), 10)] ??= now();
  };
  const look = setInterval(() => {
    const box = document.querySelector<HTMLTextAreaElement>('textarea[aria-label="Message Nanobot"]');
    if (!box || box.disabled || !box.checkVisibility()) return;
    clearInterval(look);
    times.ready = now();
    const entered = (event: KeyboardEvent) => {
      if (event.key === 'Enter') times.entered = performance.timeOrigin + event.timeStamp;
    };
    addEventListener('keydown', entered, true);
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  }, 4);
}

/** Load, call and finish of our activation in milliseconds, from the table of "Developer: Startup Performance". */
export async function activationTime(workbench: Workbench): Promise<number> {
  const { page } = workbench;
  const row = await until('the activation in the table', async () => {
    await workbench.runCommand('Developer: Startup Performance');
    await page.locator('.monaco-editor .view-line').first().waitFor();
    await page.locator('.monaco-editor .view-lines').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+C');
    const text = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press('Control+F4');
    await workbench.runCommand('View: Close All Editors');
    return text.split('\n').find((line) => /\bnanobot\.nanobot\b/.test(line) && line.includes('|'));
  });
  const cells = row.split('|').map((cell) => cell.trim());
  const numbers = cells.filter((cell) => /^\d+$/.test(cell)).map(Number);
  return numbers.slice(0, 3).reduce((sum, value) => sum + value, 0);
}

/** Memory of the extension host in MB, once it has stopped moving. */
export async function settledMemory(workbench: Workbench): Promise<number> {
  const pid = await workbench.extensionHost();
  const seen: number[] = [];
  await until(
    'the memory to settle',
    async () => {
      seen.push(residentMb(pid));
      await new Promise((resolve) => setTimeout(resolve, 250));
      const recent = seen.slice(-8);
      return recent.length === 8 && Math.max(...recent) - Math.min(...recent) < 1;
    },
    15_000,
  ).catch(() => undefined);
  return seen.at(-1) ?? NaN;
}

/** Resident memory of a process in MB. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
}

/** Processor seconds that processes have used so far. */
export function processorSeconds(pids: number[]): number {
  return pids.reduce((sum, pid) => {
    try {
      const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // User and system time, in hundredths of a second on every Linux in use.
      return sum + (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      // A renderer that ended takes its past with it.
      return sum;
    }
  }, 0);
}

/** The processes in which the browser draws pages. */
export function renderers(): number[] {
  return descendantsOf(process.pid)
    .filter((entry) => entry.command.includes('--type=renderer'))
    .map((entry) => entry.pid);
}

const iconOf = (page: Page) => page.locator('.activitybar a.action-label[aria-label^="Nanobot"]');

/** Milliseconds from the press on the icon to a textbox that takes input, in a page that was not there before. */
export async function clickToInput(workbench: Workbench): Promise<{ frame: Frame; ms: number }> {
  await iconOf(workbench.page).click();
  const frame = await workbench.chat();
  const ready = await until('the input', () => frame.evaluate(() => window.benchTimes.ready));
  return { frame, ms: ready - (await workbench.page.evaluate(() => window.benchTimes.pressed)) };
}

/** The same, and when the page comes back after it was hidden. */
export async function clickToReady(workbench: Workbench): Promise<{ first: number; again: number[] }> {
  const { page } = workbench;
  const explorer = page.locator('.activitybar a.action-label[aria-label^="Explorer"]');
  const { ms: first } = await clickToInput(workbench);
  const again: number[] = [];
  for (let n = 0; n < 5; n++) {
    // VS Code takes no two clicks on the bar within 300 ms, so that a double click does not hide what it has just shown.
    await until('the chat to be hidden', async () => {
      await explorer.click();
      await new Promise((resolve) => setTimeout(resolve, 400));
      return page.evaluate(() => !window.isChatShown());
    });
    const back = page.evaluate(waitUntilShown);
    await iconOf(page).click();
    again.push((await back) - (await page.evaluate(() => window.benchTimes.pressed)));
  }
  return { first, again };
}

/** Runs in the window. */
function waitUntilShown(): Promise<number> {
  return new Promise((resolve) => {
    const look = () => {
      if (window.isChatShown()) resolve(performance.timeOrigin + performance.now());
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Milliseconds from Enter to the whole request at the server: the first message of a window, then the next ones. */
export async function sendTimes(workbench: Workbench, server: ModelServer): Promise<{ first: number; next: number[] }> {
  server.setScript(() => ({ text: 'Good.' }));
  const times: number[] = [];
  for (let n = 0; n < 6; n++) times.push(await sendTime(workbench, server, 'hello'));
  const [first = NaN, ...next] = times;
  return { first, next };
}

async function sendTime(workbench: Workbench, server: ModelServer, text: string): Promise<number> {
  const before = server.requests.length;
  await workbench.send(text);
  const request = await server.received(before + 1);
  await workbench.lastAnswer();
  const entered = await (await workbench.chat()).evaluate(() => window.benchTimes.entered);
  return performance.timeOrigin + request.at - entered;
}

/** Streams an answer of numbered words at so many a second, and gives when each left the server and when it was on screen. */
export async function streamWords(
  workbench: Workbench,
  server: ModelServer,
  options: { perSecond: number; words: number; watch: boolean },
): Promise<{ sent: number[]; shown: (number | undefined)[]; frame: Frame }> {
  const { perSecond, words, watch } = options;
  // No two answers share a word: the former one is still on screen when the next begins.
  const prefix = `a${String(server.requests.length)}w`;
  const pieces = Array.from({ length: words }, (_, n) => piece(prefix, n));
  const sent: number[] = [];
  let start = 0;
  const gate = async (chunk: number) => {
    // The first chunk of the wire names the role; what follows the words ends the answer.
    const n = chunk - 1;
    if (n < 0 || n >= words) return;
    if (n === 0) start = epoch();
    const wait = start + (n * 1_000) / perSecond - epoch();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    sent[n] = epoch();
  };
  server.setScript(() => ({ text: pieces.join(''), chunkSize: PIECE, gate }));
  const frame = await workbench.openChat();
  await frame.evaluate(
    (watched) => {
      window.benchTimes.words = {};
      window.benchTimes.prefix = watched;
    },
    watch ? prefix : '',
  );
  await workbench.send('Say much.');
  await workbench.lastAnswer({ timeout: 60_000 });
  const seen = await frame.evaluate(() => window.benchTimes.words);
  // A word is on screen as soon as any later one is.
  const shownAt: (number | undefined)[] = [];
  let next: number | undefined;
  for (let n = words - 1; n >= 0; n--) shownAt[n] = next = Math.min(seen[n] ?? Infinity, next ?? Infinity);
  return { sent, shown: shownAt, frame };
}

const PIECE = 36;

/** One chunk: a word that can be found again, in the middle of others; every twentieth ends a paragraph. */
function piece(prefix: string, n: number): string {
  const words = `${prefix}${String(n)} is a word of a long answer to all`.slice(0, PIECE - 2).padEnd(PIECE - 2, '.');
  return `${words}${n % 20 === 19 ? '\n\n' : '. '}`;
}
