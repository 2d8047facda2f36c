import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ProviderError } from '../../../../src/providers/provider.js';
import { nodeIdentity } from '../../../../src/platform/nodeIdentity.js';
import { dreamLab, edits, remembered, type DreamReply } from '../../../support/dreamLab.js';
import { call } from '../../../support/runs.js';
import { saying } from '../../../support/saying.js';
import { tempHome } from '../../../support/tempHome.js';
import { until } from '../../../support/until.js';

const FOUND = '[MEMORY] Tests run with vitest';
const WROTE: DreamReply[] = [edits('memory/MEMORY.md', ['', '- Tests run with vitest']), 'Written.'];

async function newLab(replies: DreamReply[], options: Omit<Parameters<typeof dreamLab>[0], 'home'> = {}) {
  const { home } = await tempHome();
  const lab = { home, ...dreamLab({ home, replies, ...options }) };
  await remembered(lab, '- one', '- two');
  return lab;
}

/** Nothing was changed: no file, no cursor, no commit of Dream's. */
async function expectUntouched(lab: Awaited<ReturnType<typeof newLab>>) {
  expect(lab.read('memory/MEMORY.md')).not.toContain('vitest');
  expect(await lab.history.dreamCursor()).toBe(0);
  expect((await lab.git.log(10)).filter(({ kind }) => kind === 'dream')).toEqual([]);
  expect(existsSync(join(lab.home, '.nanobot/dream-run.json'))).toBe(false);
}

const loop = Array.from({ length: 12 }, () => ({ toolCalls: [call('read_file', { path: 'USER.md' }, 'same')] }));
const wander = Array.from({ length: 11 }, (_, n) => ({
  toolCalls: [call('read_file', { path: 'USER.md', offset: n + 1 }, `call-${String(n)}`)],
}));

describe('a failure that is the batch’s', () => {
  it.each<[string, DreamReply[]]>([
    ['prose in place of findings', ['They talked about tea and about many other things.']],
    ['an error page', ['<html><body><h1>502 Bad Gateway</h1></body></html>']],
    ['nothing, asked three times', ['', '', '']],
    ['a thousand findings', [Array.from({ length: 1000 }, (_, n) => `[MEMORY] fact ${String(n)}`).join('\n')]],
    ['findings of which nothing is written', [FOUND, 'I have updated the memory.']],
    ['a second phase that goes in circles', [FOUND, ...loop]],
    ['a second phase without end', [FOUND, ...wander, 'That is all I could do.']],
    ['a second phase without end that wrote something', [FOUND, WROTE[0] ?? '', ...wander.slice(0, 9), 'Not done.']],
    ['a second phase that says nothing', [FOUND, '', '', '']],
    ['a batch the model refuses', [{ stopReason: 'error', error: error('refused') }]],
    ['a batch too large for the model', [{ stopReason: 'error', error: error('context_length') }]],
  ])('is counted and changes nothing: %s', async (_, replies) => {
    const lab = await newLab(replies);
    const outcome = await lab.ask();
    expect(outcome).toMatchObject({ kind: 'failed', reason: saying('it is tried twice more') });
    await expectUntouched(lab);
    expect(lab.read('.nanobot/dream.json')).toMatch(/"count": 1/);
  });

  it('three times sets the batch aside, with a notice, and the next one is read', async () => {
    const lab = await newLab(['prose', 'more prose', 'prose again', FOUND, ...WROTE]);
    expect(await lab.ask()).toMatchObject({ reason: saying('tried twice more') });
    // What comes meanwhile does not become part of the batch that failed.
    await remembered(lab, '- three');
    expect(await lab.byItself()).toMatchObject({ reason: saying('tried once more') });
    expect(lab.notices).toEqual([]);
    const third = await lab.byItself();
    expect(third).toMatchObject({
      kind: 'failed',
      reason: saying(/third time.*entries 1 to 2.*dream-1-2\.json/),
    });
    expect(lab.notices).toEqual([third.kind === 'failed' ? third.reason : '']);
    expect(await lab.history.dreamCursor()).toBe(2);
    const kept = JSON.parse(lab.read('.nanobot/quarantine/dream-1-2.json')) as { entries: object[]; reason: string };
    expect(kept.entries).toMatchObject([
      { cursor: 1, content: '- one' },
      { cursor: 2, content: '- two' },
    ]);
    expect(kept.reason).toMatch(/could not be used/);
    expect(await lab.ask()).toMatchObject({ kind: 'learned', entries: 1, commit: { cursors: [3] } });
  });

  it('is forgotten once the batch was read', async () => {
    const lab = await newLab(['prose', 'prose', FOUND, ...WROTE, 'prose']);
    await lab.ask();
    await lab.ask();
    expect(await lab.ask()).toMatchObject({ kind: 'learned' });
    await remembered(lab, '- three');
    expect(await lab.ask()).toMatchObject({ reason: saying('tried twice more') });
  });

  it('is counted across processes', async () => {
    const lab = await newLab(['prose', 'prose']);
    await lab.ask();
    await lab.ask();
    const next = dreamLab({ home: lab.home, replies: ['prose'] });
    expect(await next.ask()).toMatchObject({ reason: saying('third time') });
  });
});

describe('a failure that is not the batch’s', () => {
  it.each<ProviderError['code']>([
    'auth',
    'payment',
    'quota',
    'rate_limit',
    'overloaded',
    'not_found',
    'server',
    'network',
    'timeout',
    'stream_broken',
    'bad_request',
  ])('is shown and not counted: %s', async (code) => {
    const lab = await newLab([{ stopReason: 'error', error: error(code) }]);
    expect(await lab.ask()).toMatchObject({
      kind: 'failed',
      reason: `It failed: ${code}`,
      next: expect.any(Array) as unknown,
    });
    await expectUntouched(lab);
    expect(lab.read('.nanobot/dream.json')).not.toContain('strikes');
    expect((await lab.dream.state()).lastRun?.outcome).toMatchObject({ kind: 'failed' });
  });

  it('in the second phase leaves nothing of it behind', async () => {
    const lab = await newLab([FOUND, WROTE[0] ?? '', { stopReason: 'error', error: error('network') }]);
    expect(await lab.ask()).toMatchObject({ kind: 'failed', reason: 'It failed: network' });
    await expectUntouched(lab);
  });

  it('is the lack of a model', async () => {
    const lab = await newLab([], { noModel: { code: 'no_model', message: 'No model is set.', next: ['setKey'] } });
    expect(await lab.ask()).toEqual({ kind: 'failed', reason: 'No model is set.', next: ['setKey'] });
    expect((await lab.dream.state()).lastRun?.outcome).toMatchObject({ kind: 'failed', reason: 'No model is set.' });
  });

  it('is a home that cannot be written', async () => {
    const lab = await newLab([FOUND, ...WROTE]);
    const folder = join(lab.home, 'memory');
    await lab.git.ensure();
    chmodSync(folder, 0o555);
    const outcome = await lab.ask();
    chmodSync(folder, 0o755);
    // The superuser may write everywhere, and then this is an ordinary Dream.
    if (process.getuid?.() === 0) expect(outcome.kind).toBe('learned');
    else
      expect(outcome).toMatchObject({
        kind: 'failed',
        reason: saying('could not be read or written'),
      });
  });
});

describe('a history of the memory', () => {
  it('that is damaged is set aside with a notice, and Dream still runs', async () => {
    const lab = await newLab([FOUND, ...WROTE]);
    await lab.git.ensure();
    writeFileSync(join(lab.home, '.git/HEAD'), 'no head at all');
    rmSync(join(lab.home, '.git/objects'), { recursive: true });
    expect(await dreamLab({ home: lab.home, replies: [FOUND, ...WROTE] }).ask()).toMatchObject({ kind: 'learned' });
    expect(lab.read('memory/MEMORY.md')).toContain('vitest');
  });

  it('that does not take the commit keeps what was learned in the files, and gets it with the next run', async () => {
    const lab = await newLab([FOUND, ...WROTE]);
    const git = Object.assign(Object.create(lab.git) as typeof lab.git, {
      commit: () => Promise.reject(new Error('the disk is full')),
    });
    const broken = dreamLab({ home: lab.home, replies: [FOUND, ...WROTE], deps: { git } });
    expect(await broken.ask()).toEqual({
      kind: 'failed',
      reason:
        'What Dream learned stands in the files, but its commit could not be made (the disk is full). The next run makes it.',
      next: ['openLog'],
    });
    expect(lab.read('memory/MEMORY.md')).toContain('vitest');
    expect(await lab.history.dreamCursor()).toBe(2);
    expect(await lab.ask()).toMatchObject({ kind: 'learned', entries: 2 });
    expect((await lab.git.log(1))[0]).toMatchObject({ kind: 'dream', cursors: [1, 2], changes: 1 });
    expect(lab.requests).toEqual([]);
  });
});

describe('the tokens of a Dream', () => {
  const usage = (inputTokens: number) => ({ usage: { inputTokens, outputTokens: 100, cachedTokens: 0 } });

  it('are 60,000 a run: what would take more is not sent, and counts as a failure', async () => {
    const lab = await newLab([
      { text: FOUND, ...usage(30_000) },
      { ...edits('memory/MEMORY.md', ['', '- Tests run with vitest']), ...usage(29_500) },
      'never sent',
    ]);
    expect(await lab.ask()).toMatchObject({
      kind: 'failed',
      reason: saying('more than the 60000 tokens that a run has'),
    });
    expect(lab.requests).toHaveLength(2);
    await expectUntouched(lab);
  });

  it('are bounded by the day, told before anything is sent, and begun anew the next day', async () => {
    const lab = await newLab([{ text: '[SKIP]', ...usage(9_000) }, '[SKIP]'], { maxTokensPerDay: 10_000 });
    expect(await lab.ask()).toMatchObject({ kind: 'skipped' });
    await remembered(lab, '- three');
    expect(await lab.ask()).toEqual({
      kind: 'failed',
      reason: 'Dream has used the 10000 tokens it has for a day (nanobot.dream.maxTokensPerDay). It goes on tomorrow.',
      next: ['openSettings'],
    });
    expect(lab.requests).toHaveLength(1);
    expect(lab.read('.nanobot/dream.json')).not.toContain('strikes');
    const { clock } = lab.dream['deps'];
    (clock as unknown as { pass(ms: number): void }).pass(24 * 3_600_000);
    expect(await lab.ask()).toMatchObject({ kind: 'skipped' });
  });

  it('are estimated where the model does not report them', async () => {
    const lab = await newLab(['[SKIP]']);
    await lab.ask();
    const { tokens } = JSON.parse(lab.read('.nanobot/dream.json')) as { tokens: { day: string; used: number } };
    expect(tokens.day).toBe('2026-04-15');
    expect(tokens.used).toBeGreaterThan(500);
  });
});

describe('a Dream that is stopped', () => {
  it.each([0, 1, 2])('during request %i changes nothing and is not counted', async (at) => {
    const controller = new AbortController();
    const replies = [FOUND, ...WROTE].map((reply, n) => () => {
      if (n === at) controller.abort();
      return reply as string;
    });
    const lab = await newLab(replies);
    expect(await lab.dream.run({ asked: true, signal: controller.signal })).toEqual({ kind: 'cancelled' });
    await expectUntouched(lab);
    expect(lab.read('.nanobot/dream.json')).not.toContain('strikes');
    expect((await lab.dream.state()).phase).toBe('idle');
  });

  it('by the end of its process leaves everything as it was and gives the lease back', async () => {
    const lab = await newLab([FOUND, () => new Promise(() => undefined)]);
    const hanging = lab.ask();
    await until('request 2', () => lab.requests.length === 2);
    expect(lab.leases.holds('dream')).toBe(true);
    await lab.dream.dispose();
    expect(await hanging).toEqual({ kind: 'cancelled' });
    expect(lab.leases.holds('dream')).toBe(false);
    await expectUntouched(lab);
  });
});

describe('two windows', () => {
  it('dream one at a time: the second says who is at it, and the same entries are read once', async () => {
    let proceed = () => undefined as void;
    const gate = new Promise<void>((resolve) => (proceed = resolve));
    const lab = await newLab([
      async () => {
        await gate;
        return { text: FOUND };
      },
      ...WROTE,
    ]);
    const other = dreamLab({ home: lab.home, replies: ['[SKIP]'], processes: { ...nodeIdentity() } });
    const first = lab.ask();
    await until('request 1', () => lab.requests.length === 1);
    expect(await other.ask()).toEqual({
      kind: 'busy',
      reason: 'Dream is running in another window. Try again when it has ended.',
    });
    expect(await lab.ask()).toEqual({ kind: 'busy', reason: 'Dream is running already in this window.' });
    proceed();
    expect(await first).toMatchObject({ kind: 'learned', entries: 2 });
    expect(await other.ask()).toEqual({ kind: 'nothing', entries: 0 });
    expect(other.requests).toEqual([]);
  });

  it('of which one was asleep while the other took over do not both write', async () => {
    const lab = await newLab([FOUND, ...WROTE], {});
    const gone = { confirm: () => Promise.resolve(false) };
    const leases = Object.assign(Object.create(lab.leases) as typeof lab.leases, gone);
    const sleeper = dreamLab({ home: lab.home, replies: [FOUND, ...WROTE], deps: { leases } });
    expect(await sleeper.ask()).toMatchObject({
      kind: 'failed',
      reason: saying('took over while this one was asleep'),
    });
    await expectUntouched(lab);
  });
});

describe('a turn', () => {
  it('that runs makes Dream wait for another time, or, asked for, until it has ended', async () => {
    let running = true;
    let end = () => undefined as void;
    const quiet = new Promise<void>((resolve) => (end = resolve));
    const turns = { any: () => running, quiet: () => quiet };
    const lab = await newLab([FOUND, ...WROTE], { deps: { turns } });
    expect(await lab.byItself()).toEqual({
      kind: 'busy',
      reason: 'A turn is running. Dream begins when it has ended.',
    });
    const asked = lab.ask();
    expect(lab.requests).toEqual([]);
    running = false;
    end();
    expect(await asked).toMatchObject({ kind: 'learned' });
  });

  it('that begins meanwhile keeps Dream from writing until it has ended', async () => {
    let end = () => undefined as void;
    let turn = Promise.resolve();
    let asked = 0;
    const quiet = () => {
      asked++;
      return turn;
    };
    const turns = { any: () => false, quiet };
    const begin = () => {
      turn = new Promise<void>((resolve) => (end = resolve));
      return 'ok';
    };
    const lab = await newLab([FOUND, WROTE[0] ?? '', begin], { deps: { turns } });
    const dreaming = lab.ask();
    await until('the wait before the writing', () => asked === 3 && lab.requests.length === 3);
    await expectUntouched(lab);
    end();
    expect(await dreaming).toMatchObject({ kind: 'learned' });
  });
});

describe('what Dream keeps between its runs', () => {
  it('may be damaged: it is begun anew', async () => {
    const lab = await newLab([FOUND, ...WROTE]);
    await lab.git.ensure();
    writeFileSync(join(lab.home, '.nanobot/dream.json'), '{"tokens": 5, "strikes": {"from": -1}, "lastRun": "x"');
    expect((await lab.dream.state()).lastRun).toBeUndefined();
    expect(await lab.ask()).toMatchObject({ kind: 'learned' });
    writeFileSync(
      join(lab.home, '.nanobot/dream.json'),
      '{"tokens": 5, "strikes": {"from": -1}, "lastRun": {"at": "x"}, "more": 1}',
    );
    await remembered(lab, '- three');
    lab.replies.push('[SKIP]');
    expect(await lab.ask()).toMatchObject({ kind: 'skipped' });
    expect(JSON.parse(readFileSync(join(lab.home, '.nanobot/dream.json'), 'utf8'))).toMatchObject({ more: 1 });
  });

  it('tells the state: phase, last run, unread', async () => {
    const phases: string[] = [];
    const lab = await newLab([FOUND, ...WROTE]);
    let changes = 0;
    const heard = lab.dream.onChange(() => void changes++);
    expect(await lab.dream.state()).toEqual({ phase: 'idle', unread: 2 });
    await lab.dream.run({ asked: true, signal: new AbortController().signal, onPhase: (phase) => phases.push(phase) });
    expect(phases).toEqual(['reading', 'editing', 'idle']);
    expect(changes).toBeGreaterThanOrEqual(3);
    const state = await lab.dream.state();
    expect(state).toMatchObject({ phase: 'idle', unread: 0, lastRun: { outcome: { kind: 'learned', entries: 2 } } });
    expect((await dreamLab({ home: lab.home }).dream.state()).lastRun).toEqual(state.lastRun);
    heard.dispose();
  });
});

function error(code: ProviderError['code']): ProviderError {
  return { code, message: `It failed: ${code}`, retryable: false };
}
