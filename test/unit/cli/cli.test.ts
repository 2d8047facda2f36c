import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/event.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { bundledCli } from '../../support/bundledCli.js';
import { historyLines, seedSession, turns } from '../../support/consolidation.js';
import { expectAllParse } from '../../support/kills.js';
import { startModelServer, type ModelServer, type Reply, type Script } from '../../support/modelServer.js';
import { scripts, spawnCall } from '../../support/subagents.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const cli = bundledCli();
/** Runs a command on a terminal of its own. */
const SCRIPT = '/usr/bin/script';

interface Place {
  root: string;
  home: string;
  project: string;
  config: string;
}

async function place(config: object | string = {}): Promise<Place> {
  const { root, home } = await tempHome();
  const found = { root, home, project: join(root, 'project'), config: join(root, 'config.json') };
  mkdirSync(found.project);
  writeFileSync(found.config, typeof config === 'string' ? config : JSON.stringify(config));
  return found;
}

/** A running command line: what it has printed so far, and its end. */
interface Running {
  child: ChildProcess;
  out(): string;
  err(): string;
  /** Its exit status, or the signal that ended it. */
  ended: Promise<number | string>;
}

function environment({ root, home, config }: Place) {
  return {
    PATH: process.env['PATH'],
    HOME: root,
    NANOBOT_HOME: home,
    NANOBOT_CONFIG: config,
    NANOBOT_NO_PROBE: '1',
    OPENAI_API_KEY: 'test-key-1',
  };
}

function start(at: Place, args: string[], input?: string): Running {
  const { project } = at;
  const env = environment(at);
  const child = spawn(process.execPath, [cli(), 'agent', ...args], { cwd: project, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  if (input !== undefined) child.stdin.end(input);
  const ended = once(child, 'close').then(([status, signal]) => (status ?? signal) as number | string);
  return { child, out: () => out, err: () => err, ended };
}

const PRACTICE = { agents: { defaults: { model: 'practice/practice' } } };

async function withServer(script: Script): Promise<{ server: ModelServer; at: Place }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const at = await place({
    agents: { defaults: { model: 'openai/test-model' } },
    providers: { openai: { apiBase: `${server.url}/v1` } },
  });
  return { server, at };
}

function stored({ home }: Place): StoredMessage[] {
  return readFileSync(join(home, 'sessions', 'cli_direct.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"_type"'))
    .map((line) => JSON.parse(line) as StoredMessage);
}

describe('what a script sees', () => {
  it('the answer alone on standard output, progress on standard error, status 0', async () => {
    const { at } = await withServer([
      { text: 'I look.', toolCalls: [{ name: 'list_dir', args: { path: '.' } }] },
      { text: 'It is empty.' },
    ]);
    const run = start(at, ['-m', 'what is here?'], '');
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe('I look.\nIt is empty.\n');
    expect(run.err()).toMatch(/list_dir/);
    expect(stored(at).at(-1)?.content).toBe('It is empty.');
  });

  it('the answer as it streams', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const { at } = await withServer([
      { text: 'The first words and then the rest', chunkSize: 15, gate: (n) => (n === 3 ? held : undefined) },
    ]);
    const run = start(at, ['-m', 'hello'], '');
    await until('the first words', () => run.out().startsWith('The first'));
    expect(run.out()).not.toContain('rest');
    goOn();
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe('The first words and then the rest\n');
  });

  it('one event a line with --json, and nothing else', async () => {
    const { at } = await withServer([{ text: 'Hello.\nAnd more.' }]);
    const run = start(at, ['--json', '-m', 'hello'], '');
    expect(await run.ended).toBe(0);
    const events = run
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AgentEvent);
    expect(events.map((event) => event.type)).toEqual(
      expect.arrayContaining(['user_message', 'turn_start', 'text', 'message_end', 'turn_end']),
    );
    expect(events.at(-1)?.type === 'session' || events.at(-1)?.type === 'turn_end').toBe(true);
  });

  it('status 1 and the reason where the model fails', async () => {
    const { at } = await withServer([{ status: 401, body: { error: { message: 'invalid key' } } }]);
    const run = start(at, ['-m', 'hello'], '');
    expect(await run.ended).toBe(1);
    expect(run.out()).toBe('');
    expect(run.err()).toMatch(/refused the API key/);
  });

  it('status 2 and the usage where it was called wrongly', async () => {
    const at = await place(PRACTICE);
    const wrong: [string[], RegExp][] = [
      [['--workspace', join(at.root, 'missing'), '-m', 'x'], /missing is not a folder/],
      [['--workspace', at.config, '-m', 'x'], /config\.json is not a folder/],
      [['--approval', 'sometimes', '-m', 'x'], /--approval is one of/],
      [['--unknown'], /unknown/],
      [['-m', ' '], /empty/],
      [['hello'], /Not expected: hello/],
    ];
    const runs = wrong.map(([args, says]) => ({ run: start(at, args, ''), says }));
    for (const { run, says } of runs) {
      expect(await run.ended).toBe(2);
      expect(run.err()).toMatch(says);
      expect(run.err()).toContain('Usage:');
    }
  }, 40_000);

  it('what would be asked is denied without a terminal, and the model is told', async () => {
    const call: Reply = { toolCalls: [{ name: 'exec', args: { command: 'touch made' } }] };
    const { at, server } = await withServer([call, { text: 'Then not.' }, call, { text: 'Done.' }]);
    const run = start(at, ['-m', 'make it'], 'y\ny\n');
    expect(await run.ended).toBe(0);
    expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toMatch(/nobody|denied|not allowed|watch/i);
    expect(() => readFileSync(join(at.project, 'made'))).toThrow();
    expect(await start(at, ['--approval', 'all', '-m', 'make it'], '').ended).toBe(0);
    expect(readFileSync(join(at.project, 'made'), 'utf8')).toBe('');
  });

  it('every line of a piped input is a message; commands are answered; the status is that of the last turn', async () => {
    const { at } = await withServer([{ text: 'One.' }, { text: 'Two.' }]);
    const run = start(at, [], 'first\n\n/help\nsecond\n');
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe('One.\nTwo.\n');
    expect(run.err()).toContain('/status');
    expect(run.err()).not.toContain('> ');
    expect(stored(at).map((message) => message.content)).toEqual(['first', 'One.', 'second', 'Two.']);
  });
});

it('a subagent of piped lines is waited for, and its result is the answer’s', async () => {
  const { at } = await withServer(
    scripts([{ toolCalls: [spawnCall('Count the files.')] }, { text: 'Three.' }, { text: 'Bye.' }], () => ({
      text: 'Three files.',
    })),
  );
  const run = start(at, [], 'count\nbye\n');
  expect(await run.ended).toBe(0);
  expect(run.out()).toBe('Three.\nBye.\n');
  expect(stored(at).find(({ role }) => role === 'tool')?.content).toBe('Three files.');
});

it.skipIf(process.platform !== 'linux' || !existsSync(SCRIPT))(
  'subagents that a subagent’s result starts are waited for on a terminal with -m',
  async () => {
    let out = '';
    let begun = 0;
    const { at } = await withServer(
      scripts(
        [
          { toolCalls: [spawnCall('Count the files.')] },
          { text: 'It counts.' },
          { toolCalls: [spawnCall('Count again.')] },
          { text: 'It goes on.' },
          { text: 'Three.' },
        ],
        async () => {
          const words = begun++ === 0 ? 'It counts.' : 'It goes on.';
          await until(words, () => out.includes(words));
          return { text: 'Three files.' };
        },
      ),
    );
    const command = `${process.execPath} ${cli()} agent -m count`;
    const env = environment(at);
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: at.project, env });
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await once(child, 'close');
    expect(out).toMatch(/It counts\.[^]*It goes on\.[^]*Three\./);
  },
);

describe('a command that begins work', () => {
  const PRODUCTS = '<facts>\n- Drinks tea.\n</facts>\n<summary>\nGoal: tea.\n</summary>';

  it('/compact holds the process until the summary stands, and tells on standard error', async () => {
    const { at } = await withServer([{ usage: null, text: PRODUCTS }]);
    seedSession(at.home, 'cli:direct', turns(3, 20));
    const run = start(at, ['-m', '/compact'], '');
    expect(await run.ended).toBe(0);
    expect(run.out()).toBe('');
    expect(run.err()).toBe('· Summarising 4 earlier messages…\n· Summarised 4 earlier messages.\n');
    expect(historyLines(at.home)).toMatchObject([{ content: '- Drinks tea.', project: at.project }]);
  });

  it('that fails ends with status 1 and the reason', async () => {
    const { at } = await withServer([{ status: 401, body: { error: { message: 'invalid key' } } }]);
    seedSession(at.home, 'cli:direct', turns(3, 20));
    const run = start(at, ['-m', '/compact'], '');
    expect(await run.ended).toBe(1);
    expect(run.err()).toMatch(/Error: Earlier messages could not be summarised.*invalid key/);
  });

  it('/new stays until the facts of the old conversation are noted', async () => {
    const { at } = await withServer([{ usage: null, text: PRODUCTS }]);
    seedSession(at.home, 'cli:direct', turns(3, 20));
    expect(await start(at, ['-m', '/new'], '').ended).toBe(0);
    expect(historyLines(at.home)).toMatchObject([{ content: '- Drinks tea.', session_key: 'cli:direct' }]);
  });
});

describe('signals', () => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    for (const way of ['-m', 'lines'] as const) {
      it(`${signal} with ${way === '-m' ? 'a message' : 'piped lines'} stops the turn, and what was shown is on disk`, async () => {
        const { at, server } = await withServer([
          { text: 'The first words and the rest', chunkSize: 16, stall: 2 },
          { text: 'Here.' },
        ]);
        const run = way === '-m' ? start(at, ['-m', 'hello'], '') : start(at, []);
        if (way === 'lines') run.child.stdin?.write('hello\n');
        await until('the first words', () => run.out().startsWith('The first'));
        run.child.kill(signal);
        if (way === 'lines' && signal === 'SIGINT') {
          await until('the stop', () => run.err().includes('Stopped.'));
          run.child.stdin?.end();
        }
        expect(await run.ended).toBe(1);
        const last = stored(at).at(-1);
        expect(last).toMatchObject({ role: 'assistant', status: 'aborted' });
        expect(last?.content).toBe(run.out().slice(0, -1));
        expectAllParse(at.home, signal);
        expect(server.aborted()).toBe(1);
        const again = start(at, ['-m', 'and now?'], '');
        expect(await again.ended).toBe(0);
        expect(again.out()).toBe('Here.\n');
      });
    }
  }

  it('SIGTERM while it waits for a line ends it', async () => {
    const at = await place(PRACTICE);
    const run = start(at, []);
    run.child.stdin?.write('/help\n');
    await until('the help', () => run.err().includes('/status'));
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  });

  it('SIGTERM ends a command that runs, with its children', async () => {
    const { at } = await withServer([
      { toolCalls: [{ name: 'exec', args: { command: 'echo $$ > pid; sleep 300 & wait' } }] },
    ]);
    const run = start(at, ['--approval', 'all', '-m', 'wait'], '');
    const pid = Number(await until('the command', () => readPid(at)));
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(1);
    // What was killed stays visible until the system has taken note of it.
    await until('the end of its group', () => !groupLives(pid), 5_000);
  });

  it('a reader that goes away ends it quietly, and the turn is on disk', async () => {
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const { at } = await withServer([
      { text: 'word '.repeat(20_000), chunkSize: 64, gate: (n) => (n > 9 ? held : undefined) },
    ]);
    const run = start(at, ['-m', 'hello'], '');
    await until('the first words', () => run.out() !== '');
    run.child.stdout?.destroy();
    goOn();
    expect(await run.ended).toBe(1);
    expect(run.err()).not.toMatch(/EPIPE|at .*\.js/);
    expect(stored(at).at(-1)).toMatchObject({ role: 'assistant', status: 'aborted' });
  });
});

describe('a home or a config that is not as it should be', () => {
  it('a home that cannot be made: status 1, where and why, no stack', async () => {
    const at = await place(PRACTICE);
    writeFileSync(at.home, 'a file');
    const run = start(at, ['-m', 'hello'], '');
    expect(await run.ended).toBe(1);
    expect(run.err()).toContain(at.home);
    expect(run.err()).not.toMatch(/\n\s+at /);
  });

  it('a broken config.json: says so, and works with defaults', async () => {
    const at = await place('{"agents": {oops');
    const run = start(at, ['--model', 'practice/practice', '-m', 'what are you?'], '');
    expect(await run.ended).toBe(0);
    expect(run.err()).toMatch(/config\.json is not valid JSON/);
    expect(run.out()).not.toBe('');
  });

  it('a config.json that cannot be read: says so, and works with defaults', async () => {
    const at = await place(PRACTICE);
    const run = start({ ...at, config: at.project }, ['--model', 'practice/practice', '-m', 'what are you?'], '');
    expect(await run.ended).toBe(0);
    expect(run.err()).toMatch(/could not be read/);
  });
});

function groupLives(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

function readPid({ project }: Place): string | undefined {
  try {
    return readFileSync(join(project, 'pid'), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
