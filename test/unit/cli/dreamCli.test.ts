import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundledCli } from '../../support/bundledCli.js';
import { startModelServer, type Script } from '../../support/modelServer.js';
import { saying } from '../../support/saying.js';
import { tempHome } from '../../support/tempHome.js';

const cli = bundledCli();

interface Place {
  root: string;
  home: string;
}

async function place(model: string, script?: Script): Promise<Place> {
  const { root, home } = await tempHome();
  mkdirSync(join(root, 'project'));
  const server = script && (await startModelServer(script));
  if (server) onTestFinished(() => server.close());
  const providers = server ? { openai: { apiBase: `${server.url}/v1` } } : {};
  writeFileSync(join(root, 'config.json'), JSON.stringify({ agents: { defaults: { model } }, providers }));
  const history = join(home, 'memory', 'history.jsonl');
  mkdirSync(dirname(history), { recursive: true });
  const entry = { cursor: 1, timestamp: '2026-04-15 10:00', content: '- Remember that the tea is green' };
  writeFileSync(history, `${JSON.stringify(entry)}\n`);
  return { root, home };
}

/** Runs one command line to its end. */
async function run({ root, home }: Place, message: string, signal?: NodeJS.Signals) {
  const env = { PATH: process.env['PATH'], HOME: root, NANOBOT_NO_PROBE: '1', OPENAI_API_KEY: 'test-key-1' };
  const args = ['agent', '-m', message, '--home', home, '--config', join(root, 'config.json')];
  const child = spawn(process.execPath, [cli(), ...args], { cwd: join(root, 'project'), env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (signal && text.includes('Dream reads')) child.kill(signal);
    });
  }
  child.stdin.end();
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, said };
}

const memory = ({ home }: Place) => readFileSync(join(home, 'memory/MEMORY.md'), 'utf8');

describe('Dream on the command line', () => {
  it('holds the process until it is done, and its status says how it went', async () => {
    const at = await place('practice/practice');
    const { status, said } = await run(at, '/dream');
    expect(said).toMatch(/Dream \(practice\) learned 1 thing from 1 entry/);
    expect(status).toBe(0);
    expect(memory(at)).toContain('- the tea is green');
    expect(existsSync(join(at.home, '.git'))).toBe(true);
    expect(await run(at, '/dream')).toMatchObject({ status: 0, said: saying('nothing new to read') });
    const sha = /\/dream-restore (\w+)/.exec(said)?.[1] ?? '';
    expect(await run(at, `/dream-log ${sha}`)).toMatchObject({
      status: 0,
      said: saying('+- the tea is green'),
    });
    expect(await run(at, `/dream-restore ${sha}`)).toMatchObject({ status: 0 });
    expect(memory(at)).not.toContain('green');
    expect(await run(at, '/dream-restore 0000000')).toMatchObject({ status: 1 });
  });

  it('ends with status 1 where it failed', async () => {
    const at = await place('openai/test-model', [{ status: 401, body: { error: { message: 'invalid key' } } }]);
    const { status, said } = await run(at, '/dream');
    expect(status).toBe(1);
    expect(said).toMatch(/key/);
  });

  it('is ended by Ctrl-C, changes nothing then, and leaves no lease', async () => {
    const at = await place('openai/test-model', [{ text: '[MEMORY] x', stall: 1 }]);
    const { status, said } = await run(at, '/dream', 'SIGINT');
    expect(said).toContain('Dream was stopped. Nothing was changed.');
    expect(status).toBe(1);
    expect(memory(at)).not.toContain('green');
    expect(existsSync(join(at.home, '.nanobot/locks/dream.lock'))).toBe(false);
  });
});
