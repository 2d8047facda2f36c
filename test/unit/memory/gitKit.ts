import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { GitStore } from '../../../src/memory/gitStore.js';
import { dreamMessage, type MemoryCommit } from '../../../src/memory/memoryCommit.js';
import type { Clock, Files, GitFs } from '../../../src/platform/ports.js';
import { tempHome } from '../../support/tempHome.js';
import { storeOn } from './gitStoreOn.js';

/** Whether the git program is here, to be asked what it thinks of our repositories. */
export const hasGit = spawnSync('git', ['--version']).status === 0;

export interface GitLab {
  home: string;
  root: string;
  store: GitStore;
  notices: string[];
  logged: string[];
  /** Another store on the same home, as another window has it. */
  another(): GitStore;
  write(path: string, text: string): void;
  read(path: string): string;
  exists(path: string): boolean;
  remove(path: string): void;
  /** Writes files and the cursor as a Dream does, and commits. */
  dream(files: Record<string, string | undefined>, cursors?: number[]): Promise<MemoryCommit>;
  /** The git program's answer in the home. */
  git(...args: string[]): string;
}

/** A history over real files in a home of its own. */
export async function gitLab(
  ports: { files?: Files; fs?: GitFs; clock?: Clock; home?: string; root?: string } = {},
): Promise<GitLab> {
  const temp =
    ports.home === undefined ? await tempHome() : { home: ports.home, root: ports.root ?? dirname(ports.home) };
  const { home, root } = temp;
  mkdirSync(home, { recursive: true });
  const notices: string[] = [];
  const logged: string[] = [];
  const another = () => {
    const { store, leases } = storeOn(home, { ...ports, notices, logged });
    onTestFinished(() => leases.dispose());
    return store;
  };
  const store = another();
  const path = (name: string) => join(home, name);
  const lab: GitLab = {
    home,
    root,
    store,
    notices,
    logged,
    another,
    write(name, text) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), text);
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    exists: (name) => existsSync(path(name)),
    remove: (name) => rmSync(path(name), { recursive: true, force: true }),
    async dream(files, cursors = []) {
      for (const [name, text] of Object.entries(files)) {
        if (text === undefined) lab.remove(name);
        else lab.write(name, text);
      }
      if (cursors.length > 0) lab.write('memory/.dream_cursor', String(Math.max(...cursors)));
      const commit = await store.commit((changes) => dreamMessage({ at: '2026-04-15 15:23', changes, cursors }));
      if (!commit) throw new Error('The Dream changed nothing.');
      return commit;
    },
    git: (...args) => execFileSync('git', args, { cwd: home, encoding: 'utf8', env: gitEnvironment(), stdio: 'pipe' }),
  };
  return lab;
}

/** No configuration of this machine may reach the program. */
export function gitEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
}

/** Files of a home as a person has them. */
export const HOME_FILES = {
  'SOUL.md': '# Soul\n\n- calm\n',
  'USER.md': '# User\n\n- name: Ada\n',
  'memory/MEMORY.md': '# Memory\n\n## Facts\n\n- likes tea\n- lives in Berlin\n',
  'memory/.dream_cursor': '2',
};

/** A home with its first files and a history that knows them. */
export async function usedLab(): Promise<GitLab> {
  const lab = await gitLab();
  for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
  await lab.store.ensure();
  return lab;
}
