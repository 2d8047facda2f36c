import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CRON_TIME, cronLab, HOUR } from '../../support/cronLab.js';
import type { memoryFiles } from '../../support/memoryFiles.js';

const NANOBOT = readFileSync(join(import.meta.dirname, '../../fixtures/nanobotHome/cron/jobs.json'), 'utf8');
const PATH = '/home/agent/cron/jobs.json';

describe("nanobot's jobs.json", () => {
  it('is read, and written with every field it had', async () => {
    const lab = cronLab({ start: false });
    await lab.write(NANOBOT);
    const [kettle] = await lab.service.jobs.list();
    expect(kettle).toMatchObject({
      id: '5f3a9c01',
      schedule: { kind: 'cron', expr: '0 9 1 * *', tz: 'Europe/Berlin' },
    });
    await lab.service.jobs.update('5f3a9c01', { name: 'kettle' });
    const before = JSON.parse(NANOBOT) as { jobs: Record<string, unknown>[] };
    expect(lab.file()).toEqual({ ...before, jobs: [{ ...before.jobs[0], name: 'kettle' }, before.jobs[1]] });
  });

  it('is read in snake_case, and from a bare cron.json', async () => {
    const lab = cronLab({ start: false });
    const job = {
      id: 'aaaa0001',
      name: 'old',
      schedule: { kind: 'every', every_ms: HOUR },
      payload: { message: 'do it', deliver: true },
      state: { next_run_at_ms: CRON_TIME + HOUR, last_status: 'ok' },
      created_at_ms: 5,
      delete_after_run: false,
    };
    await lab.files.writeAtomic('/home/agent/cron.json', JSON.stringify({ jobs: [job] }));
    const [read] = await lab.service.jobs.list();
    expect(read).toMatchObject({
      schedule: { everyMs: HOUR },
      state: { nextRunAtMs: CRON_TIME + HOUR, lastStatus: 'ok' },
      createdAtMs: 5,
    });
    await lab.service.jobs.setEnabled('aaaa0001', false);
    const [written] = lab.file().jobs;
    expect(written).toMatchObject({ enabled: false, schedule: { everyMs: HOUR } });
    expect(JSON.stringify(written)).not.toContain('_ms');
  });

  it('keeps what is no job of ours, and says why a job cannot run', async () => {
    const lab = cronLab();
    const jobs = [
      'a note',
      { name: 'no id' },
      { id: 'zone', schedule: { kind: 'cron', expr: '0 9 * * *', tz: 'Mars/X' }, payload: { message: 'x' } },
      { id: 'moon', schedule: { kind: 'moon', phase: 'full' }, payload: { message: 'x' } },
      { id: 'mute', schedule: { kind: 'every', everyMs: HOUR }, payload: {} },
      { id: 'good', schedule: { kind: 'every', everyMs: HOUR }, payload: { message: 'x' } },
      { id: 'good', schedule: { kind: 'every', everyMs: HOUR }, payload: { message: 'twice' } },
    ];
    await lab.write({ jobs, extra: 1 });
    await Promise.resolve();
    await lab.settle();
    await lab.pass(3 * HOUR);
    expect(lab.ran.length).toBeGreaterThanOrEqual(2);
    expect((await lab.service.jobs.list()).map(({ id, problem }) => [id, problem])).toEqual([
      ['zone', expect.stringContaining('Mars/X')],
      ['moon', expect.stringContaining('"moon"')],
      ['mute', expect.stringContaining('no message')],
      ['good', undefined],
    ]);
    await lab.service.jobs.update('zone', { name: 'renamed' });
    const file = lab.file() as unknown as { jobs: unknown[]; extra: number };
    expect(file.extra).toBe(1);
    expect(file.jobs).toHaveLength(7);
    expect(file.jobs[2]).toMatchObject({ name: 'renamed', schedule: { tz: 'Mars/X' } });
    expect(file.jobs[3]).toEqual(jobs[3]);
    expect(file.jobs[6]).toEqual(jobs[6]);
  });

  it('is set aside when it is torn, and the schedules go on as they were read last', async () => {
    const lab = cronLab();
    await lab.service.jobs.add({ name: 'a', message: 'x', schedule: { kind: 'every', everyMs: HOUR } });
    await lab.settle();
    await lab.write('{"version":1,"jobs":[{"id":"12');
    await lab.pass(2 * HOUR);
    const files = lab.files as ReturnType<typeof memoryFiles>;
    const aside = [...files.texts.keys()].filter((name) => name.startsWith(`${PATH}.corrupt-`));
    expect(aside).toHaveLength(1);
    expect(files.texts.get(aside[0] ?? '')).toBe('{"version":1,"jobs":[{"id":"12');
    expect(lab.notices).toEqual([expect.stringContaining('set aside as jobs.json.corrupt-')]);
    expect(lab.ran).toHaveLength(2);
  });

  it('is set aside where nothing was read before, and a schedule can be added', async () => {
    const lab = cronLab({ start: false });
    await lab.write('not json');
    expect(await lab.service.jobs.list()).toEqual([]);
    await lab.service.jobs.add({ name: 'a', message: 'x', schedule: { kind: 'every', everyMs: HOUR } });
    expect(lab.file().jobs).toHaveLength(1);
    expect(
      [...(lab.files as ReturnType<typeof memoryFiles>).texts.keys()].some((name) => name.includes('.corrupt-')),
    ).toBe(true);
  });

  it('edited by hand while running counts at once', async () => {
    const lab = cronLab();
    const { id } = await lab.service.jobs.add({
      name: 'a',
      message: 'x',
      schedule: { kind: 'cron', expr: '0 9 * * *' },
    });
    await lab.settle();
    const file = lab.file();
    await lab.write({ jobs: file.jobs.map((job) => ({ ...job, schedule: { kind: 'cron', expr: '30 15 * * *' } })) });
    await lab.settle();
    await lab.pass(HOUR);
    expect(lab.times('a')).toEqual(['2026-04-15T13:30']);
    await lab.write({ jobs: [] });
    await lab.pass(48 * HOUR);
    expect(lab.ran).toHaveLength(1);
    await expect(lab.service.runNow(id)).rejects.toThrow('There are none yet');
  });
});
