import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hostOptions, workerEntries } from '../../../scripts/lib/bundles.mjs';
import { tempHome } from '../../support/tempHome.js';

let dist = '';

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'nanobot-recall-'));
  await build({
    ...hostOptions({ minify: false, outdir: dist }),
    entryPoints: { cli: 'src/cli.ts', ...workerEntries },
    logLevel: 'error',
  });
  writeFileSync(join(dist, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rm(dist, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const { root } = await tempHome();
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: root };
    const child = execFile(process.execPath, [join(dist, 'cli.js'), ...args], { env }, (_error, out, err) => {
      resolve({ status: child.exitCode ?? -1, out, err });
    });
  });
}

async function homeWithTalk(): Promise<string> {
  const { home } = await tempHome();
  mkdirSync(join(home, 'sessions'), { recursive: true });
  const line = (role: string, content: string) =>
    `${JSON.stringify({ role, content, timestamp: '2023-05-08T13:57:00Z' })}\n`;
  writeFileSync(
    join(home, 'sessions/cli_direct.jsonl'),
    line('user', 'Anna: I started a ceramics class yesterday') + line('assistant', 'Ben: How was the weather?'),
  );
  return home;
}

it('prints ranked hits as one JSON array', async () => {
  const home = await homeWithTalk();
  const { status, out } = await run(
    'recall',
    'When did Anna start her pottery class?',
    '--home',
    home,
    '--json',
    '--limit',
    '1',
  );
  expect(status).toBe(0);
  const hits = JSON.parse(out) as { score: number }[];
  expect(hits).toMatchObject([
    {
      time: '2023-05-08T13:57:00.000Z',
      source: join(home, 'sessions/cli_direct.jsonl'),
      line: 1,
      text: 'Anna: I started a ceramics class yesterday',
    },
  ]);
  expect(hits[0]?.score).toBeGreaterThan(0);
});

it('prints hits for people, and says where nothing was found', async () => {
  const home = await homeWithTalk();
  const found = await run('recall', 'pottery', '--home', home);
  expect(found.status).toBe(0);
  expect(found.out).toContain(`${join(home, 'sessions/cli_direct.jsonl')}:1`);
  const none = await run('recall', 'xylophone', '--home', home, '--json');
  expect(none).toMatchObject({ status: 0, out: '[]\n' });
  expect(none.err).toContain('Nothing was found');
});

it('takes a question of several words without quotes', async () => {
  const home = await homeWithTalk();
  const { out } = await run('recall', 'pottery', 'class', '--home', home, '--json', '--limit', '1');
  expect(out).toContain('ceramics');
});

it('refuses what it does not know with status 2 and the usage', async () => {
  for (const args of [['--limit', '0'], ['--limit', 'many'], ['--days', '-1'], ['--what']]) {
    const { status, err } = await run('recall', 'x', ...args);
    expect(status, args.join(' ')).toBe(2);
    expect(err).toContain('Usage: node dist/cli.js recall');
  }
  expect(await run('recall', '--help')).toMatchObject({
    status: 0,
    out: expect.stringContaining('--limit N') as string,
  });
});
