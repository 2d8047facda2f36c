import { execFileSync } from 'node:child_process';

/** Runs real git in a folder, with none of the person's configuration and an author of its own. */
export function gitIn(folder: string): (...args: string[]) => Buffer {
  const env = {
    PATH: process.env['PATH'],
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b.c', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b.c' },
  };
  return (...args) => execFileSync('git', args, { cwd: folder, env });
}
