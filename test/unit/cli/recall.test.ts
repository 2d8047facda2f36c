import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledCli } from '../../support/bundledCli.js';
import { tempHome } from '../../support/tempHome.js';

const cli = bundledCli();

async function run(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const { root } = await tempHome();
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], HOME: root };
    const child = execFile(process.execPath, [cli(), ...args], { env }, (_error, out, err) => {
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
