import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundledCli } from '../../support/bundledCli.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const cli = bundledCli();

interface Line {
  child: ChildProcess;
  said(): string;
  ended: Promise<number | null>;
}

/** A home, and command lines on it. */
async function place() {
  const { root, home } = await tempHome();
  mkdirSync(join(root, 'project'));
  writeFileSync(
    join(root, 'config.json'),
    JSON.stringify({ agents: { defaults: { model: 'practice/practice', timezone: 'Europe/Berlin' } } }),
  );
  const begin = (...args: string[]): Line => {
    const env = { PATH: process.env['PATH'], HOME: root, NANOBOT_NO_PROBE: '1' };
    const all = [cli(), ...args, '--home', home, '--config', join(root, 'config.json')];
    const child = spawn(process.execPath, all, { cwd: join(root, 'project'), env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    return { child, said: () => said, ended: once(child, 'close').then(([status]) => status as number | null) };
  };
  const run = async (...args: string[]) => {
    const line = begin(...args);
    return { status: await line.ended, said: line.said() };
  };
  const jobs = () =>
    (JSON.parse(readFileSync(join(home, 'cron', 'jobs.json'), 'utf8')) as { jobs: Record<string, unknown>[] }).jobs;
  return { begin, run, jobs, home };
}

it('adds, lists, runs, disables and removes', async () => {
  const { run, jobs } = await place();
  const added = await run(
    'cron',
    'add',
    '--name',
    'mail',
    '--message',
    'Reminder: read the mail',
    '--cron',
    '0 9 * * 1-5',
    '--tz',
    'Asia/Kolkata',
  );
  expect(added).toMatchObject({
    status: 0,
    said: expect.stringContaining('every weekday at 09:00 (Asia/Kolkata)') as string,
  });
  const id = String(jobs()[0]?.['id']);
  expect(jobs()[0]).toMatchObject({ name: 'mail', schedule: { kind: 'cron', tz: 'Asia/Kolkata' }, enabled: true });
  expect((await run('cron', 'list')).said).toContain(`${id}  mail`);
  expect(await run('cron', 'run', id)).toMatchObject({
    status: 0,
    said: expect.stringContaining('⏰ read the mail') as string,
  });
  expect((await run('cron', 'disable', 'mail')).status).toBe(0);
  expect(jobs()[0]?.['enabled']).toBe(false);
  expect((await run('cron', 'remove', id)).status).toBe(0);
  expect(jobs()).toEqual([]);
  expect((await run('cron', 'list')).said).toContain('There are no schedules yet.');
}, 60_000);

it('refuses what cannot be, in words', async () => {
  const { run } = await place();
  const add = (...args: string[]) => run('cron', 'add', '-m', 'x', ...args);
  expect(await add('--at', '2020-01-01T09:00')).toMatchObject({
    status: 1,
    said: expect.stringContaining('is in the past') as string,
  });
  expect(await add('--every', '5')).toMatchObject({
    status: 1,
    said: expect.stringContaining('at most once a minute') as string,
  });
  expect(await add('--every', 'soon')).toMatchObject({
    status: 2,
    said: expect.stringContaining('a number of seconds') as string,
  });
  expect(await add()).toMatchObject({ status: 2, said: expect.stringContaining('exactly one of') as string });
  expect(await run('cron', 'remove', 'nope')).toMatchObject({
    status: 1,
    said: expect.stringContaining('no schedule "nope"') as string,
  });
  expect(await run('cron', 'dance')).toMatchObject({
    status: 2,
    said: expect.stringContaining('no action "dance"') as string,
  });
}, 60_000);

it('runs schedules in a gateway until it is told to end', async () => {
  const { begin, run, jobs } = await place();
  const gateway = begin('gateway');
  await until('the gateway', () => gateway.said().includes('Nanobot runs in'));
  await run('cron', 'add', '-m', 'Reminder: drink tea', '--when', 'in 3 seconds');
  await until('the reminder', () => gateway.said().includes('⏰ drink tea'));
  await until('the job to be done', () => jobs().length === 0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended).toBe(0);
}, 60_000);
