import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { keyOfName, safeName } from '../../../src/session/names.js';
import { tempHome } from '../../support/tempHome.js';
import {
  assistant,
  given,
  linesOf,
  ManualClock,
  openStore,
  processes,
  pythonMetadata,
  result,
  sessionPath,
  user,
} from './setup.js';

const at = (minute: number) => ({ timestamp: new Date(Date.UTC(2026, 3, 3, 10, minute)).toISOString() });
const never = new AbortController().signal;

/** Real files that count what is read. */
function countingFiles() {
  const files = nodeFiles();
  const count = { bytes: 0, reads: 0 };
  const readRange = async (path: string, offset: number, length: number) => {
    const bytes = await files.readRange(path, offset, length);
    count.reads += 1;
    count.bytes += bytes.length;
    return bytes;
  };
  return { files: { ...files, readRange }, count };
}

describe('file names', () => {
  it.each([
    ['cli:direct', 'cli_direct'],
    ['telegram:-100/7', 'telegram_-100_7'],
    ['a<>:"/\\|?*\u0000b', 'a__________b'],
    ['..', '__'],
    ['ends with dot.', 'ends with dot_'],
    ['con', '_con'],
    ['NUL.txt', '_NUL.txt'],
    ['vscode:你好', 'vscode_你好'],
    ['', '_'],
  ])('are safe on every system: %j', (key, name) => {
    expect(safeName(key)).toBe(name);
  });

  it('are shortened with a hash, at a character, so that long keys stay apart', () => {
    const [one, two] = [safeName(`vscode:${'长'.repeat(200)}1`), safeName(`vscode:${'长'.repeat(200)}2`)];
    expect(Buffer.byteLength(one)).toBeLessThanOrEqual(150);
    expect(one).toMatch(/^vscode_长+-[0-9a-f]{10}$/);
    expect(one).not.toBe(two);
  });

  it("are read as nanobot's where a file names no key", () => {
    expect(keyOfName('cli_direct_x')).toBe('cli:direct_x');
  });
});

describe('keys whose names collide', () => {
  it('have files of their own, also after a restart and on disks that ignore case', async () => {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const keys = ['a:b', 'a_b', 'A:B', 'a/b'];
    const sessions = await Promise.all(keys.map((key) => store.open(key)));
    await Promise.all(sessions.map((session, n) => session.append([user(keys[n] ?? '')])));
    const names = (await readdir(join(home, 'sessions'))).map((name) => name.toLowerCase());
    expect(new Set(names).size).toBe(4);
    expect(names).toContain('a_b.jsonl');
    const again = openStore(home).store;
    for (const key of [...keys].reverse())
      expect((await again.open(key)).messages.map(({ content }) => content)).toEqual([key]);
    expect((await again.list()).map(({ key }) => key).sort()).toEqual([...keys].sort());
  });

  it('do not take a file that says it is another key', async () => {
    const { home } = await tempHome();
    await given(sessionPath(home, 'a_b'), `${pythonMetadata('a:b')}\n{"role":"user","content":"theirs"}\n`);
    const session = await openStore(home).store.open('a_b');
    expect(session.messages).toEqual([]);
    await session.append([user('mine')]);
    expect(await linesOf(sessionPath(home, 'a_b'))).toHaveLength(2);
  });

  it('find a file that names no key under its plain name', async () => {
    const { home } = await tempHome();
    await given(sessionPath(home, 'cli_direct'), '{"role":"user","content":"old"}\n');
    const { store } = openStore(home);
    expect((await store.list()).map(({ key }) => key)).toEqual(['cli:direct']);
    const session = await store.open('cli:direct');
    expect(session.messages).toHaveLength(1);
    await session.append([user('new')]);
    expect((await linesOf(session.path)).map((line) => line.includes('"_type"'))).toEqual([false, true, false]);
  });
});

describe('the list of sessions', () => {
  it('is newest first, with title, count, workspace, pinned, busy, and how far its facts are noted', async () => {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const old = await store.open('vscode:old');
    await old.append([user('How do I brew tea?\nQuickly', at(1)), { ...assistant('Boil water.'), ...at(2) }]);
    const named = await store.open('vscode:named');
    await named.append([user('x', at(3))]);
    await named.setMetadata({ title: 'Named', workspace: '/w', pinned: true });
    await old.setMetadata({ archivedTo: 2 });
    await old.release();
    expect(await openStore(home, { holder: 'two', processes: processes(2) }).store.list()).toEqual([
      {
        key: 'vscode:named',
        title: 'Named',
        updatedAt: Date.UTC(2026, 3, 3, 10, 3),
        messages: 1,
        workspace: '/w',
        pinned: true,
        noted: 0,
        busy: true,
      },
      {
        key: 'vscode:old',
        title: 'How do I brew tea?',
        updatedAt: Date.UTC(2026, 3, 3, 10, 2),
        messages: 2,
        pinned: false,
        noted: 2,
        busy: false,
      },
    ]);
    expect((await store.list()).map(({ busy }) => busy)).toEqual([false, false]);
  });

  it('reads nothing of files that did not change, and only the new lines of one that grew', async () => {
    const { home } = await tempHome();
    const writer = openStore(home, { holder: 'writer' }).store;
    const big = await writer.open('a:big');
    await big.append([user('x'.repeat(500_000), at(1))]);
    await (await writer.open('a:small')).append([user('y', at(2))]);
    const { files, count } = countingFiles();
    const { store } = openStore(home, { files, holder: 'reader' });
    await store.list();
    expect(count.bytes).toBeGreaterThan(500_000);
    count.bytes = 0;
    await store.list();
    expect(count.bytes).toBe(0);
    await big.append([user('z', at(3))]);
    expect((await store.list())[0]).toMatchObject({ key: 'a:big', messages: 2 });
    expect(count.bytes).toBeLessThan(3_000);
  });

  it('sees a rewritten file and a title in the middle of a long one', async () => {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('x'.repeat(300_000), at(1))]);
    await session.setMetadata({ title: 'Middle' });
    await session.append([user('x'.repeat(300_000), at(2))]);
    expect(await store.list()).toMatchObject([{ title: 'Middle', messages: 2 }]);
    await writeFile(
      session.path,
      (await readFile(session.path, 'utf8')).replace('Middle', 'Centre part') + '{"role":"user"}\n',
    );
    expect(await store.list()).toMatchObject([{ title: 'Centre part', messages: 3 }]);
    await writeFile(session.path, `${pythonMetadata('a:b', { metadata: { title: 'New' } })}\n`);
    expect(await store.list()).toMatchObject([
      { title: 'New', messages: 0, updatedAt: Date.parse('2026-03-02T10:00:00.123456') },
    ]);
  });

  it('lives with files that are no sessions, broken or empty', async () => {
    const { home } = await tempHome();
    await given(sessionPath(home, 'empty'), '');
    await given(sessionPath(home, 'broken'), '{"role":"us');
    await given(join(home, 'sessions', 'notes.txt'), 'x');
    await given(join(home, 'sessions', 'folder.jsonl', 'x'), 'x');
    expect((await openStore(home).store.list()).map(({ key, messages }) => [key, messages]).sort()).toEqual([
      ['broken', 0],
      ['empty', 0],
    ]);
  });
});

describe('the tail of a session', () => {
  const texts = (messages: readonly { content: unknown }[]) => messages.map(({ content }) => content);

  it('has the newest visible messages with their places, the same as the opened session', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('a:b');
    for (let n = 0; n < 60; n += 1) await session.append([user(`${n} ${'x'.repeat(n * 100)}`)]);
    await session.hide(50, 58);
    await session.append([user('last')]);
    const { store } = openStore(home);
    const tail = await store.tail('a:b', 20);
    expect([tail.first, tail.total]).toEqual([33, 53]);
    expect(tail.messages).toEqual((await store.open('a:b')).visible().slice(-20));
    expect(await store.tail('a:b', 20)).toEqual(tail);
    expect(texts(tail.messages.slice(-3))).toEqual(
      [session.messages[58], session.messages[59], session.messages[60]].map((m) => m?.content),
    );
  });

  it('gives lines without ids the ids they have in the opened session', async () => {
    const { home } = await tempHome();
    const lines = Array.from(
      { length: 500 },
      (_, n) => `{"role": "user", "content": "${n}", "timestamp": "2026-03-01T10:00:00"}`,
    );
    await given(sessionPath(home, 'a_b'), `${[pythonMetadata('a:b'), ...lines].join('\r\n')}`);
    const { store } = openStore(home);
    const tail = await store.tail('a:b', 10);
    expect(tail.messages.map(({ id }) => id)).toEqual(
      (await store.open('a:b')).messages.slice(-10).map(({ id }) => id),
    );
  });

  it('parses little of a long file, and nothing twice', async () => {
    const { home } = await tempHome();
    const line = `{"role":"user","content":"${'x'.repeat(2_000)}","timestamp":"2026-03-01T10:00:00"}`;
    await given(sessionPath(home, 'a_b'), `${Array.from({ length: 10_000 }, () => line).join('\n')}\n`);
    const { files, count } = countingFiles();
    const { store } = openStore(home, { files });
    const first = await store.tail('a:b', 80);
    expect([first.messages.length, first.first, first.total]).toEqual([80, 9_920, 10_000]);
    count.bytes = 0;
    await store.tail('a:b', 80);
    expect(count.bytes).toBeLessThan(1_000_000);
  });

  it.each([0, 1, 3, 500])('is right at the edges: %d of three', async (count) => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('a:b');
    await session.append([user('1'), assistant('2'), user('3')]);
    const tail = await openStore(home).store.tail('a:b', count);
    const shown = Math.min(3, count);
    expect([texts(tail.messages), tail.first, tail.total]).toEqual([['1', '2', '3'].slice(3 - shown), 3 - shown, 3]);
  });

  it('of a session without a file is empty, and creates nothing', async () => {
    const { root, home } = await tempHome();
    expect(await openStore(home).store.tail('a:b', 10)).toEqual({ messages: [], first: 0, total: 0 });
    expect(await readdir(root)).toEqual([]);
  });
});

describe('searching sessions', () => {
  async function library() {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const tea = await store.open('vscode:tea');
    await tea.append([
      user('Brew some "Darjeeling" please', at(1)),
      assistant('Done.'),
      user('darjeeling again', at(2)),
    ]);
    const code = await store.open('vscode:code');
    await code.append([
      user('Fix it', at(3)),
      assistant(null, ['a']),
      result('a', 'darjeeling in a log'),
      user('今天天气很好', at(4)),
    ]);
    await code.setMetadata({ title: 'Fix the Darjeeling bug' });
    return { home, store, tea };
  }

  it('finds texts and titles in any case, newest first, and not what tools printed', async () => {
    const { store } = await library();
    const hits = await store.search('DARJEELING', never);
    expect(hits).toMatchObject([
      { key: 'vscode:code', title: 'Fix the Darjeeling bug', count: 0, excerpt: 'Fix the Darjeeling bug' },
      { key: 'vscode:tea', count: 2, excerpt: 'darjeeling again', index: 2 },
    ]);
    expect(hits[0]).not.toHaveProperty('index');
  });

  it('takes the words as they stand: quotes, patterns, other scripts', async () => {
    const { store, home } = await library();
    expect((await store.search('"Darjeeling"', never)).map(({ key }) => key)).toEqual(['vscode:tea']);
    expect((await store.search('天气', never)).map(({ key }) => key)).toEqual(['vscode:code']);
    expect(await store.search('D.rj', never)).toEqual([]);
    expect(await store.search('  ', never)).toEqual([]);
    await given(sessionPath(home, 'x_y'), '{"role":"user","content":"x"}\n{"role":"user","content":"caf\\u00e9"}\n');
    expect((await store.search('café', never)).map(({ key }) => key)).toEqual(['x:y']);
  });

  it('leaves out hidden messages and shows the place in a long text', async () => {
    const { store, tea } = await library();
    await tea.hide(2, 3);
    await tea.append([assistant(`${'a '.repeat(100)}needle${' b'.repeat(100)}`)]);
    expect(await store.search('again', never)).toEqual([]);
    const [hit] = await store.search('needle', never);
    expect(hit?.excerpt).toMatch(/^….*needle.*…$/);
    expect(hit?.excerpt.length).toBeLessThan(140);
  });

  it('stops when aborted', async () => {
    const { store } = await library();
    await expect(store.search('x', AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});

describe('removing a session', () => {
  it('moves it to the trash, and the key starts afresh', async () => {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1')]);
    const before = await readFile(session.path, 'utf8');
    await store.remove('a:b');
    expect(await readdir(join(home, 'sessions'))).toEqual([]);
    expect(await readdir(join(home, '.nanobot', 'locks'))).toEqual([]);
    expect(await readdir(join(home, '.nanobot', 'trash'))).toEqual(['a_b-20260403T000200000Z.jsonl']);
    expect(await readFile(join(home, '.nanobot', 'trash', 'a_b-20260403T000200000Z.jsonl'), 'utf8')).toBe(before);
    await expect(session.append([user('2')])).rejects.toMatchObject({ name: 'SessionRemoved' });
    expect((await store.open('a:b')).messages).toEqual([]);
    expect(await store.list()).toEqual([]);
  });

  it('is refused while another process writes it', async () => {
    const { home } = await tempHome();
    const clock = new ManualClock();
    await (await openStore(home, { clock }).store.open('a:b')).append([user('1')]);
    const { store } = openStore(home, { clock, holder: 'two', processes: processes(2) });
    await expect(store.remove('a:b')).rejects.toMatchObject({ name: 'SessionBusy' });
    expect(await readdir(join(home, 'sessions'))).toEqual(['a_b.jsonl']);
  });
});

describe("sessions beside nanobot's home", () => {
  it('are copied in once, at the first list or open; the originals stay; a removed one does not come back', async () => {
    const { root, home } = await tempHome();
    const original = `${pythonMetadata('cli:direct')}\n{"role": "user", "content": "from before", "timestamp": "2026-03-01T10:00:01"}\n`;
    await given(join(root, 'sessions', 'cli_direct.jsonl'), original);
    await given(join(root, 'sessions', 'a_b.jsonl'), `${pythonMetadata('a:b')}\n`);
    await given(sessionPath(home, 'a_b'), `${pythonMetadata('a:b')}\n{"role":"user","content":"newer"}\n`);
    const { store } = openStore(home);
    const session = await store.open('cli:direct');
    expect(session.messages).toMatchObject([{ content: 'from before' }]);
    expect((await store.open('a:b')).messages).toHaveLength(1);
    await session.append([user('more')]);
    expect(await readFile(join(root, 'sessions', 'cli_direct.jsonl'), 'utf8')).toBe(original);
    await store.remove('cli:direct');
    const again = openStore(home, { holder: 'later' }).store;
    expect((await again.list()).map(({ key }) => key)).toEqual(['a:b']);
  });

  it('are left alone where the home has a name of its own', async () => {
    const { root } = await tempHome();
    await given(join(root, 'sessions', 'cli_direct.jsonl'), `${pythonMetadata('cli:direct')}\n`);
    expect(await openStore(join(root, 'project')).store.list()).toEqual([]);
  });
});

describe('opening a session', () => {
  it('is done once for all who ask, and again after it was closed', async () => {
    const { home } = await tempHome();
    const { store } = openStore(home);
    const [one, two] = await Promise.all([store.open('a:b'), store.open('a:b')]);
    expect(one).toBe(two);
    await one.append([user('1')]);
    await store.close('a:b');
    expect(await readdir(join(home, '.nanobot', 'locks'))).toEqual([]);
    await appendFile(one.path, '{"role":"user","content":"2"}\n');
    expect((await store.open('a:b')).messages).toHaveLength(2);
  });

  it('can be tried again after the disk refused', async () => {
    const { home } = await tempHome();
    await given(sessionPath(home, 'a_b'), `${pythonMetadata('a:b')}\n`);
    let broken = true;
    const files = nodeFiles();
    const stat = (path: string) =>
      broken ? Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) : files.stat(path);
    const { store } = openStore(home, { files: { ...files, stat } });
    await expect(store.open('a:b')).rejects.toMatchObject({ code: 'EIO' });
    broken = false;
    expect((await store.open('a:b')).messages).toEqual([]);
  });
});
