import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentLoop } from '../../../src/agent/loop.js';
import { runUnwatched } from '../../../src/agent/unwatchedTurn.js';
import { MessageBus } from '../../../src/bus/bus.js';
import { activeTasks, Heartbeat, type HeartbeatDeps } from '../../../src/cron/heartbeat.js';
import { type Outcome, outcomeText } from '../../../src/cron/outcomeWords.js';
import type { ToolContext } from '../../../src/runner/tool.js';
import { cronTool } from '../../../src/tools/cron.js';
import { appLab } from '../../support/appLab.js';
import { cronLab, type CronLabOptions, FAILED, MINUTE, TestClock } from '../../support/cronLab.js';
import { type Script, startModelServer } from '../../support/modelServer.js';
import { until } from '../../support/until.js';

async function served(script: Script) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const lab = await appLab({
    settings: { model: 'openai/test-model', providers: { openai: { apiBase: `${server.url}/v1` } } },
    env: { OPENAI_API_KEY: 'test-key-1' },
  });
  return { lab, server };
}

const EVERY = { kind: 'every', everyMs: 3_600_000 } as const;

describe('a job', () => {
  it('runs as a turn of its own session, and tells what came of it', async () => {
    const { lab, server } = await served([{ text: 'All tests pass.' }]);
    const told: Outcome[] = [];
    lab.app.cron.onOutcome((outcome) => void told.push(outcome));
    const job = await lab.app.cron.service.jobs.add({ name: 'tests', message: 'Run the tests', schedule: EVERY });
    const record = await lab.app.cron.service.runNow(job.id);
    expect(record).toMatchObject({ status: 'ok', text: 'All tests pass.', session: `cron:${job.id}` });
    expect(told.map((outcome) => outcomeText(outcome))).toEqual([{ level: 'info', text: 'tests: All tests pass.' }]);
    const session = readFileSync(join(lab.home, 'sessions', `cron_${job.id}.jsonl`), 'utf8');
    expect(session).toContain('"title":"tests"');
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('nobody watches');
  });

  it('is denied what would be asked, and the person is told', async () => {
    const call = { name: 'exec', args: { command: 'npm publish' } };
    const { lab } = await served([{ toolCalls: [call] }, { text: 'I was not allowed to publish.' }]);
    const told: Outcome[] = [];
    lab.app.cron.onOutcome((outcome) => void told.push(outcome));
    const { id } = await lab.app.cron.service.jobs.add({
      name: 'release',
      message: 'Publish',
      schedule: EVERY,
      deliver: false,
    });
    const record = await lab.app.cron.service.runNow(id);
    expect(record.denied).toEqual([expect.stringContaining('npm publish')]);
    expect(told[0] && outcomeText(told[0])).toMatchObject({
      level: 'warning',
      text: expect.stringContaining('Not allowed') as string,
    });
  });

  it('cannot make jobs', async () => {
    const call = { name: 'cron', args: { action: 'add', message: 'more', every_seconds: 60 } };
    const { lab } = await served([{ toolCalls: [call] }, { text: 'I see.' }]);
    const { id } = await lab.app.cron.service.jobs.add({ name: 'a', message: 'x', schedule: EVERY });
    await lab.app.cron.service.runNow(id);
    expect(await lab.app.cron.service.jobs.list()).toHaveLength(1);
    expect(readFileSync(join(lab.home, 'sessions', `cron_${id}.jsonl`), 'utf8')).toContain('cannot change schedules');
  });

  it('whose session was deleted begins a new one', async () => {
    const { lab } = await served(() => ({ text: 'Done.' }));
    const { service } = lab.app.cron;
    const { id } = await service.jobs.add({ name: 'a', message: 'x', schedule: EVERY });
    const path = join(lab.home, 'sessions', `cron_${id}.jsonl`);
    await service.runNow(id);
    await lab.app.deleteSession(`cron:${id}`);
    expect(existsSync(path)).toBe(false);
    expect((await service.runNow(id)).status).toBe('ok');
    await until(
      'the session to be given back',
      async () => (await lab.app.sessions.leases.otherHolder(`cron_${id}`)) === undefined,
    );
    rmSync(path);
    expect((await service.runNow(id)).status).toBe('ok');
    expect(existsSync(path)).toBe(true);
  });

  it('ends when its tokens are used', async () => {
    const call = { name: 'list_dir', args: { path: '.' } };
    const { lab, server } = await served(() => ({ toolCalls: [call], usage: { input: 120_000, output: 10 } }));
    const { id } = await lab.app.cron.service.jobs.add({ name: 'a', message: 'x', schedule: EVERY });
    expect(await lab.app.cron.service.runNow(id)).toMatchObject({
      status: 'error',
      tokens: 120_010,
      error: expect.stringContaining('tokens of one run') as string,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('without a model fails with the next step', async () => {
    const lab = await appLab({ settings: { model: 'auto' } });
    const { id } = await lab.app.cron.service.jobs.add({ name: 'a', message: 'Reminder: tea', schedule: EVERY });
    const told: Outcome[] = [];
    lab.app.cron.onOutcome((outcome) => void told.push(outcome));
    expect(await lab.app.cron.service.runNow(id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('No model is set up') as string,
    });
    expect(told[0] && outcomeText(told[0])?.text).toContain('Reminder: tea');
  });
});

describe('a job whose chat is busy', () => {
  function busyLab() {
    let free: () => void = () => undefined;
    let busy = true;
    const idle = new Promise<void>((resolve) => (free = resolve));
    const clock = new TestClock();
    const bus = new MessageBus();
    const published: string[] = [];
    bus.consume(({ id, sessionKey, text }) => {
      published.push(text);
      bus.emit({ sessionKey, event: { type: 'user_message', id, text, at: 0, attachments: [] } });
      bus.emit({ sessionKey, event: { type: 'turn_end', turnId: 't', status: 'done', ms: 1 } });
    });
    const session = { acquire: () => Promise.resolve('held') };
    const stops: string[] = [];
    const loop = {
      conversation: () => Promise.resolve({ session, title: () => 'Tests' }),
      stop: (key: string) => void stops.push(key),
      idle: () => idle,
      isBusy: () => busy,
      release: () => Promise.resolve(),
    } as unknown as AgentLoop;
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const turn = { sessionKey: 'cron:a', channel: 'cron', title: 'Tests', text: 'Run the tests' };
    const run = (signal: AbortSignal) => runUnwatched({ bus, loop, clock, log, newId: () => 'm' }, turn, signal);
    const end = () => {
      busy = false;
      free();
    };
    return { run, end, published, stops, clock };
  }

  it('waits for the turn that runs there', async () => {
    const lab = busyLab();
    const running = lab.run(new AbortController().signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(lab.published).toEqual([]);
    lab.end();
    expect((await running).status).toBe('ok');
    expect(lab.published).toEqual(['Run the tests']);
  });

  it('ends after half an hour, or when it is stopped, and leaves that turn alone', async () => {
    const late = busyLab();
    const running = late.run(new AbortController().signal);
    const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
    await settle();
    await late.clock.pass(30 * MINUTE, settle);
    expect((await running).error).toContain('did not end in time');
    const stopped = busyLab();
    expect((await stopped.run(AbortSignal.abort())).final).toBe(true);
    expect([...late.published, ...stopped.published, ...late.stops, ...stopped.stops]).toEqual([]);
  });
});

describe('the cron tool', () => {
  it('sets a reminder that the practice model is asked for', async () => {
    const lab = await appLab();
    await lab.say('remind me in 2 minutes to stretch');
    const [job] = await lab.app.cron.service.jobs.list();
    expect(job).toMatchObject({
      name: 'stretch',
      payload: { message: 'Reminder: stretch', channel: 'vscode', to: 'test' },
      deleteAfterRun: true,
    });
    await lab.say('list my reminders');
    expect(JSON.stringify(lab.stored().at(-1))).toContain('stretch');
  });

  it.each([
    [{ action: 'add', message: 'x', at: '2020-01-01T09:00' }, 'is in the past'],
    [{ action: 'add', message: 'x', every_seconds: 5 }, 'at most once a minute'],
    [{ action: 'add', message: 'x', cron_expr: '0 9 * * *', tz: 'Mars/X' }, 'no time zone'],
    [{ action: 'add', message: 'x' }, 'exactly one of'],
    [{ action: 'add', every_seconds: 60 }, 'message is missing'],
    [{ action: 'remove', job_id: 'nope' }, 'no schedule'],
    [{ action: 'remove' }, 'job_id is missing'],
  ])('refuses %j', async (args, words) => {
    const { lab } = await served([{ toolCalls: [{ name: 'cron', args }] }, { text: 'I see.' }]);
    await lab.say('schedule it');
    expect(JSON.stringify(lab.stored().find(({ role }) => role === 'tool'))).toContain(words);
    expect(await lab.app.cron.service.jobs.list()).toEqual([]);
  });
});

describe('a job that the cron tool runs', () => {
  async function toolLab(run?: CronLabOptions['run']) {
    const { service, clock } = cronLab({ start: false, ...(run ? { run } : {}) });
    const { id } = await service.jobs.add({ name: 'a', message: 'x', schedule: EVERY });
    const tool = cronTool({ service, clock });
    const controller = new AbortController();
    const sources: string[] = [];
    const call = (sessionKey: string) =>
      tool.run({ action: 'run', job_id: id }, {
        ...{ sessionKey, watched: true, signal: controller.signal },
        markUntrusted: (source: string) => void sources.push(source),
      } as unknown as ToolContext);
    return { tool, id, call, controller, sources };
  }

  it('is not the one of the chat, which would wait for itself', async () => {
    const { call, id } = await toolLab();
    await expect(call(`cron:${id}`)).rejects.toThrow('cannot be run from here');
  });

  it('says what is text from outside, and is judged as such', async () => {
    const { tool, call, sources } = await toolLab();
    expect((await call('vscode:test')).text).toContain('done');
    expect(sources).toEqual(['a schedule']);
    for (const action of ['run', 'remove'])
      expect(await tool.access({ action, job_id: 'a' }, { sessionKey: 'vscode:test' })).toMatchObject([
        { kind: 'schedule', id: 'a' },
      ]);
  });

  it('ends with the turn', async () => {
    const lab = await toolLab(
      (_job, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ ...FAILED, error: 'Stopped.' }));
          lab.controller.abort();
        }),
    );
    await expect(lab.call('vscode:test')).rejects.toThrow('Stopped.');
  });
});

describe('the heartbeat', () => {
  it('finds its tasks', () => {
    expect(activeTasks('# Heartbeat\n\n## Active Tasks\n\n<!-- none -->\n\n## Completed\n- old')).toBe('');
    expect(activeTasks('## Active Tasks\n- water plants\n- [x] done\n### More\nlook\n\n## Completed\n- old')).toBe(
      '- water plants\n### More\nlook',
    );
    expect(activeTasks('nothing')).toBe('');
    expect(activeTasks('\uFEFF## Active Tasks\r\n- a\r\n')).toBe('- a');
  });

  it.each([
    ['TELL', 1],
    ['SILENT', 0],
    ['I would TELL them, perhaps', 0],
    ['', 0],
  ])('works on them, and on the word "%s" tells %i times', async (verdict, times) => {
    const { lab, server } = await served([{ text: 'The plants are dry.' }, { text: verdict }]);
    mkdirSync(lab.home, { recursive: true });
    writeFileSync(join(lab.home, 'HEARTBEAT.md'), '## Active Tasks\n- look at the plants\n');
    const told: Outcome[] = [];
    lab.app.cron.onOutcome((outcome) => void told.push(outcome));
    const record = await lab.app.cron.heartbeat.runNow();
    expect(record).toMatchObject({ status: 'ok', text: 'The plants are dry.' });
    expect(told).toHaveLength(times);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('look at the plants');
  });

  it('does not begin once it is disposed of', async () => {
    const clock = new TestClock();
    const began: string[] = [];
    const done = () => Promise.resolve();
    const heartbeat = new Heartbeat({
      files: { read: () => Promise.resolve(Buffer.from('## Active Tasks\n- a\n')) },
      clock,
      home: '/home',
      leases: { acquire: () => Promise.resolve({ held: true }), release: done },
      budget: {
        isSpent: () => Promise.resolve(false),
        setHeartbeatAt: done,
        heartbeatAt: () => {
          void heartbeat.dispose();
          return Promise.resolve(0);
        },
      },
      settings: () => ({ enabled: true, intervalMs: MINUTE }),
      mayRun: () => Promise.resolve(true),
      run: (tasks: string) => {
        began.push(tasks);
        return new Promise(() => undefined);
      },
    } as unknown as HeartbeatDeps);
    heartbeat.start();
    await clock.pass(5 * MINUTE, () => new Promise((resolve) => setImmediate(resolve)));
    await expect(heartbeat.runNow()).rejects.toThrow('is closing');
    expect(began).toEqual([]);
  });

  it('asks no model where there is nothing to do', async () => {
    const { lab, server } = await served([]);
    await expect(lab.app.cron.heartbeat.runNow()).rejects.toThrow('no active tasks');
    expect(server.requests).toEqual([]);
  });
});
