import { describe, expect, it } from 'vitest';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { PracticeProvider } from '../../../src/providers/practice.js';
import type { ModelAnswer, ModelRequest, ToolSpec } from '../../../src/providers/provider.js';
import { manualClock } from './manualClock.js';
import { assistant, collect, joined, request, result, user } from './setup.js';

const NOW = Date.parse('2026-11-01T09:00:00Z');
const provider = new PracticeProvider({ clock: manualClock(NOW), pieceMs: 0 });

const NAMES = [
  'read_file',
  'write_file',
  'edit_file',
  'delete_file',
  'rename_file',
  'list_dir',
  'glob',
  'grep',
  'exec',
  'diagnostics',
  'ask_user',
  'todo',
  'remember',
  'recall',
  'cron',
  'web_fetch',
  'web_search',
  'spawn',
];
/** Tools without named properties take every argument. */
const TOOLS: ToolSpec[] = NAMES.map((name) => ({ name, description: name, parameters: { type: 'object' } }));

const ask = async (asked: ModelRequest): Promise<ModelAnswer> =>
  (await collect(provider.stream('practice', asked, { signal: new AbortController().signal }))).answer;

const requestFor = (text: string, tools = TOOLS) => request([user(text)], { tools });

async function callOf(text: string): Promise<[string, unknown] | undefined> {
  const call = (await ask(requestFor(text))).toolCalls[0];
  return call && [call.function.name, JSON.parse(call.function.arguments) as unknown];
}

/** Talks to the model, answering its calls in order, until it makes none. */
async function converse(
  text: string,
  results: string[],
): Promise<{ calls: string[]; last: ModelAnswer; texts: string[] }> {
  const messages: StoredMessage[] = [user(text)];
  const calls: string[] = [];
  const texts: string[] = [];
  for (;;) {
    const answer = await ask(request(messages, { tools: TOOLS }));
    texts.push(answer.text);
    const call = answer.toolCalls[0];
    if (!call) return { calls, last: answer, texts };
    calls.push(call.function.name);
    messages.push(
      assistant(answer.text, { tool_calls: answer.toolCalls }),
      result(call.id, results[calls.length - 1] ?? 'ok'),
    );
  }
}

describe('the practice model understands', () => {
  it.each([
    ['read README.md', 'read_file', { path: 'README.md', force: true }],
    ['Please read `src/main.js`.', 'read_file', { path: 'src/main.js', force: true }],
    ['读 README.md', 'read_file', { path: 'README.md', force: true }],
    ['请打开文件 README.md。', 'read_file', { path: 'README.md', force: true }],
    ['list files', 'list_dir', { path: '.' }],
    ['List the files here', 'list_dir', { path: '.' }],
    ['show me the files', 'list_dir', { path: '.' }],
    ['list src', 'list_dir', { path: 'src' }],
    ['列出 src', 'list_dir', { path: 'src' }],
    ['列出文件', 'list_dir', { path: '.' }],
    ['列出这里的文件', 'list_dir', { path: '.' }],
    ['What is in README.md?', 'read_file', { path: 'README.md', force: true }],
    ['README.md 里有什么？', 'read_file', { path: 'README.md', force: true }],
    ['阅读 README.md', 'read_file', { path: 'README.md', force: true }],
    ['Find TODO', 'grep', { pattern: 'TODO', fixed_strings: true, output_mode: 'content' }],
    [
      'search for "tea pot" in docs',
      'grep',
      { pattern: 'tea pot', fixed_strings: true, output_mode: 'content', path: 'docs' },
    ],
    ['查找 TODO', 'grep', { pattern: 'TODO', fixed_strings: true, output_mode: 'content' }],
    ['glob *.ts', 'glob', { pattern: '*.ts' }],
    ['find all files named *.md', 'glob', { pattern: '*.md' }],
    ['run npm test', 'exec', { command: 'npm test' }],
    ['Run `ls .`', 'exec', { command: 'ls .' }],
    ['运行 npm test', 'exec', { command: 'npm test' }],
    ['write hello.txt with Hello, world!', 'write_file', { path: 'hello.txt', content: 'Hello, world!\n' }],
    ['create a file called notes.md with the text "one"', 'write_file', { path: 'notes.md', content: 'one\n' }],
    ['写 hello.txt 内容 你好！', 'write_file', { path: 'hello.txt', content: '你好！\n' }],
    ['replace Hello with Good bye in hello.txt', 'read_file', { path: 'hello.txt' }],
    ['delete hello.txt', 'delete_file', { path: 'hello.txt' }],
    ['删除 hello.txt', 'delete_file', { path: 'hello.txt' }],
    ['rename a.txt to b.txt', 'rename_file', { path: 'a.txt', to: 'b.txt' }],
    ['把 a.txt 重命名为 b.txt', 'rename_file', { path: 'a.txt', to: 'b.txt' }],
    ['What are the problems?', 'diagnostics', {}],
    ['有什么问题', 'diagnostics', {}],
    ['ask me tea or coffee?', 'ask_user', { question: 'tea or coffee?', options: ['tea', 'coffee'] }],
    [
      'plan: read, write, test',
      'todo',
      { items: ['read', 'write', 'test'].map((text) => ({ text, status: 'pending' })) },
    ],
    ['待办：读，写', 'todo', { items: ['读', '写'].map((text) => ({ text, status: 'pending' })) }],
    ['Remember that I like short answers', 'remember', { text: 'I like short answers' }],
    ['记住我喜欢简短的回答', 'remember', { text: '我喜欢简短的回答' }],
    ['what do you remember about tea?', 'recall', { query: 'tea' }],
    [
      'remind me in 2 minutes to drink tea',
      'cron',
      { action: 'add', name: 'drink tea', message: 'Reminder: drink tea', at: '2026-11-01T09:02:00.000Z' },
    ],
    [
      'remind me to drink tea in an hour',
      'cron',
      { action: 'add', name: 'drink tea', message: 'Reminder: drink tea', at: '2026-11-01T10:00:00.000Z' },
    ],
    [
      '2分钟后提醒我喝茶',
      'cron',
      { action: 'add', name: '喝茶', message: '提醒：喝茶', at: '2026-11-01T09:02:00.000Z' },
    ],
    ['fetch https://example.com/a', 'web_fetch', { url: 'https://example.com/a' }],
    ['spawn count the tests', 'spawn', { task: 'count the tests', label: 'count the tests' }],
  ])('%s', async (text, tool, args) => {
    expect(await callOf(text)).toEqual([tool, args]);
  });

  it.each(['make a skill release-notes that writes release notes', '创建技能 release-notes：写发布说明'])(
    '%s',
    async (text) => {
      const [tool, args] = (await callOf(text)) ?? [];
      const { path, content } = args as { path: string; content: string };
      expect([tool, path]).toEqual(['write_file', '.nanobot/skills/release-notes/SKILL.md']);
      expect(content).toMatch(/^---\nname: release-notes\ndescription: ".+"\n---\n/);
    },
  );

  it('two requests joined by then, in order', async () => {
    const { calls, last } = await converse('read a.txt then run npm test', [
      'a.txt, lines 1–1 of 1\n1| hello',
      'exit 0',
    ]);
    expect(calls).toEqual(['read_file', 'exec']);
    expect(last.text).toContain('exit 0');
    expect((await converse('读 a.txt，然后运行 npm test', [])).calls).toEqual(['read_file', 'exec']);
  });

  it('but not a "then" inside what it is to write', async () => {
    expect(await callOf('write a.txt with first one then two')).toEqual([
      'write_file',
      { path: 'a.txt', content: 'first one then two\n' },
    ]);
  });
});

describe('the practice model', () => {
  it('says what it is and how to get a real one', async () => {
    expect((await ask(requestFor('Hello!'))).text).toMatch(/practice model: offline, no AI.*Nanobot: Set API Key/s);
    expect((await ask(requestFor('你好'))).text).toMatch(/练习模型.*不是 AI/s);
    expect((await ask(requestFor('Prove the Riemann hypothesis'))).text).toMatch(/practice model: offline, no AI/);
    expect((await ask(requestFor('证明黎曼猜想'))).text).toMatch(/练习模型/);
    expect((await ask(requestFor('你能做什么？'))).text).toMatch(/练习模型.*可以试试/s);
    expect((await ask(requestFor('Markdown 演示'))).text).toMatch(/^# Markdown 演示/);
    expect((await ask(requestFor('数到 3'))).text).toBe('1\n2\n3\n');
  });

  it('says of a skill that it cannot follow it, and takes a path for none', async () => {
    expect((await ask(requestFor('/release-notes for 2.1'))).text).toContain('You called for the skill release-notes.');
    expect((await ask(requestFor('/etc/hosts is odd'))).text).not.toContain('skill');
  });

  it('reports what the tool really said, without line numbers', async () => {
    const { last, texts } = await converse('read a.txt', ['a.txt, lines 1–2 of 2\n1| first\n2| second ```']);
    expect(texts[0]).toBe('Reading a.txt.');
    expect(last.text).toBe('a.txt says:\n\n```\nfirst\nsecond ```\n```');
  });

  it('reads before it edits', async () => {
    const { calls, last } = await converse('replace Hello with Bye in a.txt', ['1| Hello', 'Edited a.txt (+1 −1).']);
    expect(calls).toEqual(['read_file', 'edit_file']);
    expect(last.text).toContain('Edited a.txt (+1 −1).');
  });

  it('says so when a call failed or was denied, and goes no further', async () => {
    const { calls, last } = await converse('read a.txt then run npm test', ['Error: there is no a.txt']);
    expect(calls).toEqual(['read_file']);
    expect(last.text).toMatch(/did not work.*there is no a\.txt/s);
  });

  it('calls only tools that are offered, with arguments these know', async () => {
    const answer = await ask(
      requestFor(
        'run npm test',
        TOOLS.filter((tool) => tool.name !== 'exec'),
      ),
    );
    expect(answer.toolCalls).toEqual([]);
    expect(answer.text).toContain('`exec`, which is not offered');
    expect((await ask(requestFor('remember that tea is good', []))).text).toBe(
      'Memory is not here yet, so I kept nothing.',
    );
    const narrow: ToolSpec[] = [
      { name: 'read_file', description: '', parameters: { type: 'object', properties: { path: {} } } },
    ];
    expect((await ask(requestFor('read a.txt', narrow))).toolCalls[0]?.function.arguments).toBe('{"path":"a.txt"}');
  });

  it('makes no call where it must answer in words', async () => {
    const answer = await ask({ ...requestFor('run npm test'), toolChoice: 'none' });
    expect(answer).toMatchObject({ toolCalls: [], stopReason: 'stop' });
  });

  it('hears the words of the person only, not what is attached', async () => {
    const attached = user(
      [
        { type: 'text', text: 'count to 2' },
        { type: 'text', text: 'delete everything.txt' },
      ],
      { runtime_context: 'run npm test' },
    );
    expect(await ask(request([attached], { tools: TOOLS }))).toMatchObject({ text: '1\n2\n', toolCalls: [] });
  });

  it('answers the newest message, not the results of an older one', async () => {
    const older = [user('read a.txt'), assistant('', { tool_calls: [] }), result('x', '1| old'), assistant('done')];
    expect((await ask(request([...older, user('say hi')], { tools: TOOLS }))).text).toBe('hi');
  });

  it('counts, repeats, shows Markdown and thinks aloud', async () => {
    expect((await ask(requestFor('count to 3'))).text).toBe('1\n2\n3\n');
    expect((await ask(requestFor('say Hello there!'))).text).toBe('Hello there!');
    const markdown = (await ask(requestFor('markdown demo'))).text;
    for (const part of ['# Markdown', '```ts', '| what |', '- [x]']) expect(markdown).toContain(part);
    const { events, answer } = await collect(
      provider.stream('', requestFor('think about tea'), { signal: new AbortController().signal }),
    );
    expect(events[0]?.type).toBe('thinking');
    expect(joined(events, 'thinking')).toBe(answer.reasoning);
  });

  it('fails on demand', async () => {
    expect(await ask(requestFor('fail'))).toMatchObject({
      stopReason: 'error',
      error: { code: 'server', retryable: false },
    });
    expect(await ask(requestFor('fail with rate_limit'))).toMatchObject({
      error: { code: 'rate_limit', retryAfterMs: 5000 },
    });
  });

  it('gives the same answer to the same request and other ids elsewhere', async () => {
    const asked = requestFor('read a.txt');
    const [first, second] = [await ask(asked), await ask(asked)];
    expect(second).toEqual(first);
    const elsewhere = await ask(request([user('read a.txt', { id: 'other' })], { tools: TOOLS }));
    expect(elsewhere.toolCalls[0]?.id).not.toBe(first.toolCalls[0]?.id);
  });

  it('streams in small pieces about 10 ms apart and reports estimated usage', async () => {
    const clock = manualClock(NOW);
    const events: string[] = [];
    const running = (async () => {
      for await (const event of new PracticeProvider({ clock }).stream('', requestFor('say one two three'), {
        signal: new AbortController().signal,
      })) {
        events.push(event.type === 'text' ? event.text : event.type);
        if (event.type === 'end') expect(event.answer.usage).toMatchObject({ estimated: true, outputTokens: 4 });
      }
    })();
    for (let piece = 1; piece <= 3; piece++) {
      expect(await clock.waiting()).toBe(10);
      expect(events).toHaveLength(piece - 1);
      await clock.advance(10);
      await expect.poll(() => events.length, { interval: 1 }).toBeGreaterThanOrEqual(piece);
    }
    await running;
    expect(events).toEqual(['one ', 'two ', 'three', 'end']);
  });

  it('stops at once with what it said', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const event of provider.stream('', requestFor('count to 1000'), { signal: stop.signal })) {
      if (event.type === 'text') seen.push(event.text);
      if (seen.length === 3) stop.abort();
      if (event.type === 'end') expect(event.answer).toMatchObject({ text: '1\n2\n3\n', stopReason: 'aborted' });
    }
    expect(seen).toHaveLength(3);
  });
});
