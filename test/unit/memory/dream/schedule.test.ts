import { describe, expect, it } from 'vitest';
import type { DreamOutcome } from '../../../../src/memory/dream.js';
import { Schedule } from '../../../../src/memory/dream/schedule.js';
import { dreamLab, DREAM_TIME, edits, remembered, StandingClock } from '../../../support/dreamLab.js';
import { tempHome } from '../../../support/tempHome.js';
import { until } from '../../../support/until.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function planned(
  more: {
    lastRunAt?: number;
    outcomes?: DreamOutcome['kind'][];
    settings?: { enabled: boolean; intervalHours: number };
  } = {},
) {
  const clock = new StandingClock();
  const runs: number[] = [];
  const settings = more.settings ?? { enabled: true, intervalHours: 2 };
  let last = more.lastRunAt;
  const schedule = new Schedule({
    clock,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    settings: () => settings,
    lastRunAt: () => Promise.resolve(last),
    attempt: () => {
      const kind = more.outcomes?.[runs.length] ?? 'skipped';
      runs.push((clock.now() - DREAM_TIME) / MINUTE);
      if (kind !== 'busy' && kind !== 'nothing') last = clock.now();
      return Promise.resolve({ kind, entries: 0, reason: '' } as unknown as DreamOutcome);
    },
    changed: () => undefined,
  });
  schedule.start();
  /** Minutes pass one by one, as they do. */
  const pass = async (minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      clock.pass(MINUTE);
      for (let m = 0; m < 5; m++) await Promise.resolve();
    }
  };
  return { clock, runs, schedule, settings, pass, ranElsewhere: () => void (last = clock.now()) };
}

describe('the schedule of Dream', () => {
  it('begins two minutes after the start where it is due, and then every two hours', async () => {
    const { runs, pass } = planned();
    await pass(6 * 60);
    expect(runs).toEqual([2, 122, 242]);
  });

  it('goes on from the last run, of whichever window', async () => {
    const early = planned({ lastRunAt: DREAM_TIME - HOUR });
    await early.pass(130);
    expect(early.runs).toEqual([60]);
    const { runs, pass, ranElsewhere } = planned();
    await pass(60);
    ranElsewhere();
    await pass(120);
    expect(runs).toEqual([2, 180]);
  });

  it('tries again soon where something was in the way, and not where something failed', async () => {
    const { runs, pass } = planned({ outcomes: ['busy', 'busy', 'failed', 'nothing'] });
    await pass(260);
    expect(runs).toEqual([2, 7, 12, 132, 252]);
  });

  it('does not run while it is turned off, and has no next time then', async () => {
    const { runs, pass, settings, schedule } = planned({ settings: { enabled: false, intervalHours: 2 } });
    await pass(300);
    expect(runs).toEqual([]);
    expect(schedule.nextAt).toBeUndefined();
    settings.enabled = true;
    expect(schedule.nextAt).toBeGreaterThan(DREAM_TIME);
    await pass(120);
    expect(runs).toHaveLength(1);
  });

  it('follows an interval that is made shorter', async () => {
    const { runs, pass, settings } = planned({ settings: { enabled: true, intervalHours: 100 } });
    await pass(10);
    settings.intervalHours = 1;
    await pass(90);
    expect(runs).toHaveLength(2);
  });

  it('runs once, and no backlog, after the machine slept for days', async () => {
    const { runs, pass, clock } = planned();
    await pass(3);
    clock.set(clock.now() + 72 * HOUR);
    await pass(30);
    expect(runs).toHaveLength(2);
  });

  it('stays sane when the clock is set back a year or forth a year', async () => {
    const year = 365 * 24 * HOUR;
    const back = planned();
    await back.pass(3);
    back.clock.set(back.clock.now() - year);
    await back.pass(140);
    expect(back.runs).toHaveLength(2);
    const forth = planned();
    forth.clock.set(DREAM_TIME + year);
    await forth.pass(3);
    forth.clock.set(DREAM_TIME);
    await forth.pass(140);
    expect(forth.runs.length).toBeGreaterThanOrEqual(2);
    expect(forth.runs.length).toBeLessThanOrEqual(3);
  });

  it('keeps one timer, and none when it has ended', async () => {
    const { clock, schedule, pass } = planned();
    expect(clock.pending).toBe(1);
    await pass(200);
    expect(clock.pending).toBe(1);
    schedule.dispose();
    expect(clock.pending).toBe(0);
    schedule.start();
    expect(clock.pending).toBe(0);
  });
});

describe('Dream by itself', () => {
  it('runs when it is due, tells when it runs next, and reads nothing where there is nothing', async () => {
    const { home } = await tempHome();
    const clock = new StandingClock();
    const lab = dreamLab({
      home,
      clock,
      replies: ['[MEMORY] Tests run with vitest', edits('memory/MEMORY.md', ['', '- Tests run with vitest']), 'ok'],
    });
    await remembered(lab, '- Tests run with vitest');
    lab.dream.start();
    expect((await lab.dream.state()).nextRunAt).toBe(clock.now() + 2 * MINUTE);
    clock.pass(2 * MINUTE);
    await until('the run', async () => (await lab.dream.state()).lastRun?.outcome.kind === 'learned');
    await until('the next plan', async () => ((await lab.dream.state()).nextRunAt ?? 0) > clock.now() + 100 * MINUTE);
    for (let n = 0; n < 20; n++) clock.pass(15 * MINUTE);
    expect(lab.requests).toHaveLength(3);
    await lab.dream.dispose();
    expect((await lab.dream.state()).nextRunAt).toBeUndefined();
  });
});
