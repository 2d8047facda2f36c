import { describe, expect, it, vi } from 'vitest';
import { begin, lockOf } from '../../../src/cron/claims.js';
import { CRON_TIME, cronLab, DAY, FAILED, HOUR, MINUTE, OK, TestClock } from '../../support/cronLab.js';
import { memoryFiles } from '../../support/memoryFiles.js';

const HOURLY = { kind: 'cron', expr: '0 * * * *' } as const;
const DAILY = { kind: 'cron', expr: '0 9 * * *' } as const;

describe('a year', () => {
  it('of jobs passes in seconds, each due time once', async () => {
    const lab = cronLab();
    await lab.service.jobs.add({ name: 'night', message: 'x', schedule: { kind: 'cron', expr: '30 2 * * *' } });
    await lab.service.jobs.add({ name: 'monthly', message: 'x', schedule: { kind: 'cron', expr: '0 8 1 * *' } });
    await lab.service.jobs.add({ name: 'weekly', message: 'x', schedule: { kind: 'every', everyMs: 7 * DAY } });
    await lab.service.jobs.add({ name: 'once', message: 'x', schedule: { kind: 'at', atMs: CRON_TIME + 100 * DAY } });
    // Processor time: a busy machine does not count.
    const begun = process.cpuUsage();
    await lab.pass(365 * DAY);
    const { user, system } = process.cpuUsage(begun);
    expect(lab.times('night')).toHaveLength(365);
    expect(new Set(lab.ran.map(({ name, at }) => `${name} ${at}`)).size).toBe(lab.ran.length);
    expect(lab.times('monthly')).toHaveLength(12);
    expect(lab.times('weekly')).toHaveLength(52);
    expect(lab.times('once')).toEqual(['2026-07-24T13:23']);
    expect(lab.logged).toEqual([]);
    // Under two seconds on a machine that does nothing else; the bound is for work that grows with the square of the jobs.
    expect((user + system) / 1000).toBeLessThan(10_000);
  }, 60_000);
});

describe('due times', () => {
  it('are met to the minute, with one timer, and none where nothing is planned', async () => {
    const lab = cronLab();
    await lab.settle();
    expect(lab.clock.pending).toBe(0);
    const job = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    await lab.settle();
    expect(lab.clock.pending).toBe(1);
    await lab.pass(3 * HOUR);
    expect(lab.times('a')).toEqual(['2026-04-15T14:00', '2026-04-15T15:00', '2026-04-15T16:00']);
    expect(lab.clock.pending).toBe(1);
    await lab.service.jobs.setEnabled(job.id, false);
    await lab.pass(DAY);
    expect(lab.ran).toHaveLength(3);
    expect(lab.clock.pending).toBe(0);
  });

  it('do not come again when the clock is set back an hour, and go on after it', async () => {
    const lab = cronLab();
    await lab.service.jobs.add({ name: 'hourly', message: 'x', schedule: HOURLY });
    await lab.service.jobs.add({ name: 'every', message: 'x', schedule: { kind: 'every', everyMs: 30 * MINUTE } });
    await lab.pass(3 * HOUR);
    expect(lab.times('hourly')).toHaveLength(3);
    lab.clock.set(lab.clock.now() - HOUR);
    await lab.pass(HOUR);
    expect(lab.times('hourly')).toHaveLength(3);
    // What counts stretches is not put off for longer than one of them.
    expect(lab.times('every').length).toBeGreaterThanOrEqual(7);
    await lab.pass(HOUR);
    expect(lab.times('hourly').slice(3)).toEqual(['2026-04-15T17:00']);
  });

  it('that a wrong clock took years ahead are forgotten', async () => {
    const lab = cronLab();
    await lab.service.jobs.add({ name: 'hourly', message: 'x', schedule: HOURLY });
    lab.clock.set(CRON_TIME + 1000 * DAY);
    await lab.pass(2 * HOUR);
    const before = lab.ran.length;
    lab.clock.set(CRON_TIME);
    await lab.pass(2 * HOUR);
    expect(lab.ran.length - before).toBe(2);
  });

  it('missed by a machine that slept for a week run once, a single one marked late', async () => {
    const lab = cronLab();
    await lab.service.jobs.add({ name: 'hourly', message: 'x', schedule: HOURLY });
    await lab.service.jobs.add({ name: 'once', message: 'x', schedule: { kind: 'at', atMs: CRON_TIME + HOUR } });
    await lab.settle();
    lab.clock.set(CRON_TIME + 7 * DAY);
    await lab.pass(6 * MINUTE);
    expect(lab.ran.map(({ name, late }) => [name, late])).toEqual([
      ['hourly', true],
      ['once', true],
    ]);
    await lab.pass(HOUR);
    expect(lab.times('hourly')).toHaveLength(2);
  });

  it('missed are passed over where the person wants no catching up, but a single one runs', async () => {
    const lab = cronLab({ settings: { catchUp: false } });
    const { id } = await lab.service.jobs.add({ name: 'hourly', message: 'x', schedule: HOURLY });
    await lab.service.jobs.add({ name: 'once', message: 'x', schedule: { kind: 'at', atMs: CRON_TIME + HOUR } });
    await lab.settle();
    lab.clock.set(CRON_TIME + 7 * DAY);
    await lab.pass(6 * MINUTE);
    expect(lab.ran.map(({ name }) => name)).toEqual(['once']);
    expect((await lab.service.jobs.runs(id)).map(({ status }) => status)).toEqual(['skipped']);
    expect((await lab.service.jobs.find(id)).state.lastStatus).toBe('skipped');
    await lab.pass(HOUR);
    expect(lab.times('hourly')).toHaveLength(1);
  });

  it('wait while schedules are turned off', async () => {
    const lab = cronLab({ settings: { enabled: false } });
    await lab.service.jobs.add({ name: 'hourly', message: 'x', schedule: HOURLY });
    await lab.pass(3 * HOUR);
    expect(lab.ran).toEqual([]);
    lab.settings.enabled = true;
    await lab.pass(6 * MINUTE);
    expect(lab.ran).toHaveLength(1);
  });
});

describe('runs', () => {
  it('go side by side, two at a time', async () => {
    let now = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const lab = cronLab({
      run: async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => ends.push(resolve));
        now--;
        return OK;
      },
    });
    for (const name of ['a', 'b', 'c']) await lab.service.jobs.add({ name, message: 'x', schedule: HOURLY });
    const passing = lab.clock.pass(HOUR, async () => {
      for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
    });
    await passing;
    expect(ends).toHaveLength(2);
    ends.shift()?.();
    for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
    await lab.clock.pass(1_000, async () => {
      for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
    });
    expect(lab.ran.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(most).toBe(2);
    for (const end of ends) end();
    await lab.settle();
  });

  it('that fail are tried again after 30 s, 60 s and 5 min, then wait for their next time', async () => {
    const lab = cronLab({ run: () => Promise.resolve(FAILED) });
    const { id } = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: DAILY });
    await lab.pass(Date.parse('2026-04-16T06:59:00Z') - CRON_TIME);
    const at: number[] = [];
    lab.service.onChange(() => void (lab.service.isRunning(id) && at.push(lab.clock.now())));
    await lab.pass(HOUR);
    const due = Date.parse('2026-04-16T07:00:00Z');
    expect([...new Set(at)].map((time) => (time - due) / 1000)).toEqual([0, 30, 90, 390]);
    const job = await lab.service.jobs.find(id);
    expect(job.state).toMatchObject({ lastStatus: 'error', lastError: 'no luck', failures: 4 });
    expect((await lab.service.jobs.runs(id)).map(({ why }) => why)).toEqual(['retry', 'retry', 'retry', 'due']);
  });

  it('that fail ten times in a row disable their job, and the person is told', async () => {
    const lab = cronLab({ run: () => Promise.resolve(FAILED) });
    const { id } = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: DAILY });
    await lab.pass(5 * DAY);
    expect(lab.ran).toHaveLength(10);
    expect((await lab.service.jobs.find(id)).enabled).toBe(false);
    expect(lab.told.map(({ disabled }) => disabled)).toEqual([...Array<boolean>(9).fill(false), true]);
  });

  it('that cannot be mended by trying again are not tried again', async () => {
    const lab = cronLab({ run: () => Promise.resolve({ ...FAILED, final: true }) });
    await lab.service.jobs.add({ name: 'a', message: 'x', schedule: DAILY });
    await lab.pass(DAY);
    expect(lab.ran).toHaveLength(1);
  });

  it('are forgotten with a single job that was done, and kept with one that failed', async () => {
    const lab = cronLab({ run: ({ name }) => Promise.resolve(name === 'bad' ? FAILED : OK) });
    const schedule = { kind: 'at', atMs: CRON_TIME + HOUR } as const;
    await lab.service.jobs.add({ name: 'good', message: 'x', schedule });
    await lab.service.jobs.add({ name: 'bad', message: 'x', schedule });
    await lab.pass(DAY);
    expect((await lab.service.jobs.list()).map(({ name, enabled }) => [name, enabled])).toEqual([['bad', false]]);
    expect(lab.times('bad')).toHaveLength(4);
  });

  it('by hand leave the times as they are', async () => {
    const lab = cronLab();
    const job = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    const record = await lab.service.runNow(job.id);
    expect(record).toMatchObject({ status: 'ok', why: 'hand', text: 'done' });
    expect((await lab.service.jobs.find(job.id)).state.nextRunAtMs).toBe(job.state.nextRunAtMs);
    await expect(lab.service.runNow('nothing')).rejects.toThrow('There is no schedule "nothing"');
  });

  it('by hand that were cut off leave a single job its time', async () => {
    const lab = cronLab({ start: false });
    const schedule = { kind: 'at', atMs: CRON_TIME + HOUR } as const;
    const { id } = await lab.service.jobs.add({ name: 'once', message: 'x', schedule, deleteAfterRun: false });
    await lab.store.change((jobs) => begin(jobs, id, CRON_TIME));
    lab.service.start();
    await lab.settle();
    expect(await lab.service.jobs.find(id)).toMatchObject({ enabled: true, state: { lastStatus: 'error' } });
    expect(await lab.service.jobs.runs(id)).toMatchObject([{ status: 'error', why: 'hand' }]);
    await lab.pass(2 * HOUR);
    expect(lab.times('once')).toEqual(['2026-04-15T14:23']);
  });

  it('by hand begin once where two ask at once, and again after one could not begin', async () => {
    const lab = cronLab();
    const { id } = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    const both = await Promise.allSettled([lab.service.runNow(id), lab.service.runNow(id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(lab.ran).toHaveLength(1);
    const change = vi.spyOn(lab.store, 'change').mockRejectedValueOnce(new Error('The disk is full.'));
    await expect(lab.service.runNow(id)).rejects.toThrow('disk is full');
    change.mockImplementationOnce((edit) => {
      edit([]);
      return Promise.resolve([]);
    });
    await expect(lab.service.runNow(id)).rejects.toThrow('was removed meanwhile');
    expect((await lab.service.runNow(id)).status).toBe('ok');
  });

  it('do not begin once the service is disposed of', async () => {
    const lab = cronLab();
    const { id } = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    const acquire = lab.leases.acquire.bind(lab.leases);
    vi.spyOn(lab.leases, 'acquire').mockImplementation((name) => {
      if (name === lockOf(id)) void lab.service.dispose();
      return acquire(name);
    });
    await lab.pass(HOUR);
    await expect(lab.service.runNow(id)).rejects.toThrow('is closing');
    expect(lab.ran).toEqual([]);
    expect((await lab.service.jobs.find(id)).state.runningSinceMs).toBeUndefined();
  });

  it('keep the last hundred', async () => {
    const lab = cronLab();
    const { id } = await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    await lab.pass(5 * DAY);
    const runs = await lab.service.jobs.runs(id);
    expect(runs).toHaveLength(100);
    expect(runs[0]?.at).toBeGreaterThan(runs[99]?.at ?? 0);
  });

  it('pause when the tokens of the day are used, and go on the next day', async () => {
    const lab = cronLab({ limit: 25 });
    await lab.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    await lab.pass(6 * HOUR);
    expect(lab.ran).toHaveLength(3);
    expect(lab.notices).toEqual([expect.stringContaining('used their tokens of today')]);
    await lab.pass(4 * HOUR);
    expect(lab.times('a')[3]?.slice(0, 13)).toBe('2026-04-15T22');
  });
});

describe('two windows', () => {
  it('run each due time once, and one goes on when the other is gone', async () => {
    const files = memoryFiles();
    const clock = new TestClock();
    const gone: number[] = [];
    let hang = false;
    const first = cronLab({
      files,
      clock,
      pid: 1,
      gone,
      run: () => (hang ? new Promise(() => undefined) : Promise.resolve(OK)),
    });
    const second = cronLab({ files, clock, pid: 2, gone });
    const quick = async () => {
      for (let n = 0; n < 10; n++) await new Promise((resolve) => setImmediate(resolve));
    };
    const { id } = await first.service.jobs.add({ name: 'a', message: 'x', schedule: HOURLY });
    await clock.pass(3 * HOUR, quick);
    const all = () => [...first.times('a'), ...second.times('a')].sort();
    expect(all()).toEqual(['2026-04-15T14:00', '2026-04-15T15:00', '2026-04-15T16:00']);
    hang = true;
    while (first.ran.length + second.ran.length < 4) await clock.pass(MINUTE, quick);
    const firstHangs = (await second.service.jobs.find(id)).state.runningSinceMs !== undefined;
    gone.push(1);
    await clock.pass(3 * HOUR, quick);
    expect(new Set(all()).size).toBe(all().length);
    expect(second.times('a').at(-1)).toBe(all().at(-1));
    expect(all().at(-1)?.slice(0, 13)).toMatch(/T(19|20)$/);
    if (firstHangs)
      expect((await second.service.jobs.runs(id)).some(({ error }) => error?.includes('was ended'))).toBe(true);
  });

  it('in different zones mean the same time: the zone of whoever added the job', async () => {
    const files = memoryFiles();
    const berlin = cronLab({ files, pid: 1, start: false });
    const tokyo = cronLab({ files, clock: new TestClock('Asia/Tokyo'), pid: 2 });
    const job = await berlin.service.jobs.add({ name: 'a', message: 'x', schedule: DAILY });
    await tokyo.pass(2 * DAY);
    expect(tokyo.times('a')).toEqual(['2026-04-16T07:00', '2026-04-17T07:00']);
    await tokyo.service.jobs.update(job.id, { schedule: DAILY });
    await tokyo.pass(DAY);
    expect(tokyo.times('a').slice(2)).toEqual(['2026-04-18T00:00']);
    expect(tokyo.file().jobs[0]?.['schedule']).toMatchObject({ kind: 'cron', expr: '0 9 * * *', tz: 'Asia/Tokyo' });
  });
});
