import type { Words } from '../platform/words.js';
import { hasOption } from './resolve.js';

const VALUED = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix'];

/** Git's subcommand and what follows it, with git's own options before it left out. */
export function gitParts(args: readonly string[]): { sub: string; rest: string[] } {
  let index = 0;
  while (index < args.length && args[index]?.startsWith('-')) index += VALUED.includes(args[index] ?? '') ? 2 : 1;
  return { sub: (args[index] ?? '').toLowerCase(), rest: args.slice(index + 1) };
}

type Check = (rest: readonly string[], operands: readonly string[]) => Words | undefined | false;

/** By subcommand: what loses work, or rewrites or deletes what others have. */
const CHECKS: Readonly<Record<string, Check>> = {
  push: (rest, operands) => {
    const forced = hasOption(rest, 'f', '--force') || operands.some((arg) => arg.startsWith('+'));
    if (forced) return (t) => t('Overwrites the remote branch (forced push)');
    const deletes =
      hasOption(rest, 'd', '--delete') || hasOption(rest, '', '--mirror') || hasOption(rest, '', '--prune');
    return (deletes || operands.slice(1).some((arg) => arg.startsWith(':'))) && ((t) => t('Deletes on the remote'));
  },
  reset: (rest) =>
    (hasOption(rest, '', '--hard') || hasOption(rest, '', '--merge')) &&
    ((t) => t('Discards changes (git reset --hard)')),
  clean: (rest) => hasOption(rest, 'f', '--force') && ((t) => t('Deletes files that git does not track')),
  checkout: (rest, operands) => {
    const paths = rest.includes('--') || operands.some((arg) => /^\.{1,2}(\/|$)|^:/.test(arg));
    const forced = hasOption(rest, 'f', '--force') || hasOption(rest, '', '--pathspec-from-file');
    return (paths || forced) && ((t) => t('Discards changes (git checkout)'));
  },
  switch: (rest) =>
    (hasOption(rest, 'f', '--force') || hasOption(rest, '', '--discard-changes')) &&
    ((t) => t('Discards changes (git switch)')),
  restore: (rest) => {
    const onlyStaged = hasOption(rest, 'S', '--staged') && !hasOption(rest, 'W', '--worktree');
    return !onlyStaged && ((t) => t('Discards changes (git restore)'));
  },
  rm: (rest) => hasOption(rest, 'rf', '--force') && ((t) => t('Deletes files recursively or forced')),
  branch: (rest) => {
    const forced = hasOption(rest, 'd', '--delete') && hasOption(rest, 'f', '--force');
    return (hasOption(rest, 'D') || forced) && ((t) => t('Deletes a branch that may not be merged'));
  },
  stash: (_, operands) => /^(drop|clear)$/.test(operands[0] ?? '') && ((t) => t('Deletes stashed changes')),
  worktree: (rest, operands) =>
    operands[0] === 'remove' && hasOption(rest, 'f', '--force') && ((t) => t('Deletes a worktree with its changes')),
  submodule: (_, operands) => operands[0] === 'foreach' && ((t) => t('Runs a command in every submodule')),
  'filter-branch': () => (t) => t('Rewrites history'),
  'filter-repo': () => (t) => t('Rewrites history'),
  'update-ref': () => (t) => t('Rewrites history'),
  reflog: (_, operands) =>
    /^(expire|delete)$/.test(operands[0] ?? '') && ((t) => t('Deletes what undoes mistakes in git')),
  'send-email': () => (t) => t('Sends mail'),
};

/** Why a git command is dangerous, or undefined. Options may be abbreviated, as git itself allows. */
export function gitDanger(args: readonly string[]): Words | undefined {
  const { sub, rest } = gitParts(args);
  const check = Object.hasOwn(CHECKS, sub) ? CHECKS[sub] : undefined;
  const operands = rest.filter((arg) => !arg.startsWith('-'));
  return check?.(rest, operands) || undefined;
}
