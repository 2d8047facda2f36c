import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { requireBanner } from '../../../scripts/lib/bundles.mjs';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';
import { linesOf, sessionPath } from './setup.js';

const here = dirname(fileURLToPath(import.meta.url));
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nanobot-worker-'));
  await build({
    entryPoints: [join(here, 'window.worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: requireBanner },
    outfile: join(folder, 'window.mjs'),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A process with a store of its own. */
class Window {
  readonly events: Record<string, unknown>[] = [];
  private next = 0;

  constructor(private readonly child: ChildProcess) {
    if (!child.stdout) throw new Error('no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.events.push(JSON.parse(line) as Record<string, unknown>);
    });
  }

  /** The answer to one command: its value, or the name of its error. */
  async ask(command: string, text = '', key = 'a:b'): Promise<unknown> {
    const id = (this.next += 1);
    this.child.stdin?.write(`${JSON.stringify({ id, command, key, text })}\n`);
    const answer = await until(`the answer to ${command}`, () => this.events.find((event) => event['id'] === id));
    return answer['error'] ?? answer['value'];
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

async function window(home: string, holder: string): Promise<Window> {
  const child = spawn(process.execPath, [join(folder, 'window.mjs'), home, holder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const opened = new Window(child);
  await until('the window', () => opened.events.length > 0);
  return opened;
}

describe('two windows on one home', () => {
  it('one writes, the other shows it live and read-only', async () => {
    const { home } = await tempHome();
    const [one, two] = await Promise.all([window(home, 'one'), window(home, 'two')]);
    await one.ask('append', 'first');
    expect(await two.ask('append', 'mine')).toBe('SessionBusy');
    expect(await two.ask('texts')).toEqual(['first']);
    await one.ask('append', 'second');
    await until('the change', () => two.events.some((event) => event['change'] === 'appended'));
    expect(await two.ask('texts')).toEqual(['first', 'second']);
  });

  it('one of them gets a lease that both want, and never both', async () => {
    const { home } = await tempHome();
    const [one, two] = await Promise.all([window(home, 'one'), window(home, 'two')]);
    for (let round = 0; round < 10; round += 1) {
      const key = `a:${round}`;
      const outcomes = await Promise.all([one.ask('acquire', '', key), two.ask('acquire', '', key)]);
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
    }
  });

  it('after a kill the other goes on at once, with everything that was written', async () => {
    const { home } = await tempHome();
    const [one, two] = await Promise.all([window(home, 'one'), window(home, 'two')]);
    await one.ask('append', 'first');
    expect(await two.ask('acquire')).toEqual({ by: 'one' });
    await one.kill();
    expect(await two.ask('acquire')).toBe('held');
    await two.ask('append', 'second');
    expect(await two.ask('texts')).toEqual(['first', 'second']);
    expect(await readdir(join(home, '.nanobot', 'locks'))).toEqual(['a_b.lock']);
  });

  it('of two that see the same dead holder one takes over', async () => {
    const { home } = await tempHome();
    const dead = await window(home, 'dead');
    const [one, two] = await Promise.all([window(home, 'one'), window(home, 'two')]);
    const keys = Array.from({ length: 10 }, (_, n) => `a:${n}`);
    for (const key of keys) await dead.ask('acquire', '', key);
    await dead.kill();
    for (const key of keys) {
      const outcomes = await Promise.all([one.ask('acquire', '', key), two.ask('acquire', '', key)]);
      expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
    }
  });

  it('"Continue here" hands the session over once the holder is idle', async () => {
    const { home } = await tempHome();
    const [one, two] = await Promise.all([window(home, 'one'), window(home, 'two')]);
    await one.ask('append', 'first');
    await one.ask('busy');
    const continued = two.ask('continueHere');
    await until('the request', async () => (await readdir(join(home, '.nanobot', 'locks'))).includes('a_b.request'));
    await one.ask('append', 'second');
    expect(one.events.some((event) => 'lost' in event)).toBe(false);
    await one.ask('idle');
    expect(await continued).toBeNull();
    await until('the notice', () => one.events.some((event) => event['lost'] === 'handover'));
    expect(await one.ask('append', 'too late')).toBe('LeaseLost');
    await two.ask('append', 'third');
    expect(await two.ask('texts')).toEqual(['first', 'second', 'third']);
    expect(await linesOf(sessionPath(home, 'a_b'))).toHaveLength(4);
    expect(await readdir(join(home, '.nanobot', 'locks'))).toEqual(['a_b.lock']);
  });
});
