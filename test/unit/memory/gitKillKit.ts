import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { dreamMessage } from '../../../src/memory/memoryCommit.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeGitFs } from '../../../src/platform/nodeGitFs.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import type { Files, GitFs, Processes } from '../../../src/platform/ports.js';
import { bundleWorker, seeded } from '../../support/killProcess.js';
import { gitLab, hasGit, HOME_FILES, usedLab, type GitLab } from './gitKit.js';

/** The worker's bundle in a folder of its own; `remove` takes it away. */
export function bundleGitWorker(): Promise<{ path: string; remove(): Promise<void> }> {
  return bundleWorker('../unit/memory/gitStore.worker.ts');
}

/** When a worker is killed: so many milliseconds after it told of so many commits. */
interface Kill {
  commits: number;
  ms: number;
}

/** Runs the worker to its end, or until it is killed; resolves with the commits it told of. */
export async function work(worker: string, home: string, name: string, times: number, kill?: Kill): Promise<string[]> {
  const child = spawn(process.execPath, [worker, home, name, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  let waits = kill !== undefined;
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    if (!kill || !waits || commitsIn(text).length < kill.commits) return;
    waits = false;
    void sleep(kill.ms).then(() => child.kill('SIGKILL'));
  });
  await once(child, 'close');
  if (!kill) expect(text).toMatch(/over\n$/);
  return commitsIn(text);
}

function commitsIn(text: string): string[] {
  return text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line));
}

/** A process that dies at a write step: files and the git library's files count together, and nothing works from then on. */
export function dyingPorts(at: number): { files: Files; fs: GitFs; processes: Processes } {
  let steps = 0;
  // A number that no process has: others see at once that the holder of its leases is gone.
  const processes = { ...nodeIdentity(), pid: 999_999_999 };
  const gone = () => Object.assign(new Error('EIO: the process is gone'), { code: 'EIO', syscall: 'write' });
  const counted = <A extends unknown[], T>(run: (...args: A) => Promise<T>, writes: boolean) => {
    return async (...args: A): Promise<T> => {
      if (steps > at) throw gone();
      if (writes) steps += 1;
      if (steps > at) throw gone();
      return run(...args);
    };
  };
  const files = nodeFiles();
  const { promises } = nodeGitFs();
  const writers = ['append', 'writeAtomic', 'createExclusive', 'truncate', 'rename', 'remove', 'makeFolder'];
  const gitWriters = ['writeFile', 'unlink', 'mkdir', 'rmdir', 'symlink', 'chmod'];
  const wrap = <T extends object>(port: T, names: string[]): T =>
    Object.fromEntries(
      Object.entries(port).map(([name, run]) => [
        name,
        name === 'watch' ? run : counted(run as (...args: unknown[]) => Promise<unknown>, names.includes(name)),
      ]),
    ) as T;
  return { files: wrap(files, writers), fs: { promises: wrap(promises, gitWriters) }, processes };
}

export async function copyOf(lab: GitLab): Promise<GitLab> {
  const copy = await gitLab();
  cpSync(lab.home, copy.home, { recursive: true });
  return copy;
}

/** After whatever happened: the history is whole, nothing was set aside, and it goes on. */
export async function expectWhole(lab: GitLab, told: string[] = []): Promise<void> {
  const store = lab.another();
  await store.ensure();
  await store.commitByHand();
  const log = await store.log(1_000);
  expect(log.map(({ sha }) => sha)).toEqual(expect.arrayContaining(told));
  expect(lab.notices).toEqual([]);
  if (!hasGit) return;
  expect(lab.git('status', '--porcelain')).toBe('');
  expect(lab.git('fsck', '--strict', '--no-dangling').replaceAll(/^bad sha1 file: .*tmp_obj_.*\n/gm, '')).toBe('');
}

/** Kills a real process at so many random moments, all in one home, and expects after each that nothing it told of is lost. */
export async function killGitAtRandom(worker: string, times: number, seed: number): Promise<void> {
  const lab = await usedLab();
  const random = seeded(seed);
  const told: string[] = [];
  for (let n = 0; n < times; n += 1) {
    // Commits are waited for and then milliseconds, so that a slow machine comes to commits as well.
    const kill = { commits: (n + 1) % 3, ms: random() * 500 };
    told.push(...(await work(worker, lab.home, `w${String(n % 10)}`, 1_000, kill)));
    await expectWhole(lab, told.slice(-100));
  }
  // If few lives came to a commit, the test tests little.
  expect(told.length).toBeGreaterThan(times / 2);
}

/** Cuts so many files of a repository off at a random length, one at a time, and expects each time that memory goes on. */
export async function cutOffFiles(times: number, seed: number): Promise<void> {
  const made = await usedLab();
  for (let n = 3; n < 6; n += 1) {
    await made.dream({ 'USER.md': `# User\n\n- ${String(n)}\n`, 'skills/a/SKILL.md': `${String(n)}\n` }, [n]);
  }
  const random = seeded(seed);
  const paths = readdirSync(join(made.home, '.git'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(made.home.length + 1))
    .sort();
  for (let n = 0; n < times; n += 1) {
    const path = paths[Math.floor(random() * paths.length)] ?? '';
    const lab = await copyOf(made);
    const length = Math.floor(random() * statSync(join(lab.home, path)).size);
    truncateSync(join(lab.home, path), length);
    await expectCommits(lab, `${path} cut off at ${String(length)}`);
  }
}

async function expectCommits(lab: GitLab, where: string): Promise<void> {
  const { store } = lab;
  lab.write('USER.md', '# User\n\n- after\n');
  await store.ensure();
  await store.commitByHand();
  lab.write('SOUL.md', '# Soul\n\n- brief\n');
  const dream = await store.commit((changes) => dreamMessage({ at: 'now', changes, cursors: [7] }));
  expect((await store.log(20))[0], where).toEqual(dream);
  expect((await store.restore(dream?.sha ?? '')).commit?.files, where).toEqual(['SOUL.md']);
  expect(lab.notices.length, where).toBeLessThan(2);
  expect(lab.read('memory/MEMORY.md'), where).toBe(HOME_FILES['memory/MEMORY.md']);
}
