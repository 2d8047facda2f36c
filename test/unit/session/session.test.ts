import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { faultyFiles } from '../../support/faultyFiles.js';
import { tempHome } from '../../support/tempHome.js';
import { assistant, given, linesOf, openStore, pythonMetadata, result, sessionPath, user } from './setup.js';

const contents = (messages: readonly { content: unknown }[]) => messages.map(({ content }) => content);

describe('writing a session', () => {
  it('creates nothing on disk until something is written', async () => {
    const { root, home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    expect(session.messages).toEqual([]);
    expect(session.interrupted()).toBe(false);
    expect(await readdir(root)).toEqual([]);
  });

  it("starts a file with metadata in nanobot's form and gives messages an id and a time", async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    const stored = await session.append([user('hi'), { role: 'assistant', content: 'hello', timestamp: '' }], {
      flush: true,
    });
    const lines = (await linesOf(sessionPath(home, 'cli_direct'))).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    expect(lines[0]).toEqual({
      _type: 'metadata',
      key: 'cli:direct',
      created_at: '2026-04-03T00:02:00.000Z',
      updated_at: '2026-04-03T00:02:00.000Z',
      metadata: {},
      last_consolidated: 0,
    });
    expect(lines.slice(1)).toEqual(stored);
    expect(session.messages).toEqual(stored);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2);
    expect(stored[1]?.timestamp).toBe('2026-04-03T00:02:00.000Z');
  });

  it('keeps the order of appends that nobody waited for, and the ids they came with', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    await Promise.all(Array.from({ length: 30 }, (_, n) => session.append([user(`${n}`, { id: `u${n}` })])));
    const { store } = openStore(home);
    const again = await store.open('cli:direct');
    expect(contents(again.messages)).toEqual(Array.from({ length: 30 }, (_, n) => `${n}`));
    expect(again.messages[7]?.id).toBe('u7');
  });

  it('writes one line for a change of metadata, none for a change that changes nothing, and the last one wins', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    await session.append([user('hi')]);
    await session.setMetadata({ title: 'Tea', workspace: '/w' });
    await session.setMetadata({ title: 'Tea' });
    await session.setMetadata({ workspace: undefined, archivedTo: 1 }, { lastConsolidated: 1 });
    expect(await linesOf(session.path)).toHaveLength(4);
    const again = await openStore(home).store.open('cli:direct');
    expect(again.metadata).toMatchObject({ metadata: { title: 'Tea', archivedTo: 1 }, last_consolidated: 1 });
    expect(again.metadata.metadata).not.toHaveProperty('workspace');
  });

  it('leaves hidden messages in the file and out of the conversation', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    await session.append([user('a'), assistant('b'), user('c'), assistant('d')]);
    await session.hide(2, 4);
    await session.append([user('c2')]);
    const again = await openStore(home).store.open('cli:direct');
    expect(contents(again.visible())).toEqual(['a', 'b', 'c2']);
    expect(contents(again.messages)).toEqual(['a', 'b', 'c', 'd', 'c2']);
    await again.hide(1, 3);
    expect(again.metadata.metadata['hidden']).toEqual([[1, 4]]);
  });

  it('gives the model what is not yet consolidated, without failures that have no text', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    const failure = {
      ...assistant(null),
      status: 'error' as const,
      error: { code: 'auth', message: 'No key.', next: [] },
    };
    await session.append([user('old'), assistant('old answer'), user('new'), failure, assistant('answer')]);
    await session.setMetadata({}, { lastConsolidated: 2 });
    expect(contents(session.forModel())).toEqual(['new', 'answer']);
  });

  it('compacts only when metadata lines outnumber messages, and keeps every byte of the messages', async () => {
    const { home } = await tempHome();
    const odd =
      '{"role": "user",  "content": "h\\u00e9", "timestamp": "2026-03-01T10:00:01", "sender_id": "42", "x": [1, 2.50]}';
    await given(
      sessionPath(home, 'cli_direct'),
      `${pythonMetadata('cli:direct')}\r\n${odd}\r\n{"_type":"note","of":"another program"}\n`,
    );
    const session = await openStore(home).store.open('cli:direct');
    for (let n = 0; n < 14; n += 1) await session.setMetadata({ n });
    expect(await linesOf(session.path)).toHaveLength(17);
    await session.setMetadata({ n: 14 });
    const lines = await linesOf(session.path);
    expect(lines).toHaveLength(3);
    expect(lines.slice(1)).toEqual([odd, '{"_type":"note","of":"another program"}']);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      _type: 'metadata',
      created_at: '2026-03-01T10:00:00.123456',
      metadata: { n: 14 },
    });
    expect(session.messages[0]).toMatchObject({ id: 'line-2', sender_id: '42' });
    await session.append([user('more')]);
    expect((await openStore(home).store.open('cli:direct')).messages).toHaveLength(2);
  });
});

it('does not compact a file that has more messages than metadata lines', async () => {
  const { home } = await tempHome();
  const session = await openStore(home).store.open('cli:direct');
  await session.append(Array.from({ length: 21 }, (_, n) => user(`${n}`)));
  for (let n = 0; n < 20; n += 1) await session.setMetadata({ n });
  expect(await linesOf(session.path)).toHaveLength(42);
  await session.setMetadata({ n: 20 });
  expect(await linesOf(session.path)).toHaveLength(22);
});

describe('reading what others wrote', () => {
  it("loads nanobot's sessions: no ids, naive times, foreign fields, which survive a round trip", async () => {
    const { home } = await tempHome();
    const path = sessionPath(home, 'telegram_123');
    const lines = [
      pythonMetadata('telegram:123', { metadata: { last_channel: 'telegram' }, last_consolidated: 1 }).replace(
        '}$',
        '',
      ),
      '{"role": "user", "content": "hello", "timestamp": "2026-03-01T10:00:01.5", "sender_id": "9"}',
      '{"role": "assistant", "content": "hi", "reasoning_content": "hm", "thinking_blocks": [{"type": "thinking", "thinking": "t", "signature": "s"}], "tools_used": ["exec"]}',
    ];
    await given(path, `${lines.join('\n')}\n`);
    const session = await openStore(home).store.open('telegram:123');
    expect(session.messages.map(({ id }) => id)).toEqual(['line-2', 'line-3']);
    expect(session.messages[1]).toMatchObject({
      reasoning_content: 'hm',
      tools_used: ['exec'],
      timestamp: '2026-03-01T10:00:00.123456',
    });
    expect(contents(session.forModel())).toEqual(['hi']);
    await session.setMetadata({ title: 'T' });
    expect((await linesOf(path)).slice(0, 3)).toEqual(lines);
    expect(session.metadata.metadata).toEqual({ last_channel: 'telegram', title: 'T' });
  });

  it('keeps fields of the metadata line that it does not know', async () => {
    const { home } = await tempHome();
    await given(sessionPath(home, 'a_b'), '{"_type":"metadata","key":"a:b","metadata":{},"provider_state":{"v":1}}\n');
    const session = await openStore(home).store.open('a:b');
    await session.setMetadata({ title: 'T' });
    expect(JSON.parse((await linesOf(session.path))[1] ?? '')).toMatchObject({
      provider_state: { v: 1 },
      metadata: { title: 'T' },
    });
  });

  it('takes a BOM, CRLF, blank lines and a last line without an end', async () => {
    const { home } = await tempHome();
    const path = sessionPath(home, 'a_b');
    await given(
      path,
      `\ufeff${pythonMetadata('a:b')}\r\n\r\n{"role":"user","content":"one"}\r\n{"role":"user","content":"two"}`,
    );
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    expect(contents(session.messages)).toEqual(['one', 'two']);
    await session.append([user('three')]);
    expect(contents((await openStore(home).store.open('a:b')).messages)).toEqual(['one', 'two', 'three']);
    expect(notices).toEqual([]);
  });

  it('puts right what a message may lack and does not take other things for messages', async () => {
    const { home } = await tempHome();
    const calls = [{ id: 'c', function: { name: 'exec', arguments: { a: 1 } } }, { id: 'd' }, 'x'];
    await given(
      sessionPath(home, 'a_b'),
      [
        { role: 'assistant', tool_calls: calls },
        { role: 'assistant', content: { a: 1 }, tool_calls: 'x' },
        { role: 'narrator', content: 'x' },
        { _type: 'summary', content: 'x' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    expect(session.messages).toEqual([
      {
        role: 'assistant',
        content: null,
        timestamp: '',
        id: 'line-2',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'exec', arguments: '{"a":1}' } }],
      },
      { role: 'assistant', content: '{"a":1}', timestamp: '', id: 'line-3' },
    ]);
    expect(notices).toEqual([]);
  });

  it('quarantines broken lines with file and number once it may write, loads the rest, and says so once', async () => {
    const { home } = await tempHome();
    const path = sessionPath(home, 'a_b');
    const good = (text: string) => `{"role":"user","content":"${text}"}\n`;
    const binary = Buffer.concat([Buffer.from(good('2')), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(good('3'))]);
    await given(
      path,
      Buffer.concat([
        Buffer.from(`${pythonMetadata('a:b')}\n${good('1')}{"role":"us\n42\n`),
        binary,
        Buffer.from('{"torn'),
      ]),
    );
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    expect(contents(session.messages)).toEqual(['1', '2', '3']);
    expect(notices).toEqual([expect.stringContaining('4 lines, first line 3,')]);
    expect(await readdir(home)).toEqual(['sessions']);
    await session.append([user('4')]);
    expect(notices).toHaveLength(1);
    const kept = (await linesOf(join(home, '.nanobot', 'quarantine', 'a_b.jsonl'))).map(
      (line) => JSON.parse(line) as object,
    );
    expect(kept).toMatchObject([
      { file: path, line: 3, text: '{"role":"us' },
      { line: 4, text: '42', reason: 'not a JSON object' },
      { line: 6, base64: Buffer.from([0xff, 0xfe]).toString('base64') },
      { line: 8, text: '{"torn' },
    ]);
    expect(
      (await readFile(path, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as object),
    ).toHaveLength(5);
    expect(contents((await openStore(home).store.open('a:b')).messages)).toEqual(['1', '2', '3', '4']);
  });

  it('leaves a half-written last line alone while another process holds the lease', async () => {
    const { home } = await tempHome();
    const writer = await openStore(home, { holder: 'writer' }).store.open('a:b');
    await writer.append([user('1')]);
    await appendFile(writer.path, '{"role":"user","con');
    const { store, notices } = openStore(home, { holder: 'reader' });
    const reader = await store.open('a:b');
    expect(contents(reader.messages)).toEqual(['1']);
    await appendFile(writer.path, 'tent":"2"}\n');
    await reader.refresh();
    expect(contents(reader.messages)).toEqual(['1', '2']);
    expect(notices).toEqual([]);
  });
});

it('quarantines nothing that turns out whole at a second look', async () => {
  const { home } = await tempHome();
  const path = sessionPath(home, 'a_b');
  await given(path, `${pythonMetadata('a:b')}\n{"role":"user","con`);
  const session = await openStore(home).store.open('a:b');
  expect(session.messages).toEqual([]);
  await appendFile(path, 'tent":"1"}\n');
  await session.append([user('2')]);
  expect(contents(session.messages)).toEqual(['1', '2']);
  expect(await readdir(join(home, '.nanobot'))).toEqual(['locks']);
  expect(await linesOf(path)).toHaveLength(3);
});

describe('a write that fails', () => {
  it.each(['nothing', 'half', 'all'] as const)(
    'keeps list and file equal when the disk is full and %s was written',
    async (done) => {
      const { home } = await tempHome();
      await (await openStore(home, { holder: 'first' }).store.open('a:b')).append([user('1')]);
      await rm(join(home, '.nanobot'), { recursive: true });
      const counting = faultyFiles(nodeFiles(), { at: 1, kind: 'fail', done });
      const session = await openStore(home, { files: counting }).store.open('a:b');
      await session.acquire();
      await expect(session.append([user('2')])).rejects.toThrow(
        /Could not save the chat to .*a_b\.jsonl: the disk is full/,
      );
      expect(contents(session.messages)).toEqual(['1']);
      expect(await linesOf(session.path)).toHaveLength(2);
      await session.append([user('3')]);
      expect(contents(session.messages)).toEqual(['1', '3']);
      const { store, notices } = openStore(home, { holder: 'late' });
      expect(contents((await store.open('a:b')).messages)).toEqual(['1', '3']);
      expect(notices).toEqual([]);
    },
  );

  it('starts on a fresh line where a half-written one could not even be cut off', async () => {
    const { home } = await tempHome();
    const files = faultyFiles(nodeFiles(), { at: 2, kind: 'fail', done: 'half' });
    const stubborn = { ...files, truncate: () => Promise.reject(new Error('no')) };
    const session = await openStore(home, { files: stubborn }).store.open('a:b');
    await session.append([user('1')]);
    await expect(session.append([user('2')])).rejects.toMatchObject({ code: 'ENOSPC' });
    await session.append([user('3')]);
    expect(contents(session.messages)).toEqual(['1', '3']);
    const again = await openStore(home, { holder: 'late' }).store.open('a:b');
    expect(contents(again.messages)).toEqual(['1', '3']);
  });
});

describe('a file that changes under us', () => {
  it('tells a listener of what another process appended, having read only that', async () => {
    const { home } = await tempHome();
    const writer = await openStore(home, { holder: 'writer' }).store.open('a:b');
    await writer.append([user('x'.repeat(1_000_000))]);
    const files = nodeFiles();
    let read = 0;
    const counted = {
      ...files,
      readRange: (path: string, from: number, length: number) => (
        (read += length),
        files.readRange(path, from, length)
      ),
    };
    const reader = await openStore(home, { holder: 'reader', files: counted }).store.open('a:b');
    read = 0;
    const seen = new Promise((resolve) => reader.onExternalChange(resolve));
    await writer.append([user('2'), assistant('3')]);
    expect(await seen).toMatchObject({ kind: 'appended', messages: [{ content: '2' }, { content: '3' }] });
    expect(reader.messages).toEqual(writer.messages);
    expect(read).toBeLessThan(10_000);
  });

  it('watches the folder only while somebody listens', async () => {
    const { home } = await tempHome();
    const files = nodeFiles();
    let watches = 0;
    const counted = {
      ...files,
      watch: (path: string, changed: () => void) => {
        if (!path.endsWith('sessions')) return files.watch(path, changed);
        watches += 1;
        const watch = files.watch(path, changed);
        return { dispose: () => ((watches -= 1), watch.dispose()) };
      },
    };
    const { store } = openStore(home, { files: counted });
    const [one, two] = [await store.open('a:1'), await store.open('a:2')];
    const first = one.onExternalChange(() => undefined);
    const second = two.onExternalChange(() => undefined);
    expect(watches).toBe(1);
    first.dispose();
    second.dispose();
    expect(watches).toBe(0);
  });

  it('loads a session again that another program rewrote, and says so', async () => {
    const { home } = await tempHome();
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1'), assistant('2')]);
    const changes: unknown[] = [];
    session.onExternalChange((change) => changes.push(change));
    await given(session.path, `${pythonMetadata('a:b')}\n{"role":"user","content":"other"}\n`);
    await session.append([user('3')]);
    expect(contents(session.messages)).toEqual(['other', '3']);
    expect(notices).toEqual(['Another program rewrote the chat a:b; it was loaded again.']);
    expect(changes).toContainEqual({ kind: 'reloaded' });
  });

  it('says so too where the rewrite kept every message and we hold the lease: another program is at work', async () => {
    const { home } = await tempHome();
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1')]);
    const message = (await linesOf(session.path))[1] ?? '';
    await given(session.path, `${pythonMetadata('a:b')}\n${message}\n{"role":"user","content":"2"}\n`);
    await session.append([user('3')]);
    expect(contents(session.messages)).toEqual(['1', '2', '3']);
    expect(notices).toHaveLength(1);
  });

  it('notices a rewrite in place to the same size', async () => {
    const { home } = await tempHome();
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1')]);
    await given(session.path, (await readFile(session.path, 'utf8')).replace('"content":"1"', '"content":"7"'));
    await session.refresh();
    expect(contents(session.messages)).toEqual(['7']);
    expect(notices).toHaveLength(1);
  });

  it.each([
    ['its start, as nanobot does when it saves', (text: string) => text.replace('2026-03-02', '2026-03-05')],
    ['its end', (text: string) => text.replace('"last"', '"LAST"')],
  ])('notices a rewrite in place that changed %s and made the file longer', async (_what, change) => {
    const { home } = await tempHome();
    const path = sessionPath(home, 'a_b');
    const text = `${pythonMetadata('a:b')}\n{"role":"user","content":"${'x'.repeat(1_000)}"}\n{"role":"user","content":"last"}\n`;
    await given(path, text);
    const session = await openStore(home).store.open('a:b');
    await given(path, `${change(text)}{"role":"user","content":"more"}\n`);
    await session.refresh();
    const fresh = await openStore(home).store.open('a:b');
    expect(session.messages).toEqual(fresh.messages);
    expect(session.metadata).toEqual(fresh.metadata);
  });

  it('does not compact away what another program wrote at that moment', async () => {
    const { home } = await tempHome();
    const files = nodeFiles();
    let path = '';
    const meddled = {
      ...files,
      readRange: async (from: string, offset: number, length: number) => {
        const bytes = await files.readRange(from, offset, length);
        if (from === path && offset === 0 && length > 1_000) {
          path = '';
          await appendFile(from, '{"role":"user","content":"theirs"}\n');
        }
        return bytes;
      },
    };
    const session = await openStore(home, { files: meddled }).store.open('a:b');
    await session.append([user('1')]);
    for (let n = 0; n < 14; n += 1) await session.setMetadata({ n });
    path = session.path;
    await session.setMetadata({ n: 14 });
    await session.append([user('2')]);
    expect(contents(session.messages)).toEqual(['1', 'theirs', '2']);
    expect(contents((await openStore(home).store.open('a:b')).messages)).toEqual(['1', 'theirs', '2']);
  });

  it("takes another window's compaction for what it is: nothing new", async () => {
    const { home } = await tempHome();
    const writer = await openStore(home, { holder: 'writer' }).store.open('a:b');
    await writer.append([user('1')]);
    const { store, notices } = openStore(home, { holder: 'reader' });
    const reader = await store.open('a:b');
    for (let n = 0; n < 20; n += 1) await writer.setMetadata({ n });
    expect((await linesOf(writer.path)).length).toBeLessThan(10);
    await reader.refresh();
    expect(reader.messages).toEqual(writer.messages);
    expect(reader.metadata.metadata).toEqual({ n: 19 });
    expect(notices).toEqual([]);
  });

  it('says so when the file is gone, and starts it anew with the next message', async () => {
    const { home } = await tempHome();
    const { store, notices } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1')]);
    await rm(session.path);
    await session.append([user('2')]);
    expect(contents(session.messages)).toEqual(['2']);
    expect(await linesOf(session.path)).toHaveLength(2);
    expect(notices).toEqual([expect.stringContaining('was removed by another program')]);
  });
});

describe('an unfinished turn', () => {
  async function after(...messages: ReturnType<typeof user>[]) {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('a:b');
    await session.append(messages);
    return { home, session };
  }

  it.each([
    ['a user message without an answer', [user('q')], 'unanswered', []],
    ['calls without results', [user('q'), assistant(null, ['a', 'b', 'c']), result('a')], 'calls', ['b', 'c']],
    ['results without an answer', [user('q'), assistant(null, ['a']), result('a')], 'unanswered', []],
  ])('is interrupted after %s', async (_what, messages, kind, missing) => {
    const { session } = await after(...messages);
    expect(session.interrupted()).toBe(true);
    expect(session.interruption()).toMatchObject({ kind, missing: missing.map((id) => ({ id })) });
  });

  it.each([
    ['an answer', [user('q'), assistant('a')]],
    ['a failure', [user('q'), { ...assistant(null), status: 'error' as const }]],
    ['a stop', [user('q'), { ...assistant('half', ['a']), status: 'aborted' as const }]],
    [
      'a stopped call',
      [user('q'), assistant(null, ['a']), { ...result('a'), tool: { status: 'aborted' as const, summary: '', ms: 1 } }],
    ],
  ])('is none after %s', async (_what, messages) => {
    const { session } = await after(...messages);
    expect(session.interrupted()).toBe(false);
  });

  it('gets results that say the effect is unknown for the calls that have none', async () => {
    const { home, session } = await after(
      user('q', { turn_id: 't' }),
      { ...assistant(null, ['a', 'b']), turn_id: 't' },
      { ...result('a'), turn_id: 't' },
    );
    const written = await session.settle();
    expect(written).toMatchObject([
      {
        role: 'tool',
        tool_call_id: 'b',
        turn_id: 't',
        content: 'Error: interrupted before this finished; its effect is unknown',
      },
    ]);
    expect(session.interruption()).toMatchObject({ kind: 'unanswered', missing: [] });
    expect(await session.settle()).toEqual([]);
    expect((await openStore(home).store.open('a:b')).messages).toHaveLength(4);
  });

  it("restores nanobot's checkpoint: the answer and its finished calls, each once", async () => {
    const { home } = await tempHome();
    const call = (id: string) => ({ id, type: 'function', function: { name: 'exec', arguments: '{}' } });
    const checkpoint = {
      phase: 'awaiting_tools',
      assistant_message: { role: 'assistant', content: 'let me', tool_calls: [call('a'), call('b')] },
      completed_tool_results: [{ role: 'tool', tool_call_id: 'a', name: 'exec', content: 'ok' }, 'odd'],
      pending_tool_calls: [call('b')],
    };
    const metadata = { runtime_checkpoint: checkpoint, pending_user_turn: true, title: 'T' };
    const stored = {
      role: 'assistant',
      content: 'let me',
      tool_calls: [call('a'), call('b')],
      timestamp: '2026-03-01T10:00:02',
    };
    await given(
      sessionPath(home, 'a_b'),
      `${pythonMetadata('a:b', { metadata })}\n{"role":"user","content":"q","timestamp":"2026-03-01T10:00:01"}\n${JSON.stringify(stored)}\n`,
    );
    const session = await openStore(home).store.open('a:b');
    expect(session.interruption()).toMatchObject({
      kind: 'calls',
      missing: [{ id: 'b' }],
      restored: [{ tool_call_id: 'a' }],
    });
    await session.settle();
    expect(session.messages.map(({ role, tool_call_id }) => [role, tool_call_id])).toEqual([
      ['user', undefined],
      ['assistant', undefined],
      ['tool', 'a'],
      ['tool', 'b'],
    ]);
    expect(session.metadata.metadata).toEqual({ title: 'T' });
    expect((await openStore(home, { holder: 'late' }).store.open('a:b')).messages).toEqual(session.messages);
  });

  it("writes an answer that stood only in nanobot's checkpoint, and counts the turn as ended", async () => {
    const { home } = await tempHome();
    const metadata = {
      runtime_checkpoint: { phase: 'final_response', assistant_message: { role: 'assistant', content: 'done' } },
    };
    await given(sessionPath(home, 'a_b'), `${pythonMetadata('a:b', { metadata })}\n{"role":"user","content":"q"}\n`);
    const session = await openStore(home).store.open('a:b');
    expect(session.interrupted()).toBe(false);
    await session.settle();
    expect(contents(session.messages)).toEqual(['q', 'done']);
  });

  it.each([null, 42, [], { assistant_message: 3, completed_tool_results: { a: 1 } }])(
    'survives the odd checkpoint %j',
    async (checkpoint) => {
      const { home } = await tempHome();
      await given(
        sessionPath(home, 'a_b'),
        `${pythonMetadata('a:b', { metadata: { runtime_checkpoint: checkpoint } })}\n`,
      );
      const session = await openStore(home).store.open('a:b');
      expect(session.interrupted()).toBe(false);
      await session.settle();
      expect(session.metadata.metadata).toEqual({});
    },
  );
});

it('needs no folder that could already be there', async () => {
  const { home } = await tempHome();
  await mkdir(join(home, 'sessions'), { recursive: true });
  const session = await openStore(home).store.open('a:b');
  await session.append([user('1')]);
  expect(await readdir(join(home, 'sessions'))).toEqual(['a_b.jsonl']);
});
