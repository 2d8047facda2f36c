import type { ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { MARKER } from './nodeProcesses.js';
import { NodeChild, WindowsChild } from './nodeShell.js';
import { delimiter, extname, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Program, Programs } from './ports.js';

type Spawned = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Programs over `node:child_process`, each in a process group of its own, so that all it started ends with it. On Windows `npx` and its like are
 * command files: cross-spawn finds them and quotes their arguments.
 */
export function nodePrograms(): Programs {
  return {
    start: async (command, args, { cwd, env }) => {
      if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`There is no folder ${cwd}.`);
      const { default: spawn } = await import('cross-spawn');
      const marker = randomUUID();
      const windows = process.platform === 'win32';
      const child = spawn(windows ? programOnPath(command, env) : command, args, {
        cwd,
        env: { ...env, [MARKER]: marker },
        detached: !windows,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      }) as Spawned;
      await started(child, command);
      return program(child, marker, windows);
    },
  };
}

/**
 * The whole path of a command that is a bare name, from the PATH alone. Windows looks in the folder a program is to run in first, where a repository may
 * have put one of that name. A command with a folder in it is kept as it is.
 */
export function programOnPath(command: string, env: Readonly<Record<string, string>>): string {
  if (/[\\/:]/.test(command)) return command;
  const valueOf = (wanted: string) => Object.entries(env).findLast(([name]) => name.toUpperCase() === wanted)?.[1];
  const endings = (valueOf('PATHEXT') || '.EXE;.CMD;.BAT;.COM').split(delimiter).filter((ending) => ending !== '');
  const names = extname(command) ? ['', ...endings] : [...endings, ''];
  const folders = (valueOf('PATH') ?? '').split(delimiter).map((folder) => folder.replaceAll('"', ''));
  const paths = folders
    .filter((folder) => isAbsolute(folder))
    .flatMap((folder) => names.map((end) => join(folder, command + end)));
  const found = paths.find(isProgram);
  if (found === undefined) throw new Error(missing(command));
  return found;
}

/** A link that cannot be followed counts: the Store's aliases, such as `python.exe`, are that and can be started. */
function isProgram(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() || statSync(path).isFile();
  } catch {
    return false;
  }
}

function missing(command: string): string {
  return `There is no program "${command}" on the PATH. Install it, or give its whole path.`;
}

function started(child: Spawned, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause: NodeJS.ErrnoException) => {
      const isMissing = cause.code === 'ENOENT';
      reject(new Error(isMissing ? missing(command) : `"${command}" could not be started: ${cause.message}`));
    });
  });
}

function program(child: Spawned, marker: string, windows: boolean): Program {
  const pid = child.pid ?? 0;
  const Tree = windows ? WindowsChild : NodeChild;
  const tree = new Tree(child as unknown as ConstructorParameters<typeof NodeChild>[0], pid, marker, () => undefined);
  // A program may end for reasons of its own at any moment: what cannot be written any more is lost with it.
  child.on('error', () => undefined);
  return {
    pid,
    onOutput: (listener) => void child.stdout.on('data', listener),
    onErrors: (listener) => void child.stderr.on('data', listener),
    write: (text) => {
      tree.write(text);
    },
    endInput: () => {
      tree.endInput();
    },
    kill: (graceMs) => tree.kill(graceMs),
    exited: tree.exited,
  };
}
