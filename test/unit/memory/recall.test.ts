import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Recall, type RecallOptions } from '../../../src/memory/recall.js';
import { INDEX_FORM } from '../../../src/memory/recall/indexFile.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { tempHome } from '../../support/tempHome.js';
import { testWorkers } from '../../support/workers.js';

const indexFile = (home: string) => join(home, '.nanobot', 'index', `recall-${String(INDEX_FORM)}.bin`);

async function recallOver(home: string) {
  const warnings: string[] = [];
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (text: string) => void warnings.push(text),
    error: () => undefined,
  };
  const recall = new Recall({ workers: await testWorkers(), files: nodeFiles(), clock: nodeClock(), home, log });
  onTestFinished(() => recall.close());
  const texts = async (query: string, options?: RecallOptions) =>
    (await recall.search(query, options)).map(({ text }) => text);
  return { recall, texts, warnings };
}

async function homeWith(files: Record<string, string>): Promise<string> {
  const { home } = await tempHome();
  await mkdir(join(home, 'sessions'), { recursive: true });
  await mkdir(join(home, 'memory'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  return home;
}

const said = (role: string, content: unknown, timestamp = '2024-03-01T10:00:00', more: object = {}) =>
  `${JSON.stringify({ role, content, timestamp, ...more })}\n`;
const METADATA = `${JSON.stringify({ _type: 'metadata', key: 'cli:direct', created_at: '2024-03-01T10:00:00', metadata: {} })}\n`;

it('finds what was said, with time, place and session', async () => {
  const home = await homeWith({
    'sessions/cli_direct.jsonl':
      METADATA + said('user', 'My sister plays the trombone') + said('assistant', 'How nice!'),
  });
  const { recall } = await recallOver(home);
  const [hit] = await recall.search('trombone');
  expect(hit).toMatchObject({
    source: join(home, 'sessions/cli_direct.jsonl'),
    line: 2,
    kind: 'session',
    role: 'user',
    sessionKey: 'cli:direct',
    text: 'My sister plays the trombone',
    time: new Date('2024-03-01T10:00:00').toISOString(),
  });
});

it('searches blocks of content, history, notes and MEMORY.md, and leaves out what tools gave', async () => {
  const home = await homeWith({
    'sessions/a.jsonl':
      said('user', [
        { type: 'text', text: 'The zeppelin museum was great' },
        { type: 'image_url', image_url: { url: 'data:' } },
      ]) + said('tool', 'zeppelin from a tool', '2024-03-01T10:00:01', { tool_call_id: 'x' }),
    'memory/history.jsonl': `${JSON.stringify({ cursor: 1, timestamp: '2024-03-02 09:00', content: '- Booked the zeppelin flight' })}\n`,
    'memory/2024-03-03.md': '# 2024-03-03\n\n- 09:15 zeppelin tickets are in the drawer\n- 10:00 milk\n',
    'memory/MEMORY.md': '# Travel\n\n- Loves every zeppelin\n',
    'memory/other.md': 'zeppelin in a file that is none of ours\n',
  });
  const { recall } = await recallOver(home);
  const hits = await recall.search('zeppelin');
  const having = hits.filter(({ text }) => text.includes('zeppelin'));
  expect(having.map(({ kind }) => kind).sort()).toEqual(['history', 'memory', 'note', 'session']);
  expect(hits.every(({ text }) => !text.includes('from a tool') && !text.includes('none of ours'))).toBe(true);
  expect(hits.find(({ kind }) => kind === 'note')).toMatchObject({
    line: 3,
    text: '- 09:15 zeppelin tickets are in the drawer',
    time: new Date(2024, 2, 3, 9, 15).toISOString(),
  });
  expect((await recall.search('zeppelin', { kinds: ['note'], limit: 1 })).map(({ kind }) => kind)).toEqual(['note']);
  expect((await recall.search('zeppelin', { kinds: ['memory'] })).map(({ kind }) => kind)).toEqual(['memory']);
});

it('finds a note by the heading above it', async () => {
  const home = await homeWith({
    'memory/MEMORY.md': '# Submarine project\n\n- Deadline is in March\n\n# Garden\n\n- Roses\n',
  });
  const { texts } = await recallOver(home);
  expect((await texts('submarine'))[0]).toBe('- Deadline is in March');
});

it('passes over torn lines, CRLF, a BOM and foreign lines', async () => {
  const torn = '{"role":"user","content":"torn kangaroo';
  const home = await homeWith({
    'sessions/a.jsonl': `\uFEFF${said('user', 'first kangaroo').trim()}\r\n${torn}\r\nnot json at all\r\n{"_type":"other"}\r\n\r\n${said('user', 'second kangaroo').trim()}\r\n${torn}`,
    'memory/history.jsonl': '{"cursor":1,"content":7}\n[]\n{"content":"third kangaroo"}\n',
  });
  const { recall } = await recallOver(home);
  const hits = await recall.search('kangaroo');
  expect(hits.map(({ text, line }) => `${text} ${String(line)}`).sort()).toEqual([
    'first kangaroo 1',
    'second kangaroo 6',
    'third kangaroo 3',
  ]);
});

it('answers for a home that does not exist, and makes none', async () => {
  const { home } = await tempHome();
  const { recall } = await recallOver(home);
  expect(await recall.search('anything')).toEqual([]);
  await recall.close();
  await expect(stat(home)).rejects.toThrow('ENOENT');
});

it('reads on what was appended, also behind a line that was half there', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'old walrus') });
  const path = join(home, 'sessions/a.jsonl');
  const { texts } = await recallOver(home);
  expect(await texts('walrus')).toEqual(['old walrus']);
  const line = said('assistant', 'new walrus');
  await appendFile(path, line.slice(0, 30));
  expect(await texts('walrus')).toEqual(['old walrus']);
  await appendFile(path, line.slice(30));
  expect((await texts('walrus')).sort()).toEqual(['new walrus', 'old walrus']);
});

it('reads a file anew that was rewritten, and forgets one that is gone', async () => {
  const home = await homeWith({
    'sessions/a.jsonl': said('user', 'a lonely pelican') + said('user', 'more pelican'),
    'sessions/b.jsonl': said('user', 'pelican of another session'),
  });
  const { texts } = await recallOver(home);
  expect(await texts('pelican')).toHaveLength(3);
  await writeFile(join(home, 'sessions/a.jsonl'), said('user', 'a rewritten pelican'));
  await rm(join(home, 'sessions/b.jsonl'));
  expect(await texts('pelican')).toEqual(['a rewritten pelican']);
});

it('keeps the index on disk: another process finds everything, and what came since', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the purple giraffe') });
  const first = await recallOver(home);
  await first.texts('giraffe');
  await first.recall.close();
  expect((await stat(indexFile(home))).size).toBeGreaterThan(100);
  await appendFile(join(home, 'sessions/a.jsonl'), said('user', 'the green giraffe'));
  const second = await recallOver(home);
  expect((await second.texts('giraffe')).sort()).toEqual(['the green giraffe', 'the purple giraffe']);
  expect(second.warnings).toEqual([]);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, 90)],
  [
    'damaged in the middle',
    (bytes: Buffer) => {
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      return bytes;
    },
  ],
  ['empty', () => Buffer.alloc(0)],
])('builds an index anew that is %s, and says so', async (_what, damage) => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the striped okapi') });
  const first = await recallOver(home);
  await first.texts('okapi');
  await first.recall.close();
  await writeFile(indexFile(home), damage(await readFile(indexFile(home))));
  const second = await recallOver(home);
  expect(await second.texts('okapi')).toEqual(['the striped okapi']);
  expect(second.warnings).toEqual([expect.stringContaining('is damaged; it is built anew')]);
});

it('lets two searches over one home write their index without harm', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the spotted tapir') });
  const [one, two] = [await recallOver(home), await recallOver(home)];
  await Promise.all([one.texts('tapir'), two.texts('tapir')]);
  await appendFile(join(home, 'sessions/a.jsonl'), said('user', 'one more tapir'));
  await Promise.all([one.texts('tapir'), two.texts('tapir')]);
  await Promise.all([one.recall.close(), two.recall.close()]);
  expect(await readdir(join(home, '.nanobot/index'))).toEqual([`recall-${String(INDEX_FORM)}.bin`]);
  const third = await recallOver(home);
  expect(await third.texts('tapir')).toHaveLength(2);
  expect(third.warnings).toEqual([]);
});

it('still answers where the index cannot be written, and says so', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the shy axolotl') });
  await mkdir(join(home, '.nanobot'));
  await writeFile(join(home, '.nanobot/index'), 'a file where the folder should be');
  const { recall, texts, warnings } = await recallOver(home);
  expect(await texts('axolotl')).toEqual(['the shy axolotl']);
  await recall.close();
  expect(warnings.join('\n')).toContain('could not be saved');
});

it('frees the index 60 seconds after the last search, and loads it again', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the sleepy wombat') });
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const real = await testWorkers();
  const ends: Promise<void>[] = [];
  const workers: typeof real = {
    start: (name, data) => {
      const worker = real.start(name, data);
      return {
        call: (method, ...args) => worker.call(method, ...args),
        end: () => {
          const ended = worker.end();
          ends.push(ended);
          return ended;
        },
      };
    },
  };
  const waits: { ms: number; run: () => void; gone: boolean }[] = [];
  const clock = {
    ...nodeClock(),
    after: (ms: number, run: () => void) => {
      const wait = { ms, run, gone: false };
      waits.push(wait);
      return { dispose: () => void (wait.gone = true) };
    },
  };
  const recall = new Recall({ workers, files: nodeFiles(), clock, home, log });
  onTestFinished(() => recall.close());
  await recall.search('wombat');
  await recall.search('wombat');
  expect(waits.map(({ ms, gone }) => [ms, gone])).toEqual([
    [60_000, true],
    [60_000, false],
  ]);
  waits[1]?.run();
  await expect.poll(() => ends.length).toBe(1);
  expect(await recall.search('wombat')).toHaveLength(1);
});

it('stops waiting when it is aborted', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'a quick lemur') });
  const { recall } = await recallOver(home);
  const stop = new AbortController();
  const search = recall.search('lemur', { signal: stop.signal });
  stop.abort(new Error('Stopped by the person.'));
  await expect(search).rejects.toThrow('Stopped by the person.');
  expect(await recall.search('lemur')).toHaveLength(1);
});

it('narrows to days, and lists what is newest without a question', async () => {
  const now = Date.now();
  const ago = (days: number) => new Date(now - days * 86_400_000).toISOString();
  const home = await homeWith({
    'sessions/a.jsonl':
      said('user', 'ancient heron', ago(90)) +
      said('user', 'recent heron', ago(2)) +
      said('user', 'newest of all', ago(1)),
  });
  const { texts } = await recallOver(home);
  expect(await texts('heron', { days: 7 })).toEqual(['recent heron']);
  expect(await texts('', { days: 7 })).toEqual(['newest of all', 'recent heron']);
});

it('counts a session once that was renamed', async () => {
  const home = await homeWith({ 'sessions/a.jsonl': said('user', 'the moving puffin') });
  const { recall } = await recallOver(home);
  await recall.search('puffin');
  await rename(join(home, 'sessions/a.jsonl'), join(home, 'sessions/b.jsonl'));
  expect((await recall.search('puffin')).map(({ source }) => source)).toEqual([join(home, 'sessions/b.jsonl')]);
});
