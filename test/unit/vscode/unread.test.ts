import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readUnread, watchUnread } from '../../../src/vscode/unread.js';
import { historyAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

async function homeWith(lines: string[] | undefined, dreamCursor?: string): Promise<string> {
  const { home } = await tempHome();
  mkdirSync(join(home, 'memory'), { recursive: true });
  if (lines) writeFileSync(join(home, 'memory', 'history.jsonl'), lines.map((line) => `${line}\n`).join(''));
  if (dreamCursor !== undefined) writeFileSync(join(home, 'memory', '.dream_cursor'), dreamCursor);
  return home;
}

const line = (cursor: unknown, content = '- fact') =>
  JSON.stringify({ cursor, timestamp: '2026-04-15 10:00', content });
const lines = (count: number, content?: string) => Array.from({ length: count }, (_, n) => line(n + 1, content));

describe('the number of unread entries, before the agent is loaded', () => {
  it('is what lies behind the Dream cursor', async () => {
    expect(await readUnread(await homeWith(lines(5), '3\n'))).toBe(2);
    expect(await readUnread(await homeWith(lines(5)))).toBe(5);
    expect(await readUnread(await homeWith(lines(5), '5'))).toBe(0);
  });

  it('is nothing without a home, without a history, and with an empty one', async () => {
    const { home } = await tempHome();
    expect(await readUnread(home)).toBe(0);
    expect(await readUnread(await homeWith(undefined, '7'))).toBe(0);
    expect(await readUnread(await homeWith([]))).toBe(0);
  });

  it('takes a cursor that is no number for none, and one ahead for everything', async () => {
    expect(await readUnread(await homeWith(lines(2), 'soon'))).toBe(2);
    expect(await readUnread(await homeWith(lines(2), '99'))).toBe(0);
  });

  it('passes over lines that are torn, repeated, or have no cursor', async () => {
    const odd = [
      '\uFEFF' + line(1),
      line(2),
      line(2),
      line(-1),
      line(true),
      line('3'),
      '{"cursor":4,"con',
      '',
      `${line(5)}\r`,
    ];
    expect(await readUnread(await homeWith(odd, '1'))).toBe(2);
  });

  it('agrees with the agent on 10,000 entries, of which it reads the end only', async () => {
    const home = await homeWith(lines(10_000, 'x'.repeat(300)), '12');
    expect(await readUnread(home)).toBe(9_988);
    expect(await historyAt(home).history.undigested()).toBe(9_988);
  });

  it('is told to have changed when another process appends, or Dream has read', async () => {
    const home = await homeWith(lines(2), '0');
    const seen: number[] = [];
    const watch = watchUnread(home, () => void readUnread(home).then((unread) => seen.push(unread)));
    onTestFinished(() => watch.dispose());
    appendFileSync(join(home, 'memory', 'history.jsonl'), `${line(3)}\n`);
    await until('three', () => seen.at(-1) === 3);
    writeFileSync(join(home, 'memory', '.dream_cursor'), '3');
    await until('none', () => seen.at(-1) === 0);
  });
});
