import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../src/memory/historyEntry.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Files } from '../../../src/platform/ports.js';
import { historyAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const at = Date.parse('2026-04-15T13:23:45Z');
const clock = { ...nodeClock(), now: () => at, zone: () => 'Europe/Berlin' };

async function setup(files: Record<string, string | Uint8Array> = {}, options: Parameters<typeof historyAt>[1] = {}) {
  const { home } = await tempHome();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), content);
  }
  const made = historyAt(home, { clock, ...options });
  const text = (name: string) => readFile(join(home, name), 'utf8');
  return {
    home,
    ...made,
    text,
    lines: async () => (await text(FILE)).split('\n').filter(Boolean),
    put: (name: string, content: string) => writeFile(join(home, name), content),
  };
}

const FILE = 'memory/history.jsonl';
const DREAM = 'memory/.dream_cursor';
const entry = (cursor: unknown, content = `- fact ${String(cursor)}`, more: object = {}) =>
  `${JSON.stringify({ cursor, timestamp: '2026-04-03 00:02', content, ...more })}\n`;
const entries = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => entry(from + n)).join('');
const cursors = (list: HistoryEntry[]) => list.map(({ cursor }) => cursor);

/** Real files that note what is read, and do something just before a read or write of a path. */
function watchedFiles(before: Partial<Record<'readRange' | 'append' | 'writeAtomic', (path: string) => unknown>> = {}) {
  const files = nodeFiles();
  const reads: string[] = [];
  const watched: Files = {
    ...files,
    read: (path) => (reads.push(path), files.read(path)),
    readRange: async (path, offset, length) => {
      reads.push(path);
      await before.readRange?.(path);
      return files.readRange(path, offset, length);
    },
    append: async (path, data, options) => {
      await before.append?.(path);
      return files.append(path, data, options);
    },
    writeAtomic: async (path, data, options) => {
      await before.writeAtomic?.(path);
      return files.writeAtomic(path, data, options);
    },
  };
  return { files: watched, reads };
}

describe('appending', () => {
  it('writes exactly the form of the format, with local time', async () => {
    const { history, text } = await setup();
    await history.append([
      { content: '- drinks tea', session_key: 'vscode:1', project: '/projects/tea' },
      { content: '- 茶\n- x' },
    ]);
    expect(await text(FILE)).toBe(
      '{"cursor":1,"timestamp":"2026-04-15 15:23","content":"- drinks tea","session_key":"vscode:1","project":"/projects/tea"}\n' +
        '{"cursor":2,"timestamp":"2026-04-15 15:23","content":"- 茶\\n- x"}\n',
    );
    expect(await text('memory/.cursor')).toBe('2');
  });

  it('resolves with what was written, and nothing for nothing', async () => {
    const { history } = await setup();
    expect(await history.append([])).toEqual([]);
    expect(await history.append([{ content: 'a' }])).toEqual([
      { cursor: 1, timestamp: '2026-04-15 15:23', content: 'a' },
    ]);
    expect(cursors(await history.append([{ content: 'b' }, { content: 'c' }]))).toEqual([2, 3]);
  });

  it('masks secrets in the text and in the address of the project', async () => {
    const { history, text } = await setup();
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await history.append([{ content: `- the token is ${key}`, project: `https://ann:${key}@example.com/x.git` }]);
    expect(await text(FILE)).not.toContain(key);
    expect(await history.after(0, 1)).toMatchObject([
      { content: '- the token is ***', project: 'https://ann:***@example.com/x.git' },
    ]);
  });

  it.each([
    ['the file is ahead', entries(1, 7), '5', 8],
    ['the cursor file is ahead', entries(1, 7), '12', 13],
    ['the cursor file is missing', entries(1, 7), undefined, 8],
    ['the cursor file is no number', entries(1, 7), 'seven', 8],
    ['the cursor file is negative', entries(1, 7), '-3', 8],
    ['the cursor file is beyond counting', entries(1, 7), '9'.repeat(40), 8],
    ['the cursor file has a line end', '', '41\r\n', 42],
    ['the last line is broken', `${entries(1, 7)}{"cursor":`, '7', 8],
    ['the greatest cursor is not last', entry(3) + entry(9) + entry(4), undefined, 10],
    ['a cursor of the file is beyond counting', entry(3) + entry(2 ** 53), undefined, 4],
    ['all was deleted but the cursor', '', '7', 8],
  ])('goes on behind the greatest cursor when %s', async (_name, file, cursor, next) => {
    const { history } = await setup({ [FILE]: file, ...(cursor === undefined ? {} : { 'memory/.cursor': cursor }) });
    expect(cursors(await history.append([{ content: 'new' }]))).toEqual([next]);
    expect((await history.newest(1))[0]).toMatchObject({ cursor: next, content: 'new' });
  });

  it('gives a torn last line a line of its own, and keeps it', async () => {
    const { history, lines } = await setup({ [FILE]: `${entries(1, 2)}{"cursor":3,"time` });
    await history.append([{ content: 'new' }]);
    expect(await lines()).toHaveLength(4);
    expect(cursors(await history.after(0, 10))).toEqual([1, 2, 3]);
  });

  it('goes on behind an entry whose line has no end yet', async () => {
    const { history, notices } = await setup({ [FILE]: entries(1, 2).trimEnd() });
    expect(cursors(await history.after(0, 10))).toEqual([1, 2]);
    await history.append([{ content: 'new' }]);
    expect(cursors(await history.after(0, 10))).toEqual([1, 2, 3]);
    expect(notices).toEqual([]);
  });

  it('takes a write that failed back, and works again when there is room', async () => {
    let full = false;
    const { files } = watchedFiles();
    const failing: Files = {
      ...files,
      append: async (path, data, options) => {
        if (!full || !path.endsWith('.jsonl')) return files.append(path, data, options);
        await files.append(path, String(data).slice(0, 20));
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      },
    };
    const { history, text } = await setup({ [FILE]: entries(1, 2) }, { files: failing });
    full = true;
    await expect(history.append([{ content: 'lost' }])).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(await text(FILE)).toBe(entries(1, 2));
    full = false;
    const [written] = await history.append([{ content: 'kept' }]);
    expect(await history.after(2, 10)).toEqual([written]);
  });

  it('says who keeps the lock when it waits in vain', async () => {
    const hurried = { ...clock, sleep: async () => undefined };
    const leases = {
      acquire: async () => ({ held: false as const, by: 'window two' }),
      release: async () => undefined,
    };
    const { history } = await setup({}, { clock: hurried, leases });
    await expect(history.append([{ content: 'x' }])).rejects.toThrow(
      /history\.jsonl was not written: window two keeps it/,
    );
  });

  it('writes what waits together in one go', async () => {
    const written: string[] = [];
    const { files } = watchedFiles({ append: (path) => written.push(path) });
    const { history } = await setup({}, { files });
    const all = await Promise.all(
      Array.from({ length: 500 }, (_, n) => history.append([{ content: `- ${String(n)}` }])),
    );
    expect(cursors(all.flat())).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
    expect(written.length).toBeLessThan(10);
  });
});

describe('reading', () => {
  it('gives the oldest after a cursor, and the newest before one to page back', async () => {
    const { history } = await setup({ [FILE]: entries(1, 100) });
    expect(cursors(await history.after(10, 3))).toEqual([11, 12, 13]);
    expect(cursors(await history.after(98, 20))).toEqual([99, 100]);
    expect(await history.after(100, 20)).toEqual([]);
    expect(cursors(await history.newest(3))).toEqual([98, 99, 100]);
    expect(cursors(await history.newest(3, 98))).toEqual([95, 96, 97]);
    expect(cursors(await history.newest(3, 2))).toEqual([1]);
    expect(await history.newest(3, 1)).toEqual([]);
  });

  it('is empty where there is nothing', async () => {
    const { history, notices } = await setup();
    expect(await history.after(0, 5)).toEqual([]);
    expect(await history.newest(5)).toEqual([]);
    expect(await history.undigested()).toBe(0);
    expect(await history.dreamCursor()).toBe(0);
    expect(notices).toEqual([]);
  });

  it('takes CRLF and a BOM', async () => {
    const { history, notices } = await setup({ [FILE]: `\ufeff${entries(1, 3).replaceAll('\n', '\r\n')}` });
    expect(cursors(await history.after(0, 9))).toEqual([1, 2, 3]);
    expect((await history.after(0, 1))[0]?.content).toBe('- fact 1');
    await history.append([{ content: 'new' }]);
    expect(cursors(await history.newest(2))).toEqual([3, 4]);
    expect(notices).toEqual([]);
  });

  it('passes over lines that hold no entry, with one notice that names the first', async () => {
    const odd = [
      entry(-3),
      entry(true),
      entry(1.5),
      entry('4'),
      entry(null),
      '{"timestamp":"x","content":"no cursor"}\n',
      entry(2, '- the second with this cursor'),
      entry(5, undefined, { content: 7 }),
      '[1,2]\nnull\n"text"\n{"cursor":6,"cont\n',
      Buffer.from([0xff, 0xfe, 0x0a]).toString('latin1'),
    ];
    const { history, notices, lines } = await setup({
      [FILE]: `${entries(1, 2)}${odd.join('')}\n  \n${entries(7, 8)}`,
    });
    expect(cursors(await history.after(0, 99))).toEqual([1, 2, 7, 8]);
    expect((await history.after(1, 1))[0]?.content).toBe('- fact 2');
    await history.append([{ content: 'new' }]);
    await history.newest(9);
    expect(notices).toEqual([expect.stringMatching(/^13 lines of .*history\.jsonl could not be used .*line 3\)/)]);
    expect(await lines()).toHaveLength(19);
  });

  it('reads a file that somebody put out of order', async () => {
    const { history, notices } = await setup({ [FILE]: entry(5) + entry(3) + entry(9) + entry(1) });
    expect(cursors(await history.after(2, 2))).toEqual([3, 5]);
    expect(cursors(await history.newest(2))).toEqual([5, 9]);
    expect(notices).toEqual([]);
  });

  it('reads nothing where nothing changed, and only what is new where the file grew', async () => {
    const { files, reads } = watchedFiles();
    const { history, home } = await setup({ [FILE]: entries(1, 10_000), [DREAM]: '0' }, { files });
    expect(await history.undigested()).toBe(10_000);
    await history.newestUnread(50, '/work');
    reads.length = 0;
    for (let n = 0; n < 5; n += 1) {
      expect(await history.undigested()).toBe(10_000);
      expect(await history.newestUnread(50, '/work')).toHaveLength(50);
    }
    expect(reads).toEqual([]);
    const other = historyAt(home, { clock, holder: 'two' });
    await other.history.append([{ content: 'from elsewhere' }]);
    expect(cursors(await history.newest(1))).toEqual([10_001]);
    // Once to see that it only grew, once for the new line, once for what is compared next time, and the entry itself.
    expect(reads.filter((path) => path.endsWith('.jsonl'))).toHaveLength(4);
  });

  it('notices a file written anew, shorter or longer', async () => {
    const { history, put, notices } = await setup({ [FILE]: entries(1, 50) });
    expect(await history.newest(1)).toHaveLength(1);
    await put(FILE, entries(1, 3));
    expect(cursors(await history.newest(1))).toEqual([3]);
    await put(FILE, entries(100, 300));
    expect(await history.undigested()).toBe(201);
    expect(cursors(await history.after(0, 2))).toEqual([100, 101]);
    expect(cursors(await history.newest(1))).toEqual([300]);
    expect(notices).toEqual([]);
  });

  it('looks again where the file is written anew while it is read', async () => {
    let replaced = false;
    const { files } = watchedFiles({
      readRange: async (path) => {
        if (!armed || replaced || !path.endsWith('.jsonl')) return;
        replaced = true;
        await writeFile(`${path}.new`, entries(40, 60));
        await rename(`${path}.new`, path);
      },
    });
    let armed = false;
    const { history } = await setup({ [FILE]: entries(1, 50) }, { files });
    await history.newest(1);
    armed = true;
    expect(cursors(await history.newest(2))).toEqual([59, 60]);
  });

  it('prefers the entries of this project among the unread ones', async () => {
    const ours = [2, 5, 30, 31].map((cursor) => entry(cursor, undefined, { project: '/projects/tea' }));
    const text = Array.from(
      { length: 40 },
      (_, n) => ours.find((line) => line.includes(`:${String(n + 1)},`)) ?? entry(n + 1),
    );
    const { history, put, home } = await setup({ [FILE]: text.join(''), [DREAM]: '3' });
    expect(cursors(await history.newestUnread(5, '/projects/tea'))).toEqual([5, 30, 31, 39, 40]);
    expect(cursors(await history.newestUnread(2, '/projects/tea'))).toEqual([30, 31]);
    expect(cursors(await history.newestUnread(2))).toEqual([39, 40]);
    await put(DREAM, '39');
    expect(cursors(await history.newestUnread(5, '/projects/tea'))).toEqual([40]);
    await rm(join(home, FILE));
    expect(await history.newestUnread(5)).toEqual([]);
  });

  it('leaves the prompt without history where the file cannot be read', async () => {
    const { history, home } = await setup({ [FILE]: entries(1, 3) });
    await rm(join(home, FILE));
    await mkdir(join(home, FILE));
    expect(await history.newestUnread(5)).toEqual([]);
    const { files } = watchedFiles({
      readRange: () => {
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      },
    });
    const refused = await setup({ [FILE]: entries(1, 3) }, { files });
    expect(await refused.history.newestUnread(5)).toEqual([]);
  });
});

describe('a file over 50 MB', () => {
  it('is read by its tail, and Dream still finds the oldest that it has not read', async () => {
    const count = 52_000;
    const filler = 'x'.repeat(980);
    const { files, reads } = watchedFiles();
    const text = Array.from({ length: count }, (_, n) => entry(n + 1, filler));
    text[20_000] = `${'garbage '.repeat(300_000)}\n`;
    const { history, home, notices } = await setup({ [FILE]: text.join(''), [DREAM]: '12345' }, { files });
    expect((await stat(join(home, FILE))).size).toBeGreaterThan(50 * 1024 * 1024);
    expect(cursors(await history.newest(2))).toEqual([count - 1, count]);
    expect(reads.length).toBeLessThan(100);
    expect(cursors(await history.after(12_345, 3))).toEqual([12_346, 12_347, 12_348]);
    expect(cursors(await history.after(19_999, 3))).toEqual([20_000, 20_002, 20_003]);
    expect(cursors(await history.after(count - 1, 3))).toEqual([count]);
    expect(await history.undigested()).toBe(count - 12_345);
    expect(cursors(await history.append([{ content: 'new' }]))).toEqual([count + 1]);
    expect((await stat(join(home, FILE))).size).toBeGreaterThan(50 * 1024 * 1024);
    await history.setDreamCursor(count);
    expect(cursors(await history.after(0, 1))).toEqual([count + 1 - 999]);
    expect((await stat(join(home, FILE))).size).toBeLessThan(2 * 1024 * 1024);
    expect(notices).toEqual([]);
  });

  it('is no trouble where it is one endless line', async () => {
    const { history, home } = await setup({ [FILE]: entries(1, 3) });
    for (let n = 0; n < 6; n += 1) await nodeFiles().append(join(home, FILE), Buffer.alloc(9 * 1024 * 1024, 120));
    expect(await history.newest(3)).toEqual([]);
    expect(cursors(await history.after(1, 9))).toEqual([2, 3]);
    await nodeFiles().writeAtomic(join(home, 'memory', '.cursor'), '3');
    expect(cursors(await history.append([{ content: 'new' }]))).toEqual([4]);
    expect(cursors(await history.newest(3))).toEqual([4]);
  });
});

describe('the newest 1,000', () => {
  it('are kept of what Dream has read, and everything that it has not', async () => {
    const { history, lines } = await setup({ [FILE]: entries(1, 1_300) });
    await history.append([{ content: 'new' }]);
    expect(await lines()).toHaveLength(1_301);
    await history.setDreamCursor(250);
    expect(await lines()).toHaveLength(1_051);
    expect(cursors(await history.after(0, 1))).toEqual([251]);
    await history.setDreamCursor(1_301);
    // Not worth a rewrite: fewer than 200 too many.
    expect(await lines()).toHaveLength(1_051);
    await history.append(Array.from({ length: 150 }, (_, n) => ({ content: `- ${String(n)}` })));
    expect(await lines()).toHaveLength(1_000);
    expect(cursors(await history.newest(1))).toEqual([1_451]);
  });

  it('keep every byte, also of fields that are not known, and lose no broken line', async () => {
    const odd = `{"content":"kept","cursor": 1299, "feelings":{"deep":[1,2]},"timestamp":"x"}`;
    const broken = '{"cursor":1300,"content":"cut o';
    const { history, lines, text } = await setup({
      [FILE]: `${entries(1, 1_298)}${odd}\r\n${broken}\n\n${entry(5, 'a second 5')}`,
      [DREAM]: '1299',
    });
    await history.append([{ content: 'new' }]);
    const left = await lines();
    expect(left).toHaveLength(1_000);
    expect(left.at(-2)).toBe(odd);
    const aside = (await text('.nanobot/quarantine/memory-history.jsonl')).trim().split('\n');
    expect(aside.map((line) => (JSON.parse(line) as { text: string; line: number }).text)).toEqual([
      broken,
      entry(5, 'a second 5').trimEnd(),
    ]);
    expect(aside[0]).toContain('"line":1300');
  });

  it('are written anew only now and then', async () => {
    let rewrites = 0;
    const { files } = watchedFiles({ writeAtomic: (path) => (rewrites += path.endsWith('.jsonl') ? 1 : 0) });
    const { history, home, lines } = await setup({ [FILE]: entries(1, 1_000), [DREAM]: '1000' }, { files });
    for (let n = 0; n < 60; n += 1) {
      await history.append(Array.from({ length: 10 }, () => ({ content: 'x' })));
      await nodeFiles().writeAtomic(join(home, DREAM), String(1_000 + n * 10));
    }
    expect(rewrites).toBeLessThanOrEqual(3);
    expect((await lines()).length).toBeLessThan(1_250);
  });
});

describe("Dream's cursor", () => {
  it('is kept, and bounded by what was written', async () => {
    const { history, text } = await setup({ [FILE]: entries(1, 10) });
    await history.setDreamCursor(4);
    expect(await text(DREAM)).toBe('4');
    expect(await history.dreamCursor()).toBe(4);
    expect(await history.undigested()).toBe(6);
    await history.setDreamCursor(400);
    expect(await history.dreamCursor()).toBe(10);
    await history.setDreamCursor(2);
    expect(await history.undigested()).toBe(8);
    await expect(history.setDreamCursor(-1)).rejects.toThrow(/no cursor/);
    await expect(history.setDreamCursor(Number.NaN)).rejects.toThrow(/no cursor/);
  });

  it.each([
    ['ahead', '400', 10],
    ['behind the first entry', '0', 0],
    ['with a line end and a BOM', '\ufeff7\r\n', 7],
  ])('is sane where the file is %s', async (_name, text, cursor) => {
    const { history, notices } = await setup({ [FILE]: entries(1, 10), [DREAM]: text });
    expect(await history.dreamCursor()).toBe(cursor);
    expect(notices).toEqual([]);
  });

  it('that is ahead does not swallow what comes next', async () => {
    const { history } = await setup({ [FILE]: entries(1, 10), [DREAM]: '400' });
    await history.append([{ content: 'new' }]);
    expect(await history.dreamCursor()).toBe(10);
    expect(await history.undigested()).toBe(1);
  });

  it.each(['', 'ten', '-4', '3.5', 'true', '1e3', '{}'])(
    'that reads %j makes Dream begin anew, and says so once',
    async (text) => {
      const { history, notices } = await setup({ [FILE]: entries(1, 10), [DREAM]: text });
      expect(await history.dreamCursor()).toBe(0);
      expect(await history.undigested()).toBe(10);
      expect(notices).toEqual([
        expect.stringMatching(/\.dream_cursor holds no number, so Dream begins with the oldest/),
      ]);
    },
  );

  it.each([
    ['lost', undefined],
    ['broken', 'ten'],
  ])('that is %s is where it was last written, so that nothing is digested twice', async (_name, text) => {
    const { history, home } = await setup({ [FILE]: entries(1, 10) });
    await history.setDreamCursor(6);
    if (text === undefined) await rm(join(home, DREAM));
    else await writeFile(join(home, DREAM), text);
    const after = historyAt(home, { clock });
    expect(await after.history.dreamCursor()).toBe(6);
    expect(await after.history.undigested()).toBe(4);
    expect(after.notices).toEqual([expect.stringMatching(/goes on after entry 6 .* write 0 into that file/)]);
    await writeFile(join(home, DREAM), '0');
    expect(await after.history.dreamCursor()).toBe(0);
  });
});

describe('news', () => {
  it('come for what others append and for the cursor, and not after dispose', async () => {
    const { history, home } = await setup({ [FILE]: entries(1, 3), [DREAM]: '1' });
    let news = 0;
    const listening = history.onChange(() => (news += 1));
    const other = historyAt(home, { clock, holder: 'two' });
    await other.history.append([{ content: 'x' }]);
    await until('news of the entry', () => news > 0);
    const before = news;
    await writeFile(join(home, DREAM), '2');
    await until('news of the cursor', () => news > before);
    listening.dispose();
    const after = news;
    await other.history.append([{ content: 'y' }]);
    const witness = historyAt(home, { clock, holder: 'three' });
    let seen = false;
    const second = witness.history.onChange(() => (seen = true));
    await other.history.append([{ content: 'z' }]);
    await until('the witness', () => seen);
    second.dispose();
    expect(news).toBe(after);
  });
});

describe('a legacy HISTORY.md', () => {
  const legacy = [
    '# History',
    '',
    '[2026-03-01 10:00] Ann began with tea.',
    'She likes it strong.',
    '',
    '[2026-03-02 11:30] Second thing.',
    '',
    '[2026-03-03 09:00] [RAW] 2 messages',
    '[2026-03-03 08:58] USER: hello',
    '[2026-03-03 08:59] ASSISTANT [tools: exec]: hi',
    '',
  ].join('\n');

  it('is taken over once, counts as read, and is kept', async () => {
    const { history, text, lines, home } = await setup({ 'memory/HISTORY.md': legacy.replaceAll('\n', '\r\n') });
    await history.migrate();
    expect((await lines()).map((line) => JSON.parse(line) as HistoryEntry)).toEqual([
      { cursor: 1, timestamp: '2026-03-01 10:00', content: 'Ann began with tea.\nShe likes it strong.' },
      { cursor: 2, timestamp: '2026-03-02 11:30', content: 'Second thing.' },
      {
        cursor: 3,
        timestamp: '2026-03-03 09:00',
        content: '[RAW] 2 messages\n[2026-03-03 08:58] USER: hello\n[2026-03-03 08:59] ASSISTANT [tools: exec]: hi',
      },
    ]);
    expect([await text('memory/.cursor'), await text(DREAM)]).toEqual(['3', '3']);
    expect((await readdir(join(home, 'memory'))).sort()).toEqual([
      '.cursor',
      '.dream_cursor',
      'HISTORY.md.bak',
      'history.jsonl',
    ]);
    await history.migrate();
    await historyAt(home, { clock }).history.migrate();
    expect(await lines()).toHaveLength(3);
  });

  it('is taken over before the first entry where nobody asked for it', async () => {
    const { history, lines } = await setup({ 'memory/HISTORY.md': legacy });
    expect(cursors(await history.append([{ content: 'new' }]))).toEqual([4]);
    expect(await lines()).toHaveLength(4);
    expect(await history.undigested()).toBe(1);
  });

  it('keeps what stands before the first time, with the time of the file', async () => {
    const { history } = await setup({ 'memory/HISTORY.md': 'Some early words.\n\n[2026-03-01 10:00] Then.\n' });
    await history.migrate();
    const [first] = await history.after(0, 1);
    expect(first).toMatchObject({ cursor: 1, content: 'Some early words.' });
    expect(first?.timestamp).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d$/);
  });

  it('never writes over a .bak, and masks secrets', async () => {
    const { history, text } = await setup({
      'memory/HISTORY.md': '[2026-03-01 10:00] password=hunter2',
      'memory/HISTORY.md.bak': 'older',
    });
    await history.migrate();
    expect(await text('memory/HISTORY.md.bak')).toBe('older');
    expect(await text('memory/HISTORY.md.bak.2')).toContain('hunter2');
    expect(await text(FILE)).not.toContain('hunter2');
  });

  it('stays as it is beside a history of another origin', async () => {
    const { history, text } = await setup({ 'memory/HISTORY.md': legacy, [FILE]: entries(1, 2) });
    await history.migrate();
    expect(await text('memory/HISTORY.md')).toBe(legacy);
    expect(await text(FILE)).toBe(entries(1, 2));
  });

  it('that is empty is put aside without a trace', async () => {
    const { history, home } = await setup({ 'memory/HISTORY.md': '\n' });
    await history.migrate();
    expect(await readdir(join(home, 'memory'))).toEqual(['HISTORY.md.bak']);
  });
});
