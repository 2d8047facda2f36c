import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { basename, delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { exists, isAlive, MARKER, processTree, type TreeProcess } from './nodeProcesses.js';
import type { Child, Shell } from './ports.js';

type Spawned = ChildProcessByStdio<Writable, Readable, null>;

/** Milliseconds without output after the shell's end that count as "all was delivered" while something else holds the pipe open. */
const DRAIN_MS = 100;
/** What the shell left running may write for ever: nobody waits longer than this for a pause. */
const DRAIN_LIMIT_MS = 500;
/** Milliseconds between looks at processes that were told to end. */
const LOOK_MS = 20;
/** Rounds of SIGKILL: each finds what was forked since the one before. */
const KILL_ROUNDS = 5;
const KILL_ROUND_MS = 250;

/**
 * Commands over `node:child_process`, each in a session and process group of its own on pipes, without a controlling terminal. POSIX: the
 * person's shell if it is bash or zsh, else /bin/bash, else /bin/sh. Windows: PowerShell 7 if it is on the path, else Windows PowerShell.
 */
export function nodeShell(environment: Readonly<Record<string, string | undefined>>): Shell {
  const windows = process.platform === 'win32';
  let found: string | undefined;
  let free: FreeBytes | undefined;
  const program = () => (found ??= windows ? powerShell(environment) : posixShell(environment));
  return {
    name: () => (windows ? 'PowerShell' : basename(program())),
    posix: () => !windows,
    spawn: (command, { cwd, env }) => {
      if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`There is no folder ${cwd}.`);
      const marker = randomUUID();
      const [file, args] = windows
        ? [program(), ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', powerShellLine(command)]]
        : ['/bin/sh', ['-c', IN_ORDER, program(), command]];
      // A top-level bash whose input is a socket, as Node's pipes are, takes itself for a remote login and runs ~/.bashrc: so it is never top-level.
      const child = spawn(file, args, {
        cwd,
        env: { ...env, [MARKER]: marker, SHLVL: String(Math.max(1, Number(env['SHLVL']) || 0)) },
        detached: !windows,
        stdio: ['pipe', 'pipe', windows ? 'pipe' : 'ignore'],
        windowsHide: true,
      }) as Spawned & { stderr: Readable | null };
      if (child.pid === undefined) {
        // The reason arrives as an event, too late to throw; unheard it would end the process.
        child.on('error', () => undefined);
        throw new Error(`${file} could not be started in ${cwd}.`);
      }
      free ??= bytesFreer();
      return windows ? new WindowsChild(child, child.pid, marker, free) : new NodeChild(child, child.pid, marker, free);
    },
  };
}

/** Standard error joins standard output in one pipe, the only way to keep their order; the outer shell then becomes the real one. */
const IN_ORDER = 'exec "$0" -c "$1" 2>&1';

/** A process with its whole tree. */
export class NodeChild implements Child {
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  protected readonly streams: Readable[];
  private listener: ((bytes: Uint8Array) => void) | undefined;
  private delivered: (() => void) | undefined;
  private paused = false;
  private gone = false;

  constructor(
    protected readonly child: Spawned & { stderr: Readable | null },
    readonly pid: number,
    private readonly marker: string,
    private readonly free: FreeBytes,
  ) {
    this.streams = child.stderr ? [child.stdout, child.stderr] : [child.stdout];
    // A command that ended before it read its input is no error of ours.
    child.stdin.on('error', () => undefined);
    this.exited = this.watchEnd();
  }

  onData(listener: (bytes: Uint8Array) => void): void {
    this.listener = listener;
    for (const stream of this.streams) {
      stream.on('data', (bytes: Buffer) => {
        // Not as a Buffer, whose `slice` copies nothing and so would be empty after the call.
        this.listener?.(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
        this.delivered?.();
        this.free(bytes);
      });
    }
  }

  pause(): void {
    this.paused = true;
    for (const stream of this.streams) stream.pause();
  }

  resume(): void {
    this.paused = false;
    for (const stream of this.streams) stream.resume();
  }

  write(text: string): void {
    if (this.child.stdin.writable) this.child.stdin.write(text);
  }

  endInput(): void {
    this.child.stdin.end();
  }

  interrupt(): void {
    if (!this.gone) signal(-this.pid, 'SIGINT');
  }

  async running(): Promise<boolean> {
    if (this.gone) return false;
    if (exists(-this.pid)) {
      // The group may consist of zombies that nobody collects, so a look at the processes decides.
      const members = await processTree(this.pid, this.marker);
      if (members.some((member) => member.group === this.pid)) return true;
    }
    this.gone = this.ended();
    return !this.gone;
  }

  async kill(graceMs: number): Promise<void> {
    // Once the group is known to be empty its number may belong to someone else.
    if (this.gone) return;
    const deadline = performance.now() + graceMs;
    let members = await processTree(this.pid, this.marker);
    while (members.length > 0 && performance.now() < deadline) {
      this.send(members, 'SIGTERM');
      await allGone(members, deadline - performance.now());
      members = await processTree(this.pid, this.marker);
    }
    for (let round = 0; members.length > 0 && round < KILL_ROUNDS; round++) {
      this.send(members, 'SIGKILL');
      await allGone(members, KILL_ROUND_MS);
      members = await processTree(this.pid, this.marker);
    }
    // Where processes cannot be listed, the group is still there to be ended.
    if (!this.ended()) signal(-this.pid, 'SIGKILL');
  }

  protected ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private send(members: TreeProcess[], name: NodeJS.Signals): void {
    // The group as a whole first: a member that is being forked at this moment gets it too.
    if (members.some((member) => member.group === this.pid)) signal(-this.pid, name);
    for (const member of members) if (member.group !== this.pid) signal(member.pid, name);
  }

  /** The shell's end with all its output. What it left running may hold the pipe open for hours and is not waited for. */
  private watchEnd(): Promise<{ code: number | null; signal: string | null }> {
    return new Promise((resolve) => {
      let status: { code: number | null; signal: string | null } = { code: null, signal: null };
      let timer: NodeJS.Timeout | undefined;
      const settle = () => {
        clearTimeout(timer);
        this.delivered = undefined;
        // Noted at once: an empty group's number is soon someone else's.
        this.gone = this.ended() && !exists(-this.pid);
        // Something that left the group may hold the pipe for days; it must not keep a headless process from ending.
        for (const stream of this.streams) (stream as Socket).unref();
        resolve(status);
      };
      this.child.once('close', settle);
      this.child.once('error', settle);
      this.child.once('exit', (code, name) => {
        status = { code, signal: name };
        const deadline = performance.now() + DRAIN_LIMIT_MS;
        const wait = () => {
          clearTimeout(timer);
          timer = setTimeout(() => (this.paused ? wait() : settle()), DRAIN_MS);
        };
        this.delivered = () => {
          if (performance.now() > deadline) settle();
          else wait();
        };
        wait();
      });
    });
  }
}

/** Windows has no groups and no signals: `taskkill` ends a tree at once, and that is all that can be done. */
export class WindowsChild extends NodeChild {
  override interrupt(): void {
    void this.kill();
  }

  override running(): Promise<boolean> {
    return Promise.resolve(!this.ended());
  }

  override async kill(): Promise<void> {
    await new Promise<void>((resolve) => {
      execFile('taskkill', ['/PID', String(this.pid), '/T', '/F'], { windowsHide: true }, () => {
        resolve();
      });
    });
  }
}

type FreeBytes = (bytes: Buffer) => void;

/**
 * Frees the memory of a piece of output at once, instead of at some garbage collection: 100 MB of output otherwise grow the process by 40 MB.
 * What is transferred to a port whose other side is closed is dropped; no version of Node has a shorter way.
 */
function bytesFreer(): FreeBytes {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return (bytes) => {
    // Small pieces may share their memory with others; those of a size that matters never do.
    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) port1.postMessage(undefined, [buffer]);
  };
}

async function allGone(members: TreeProcess[], ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  let left = members;
  while (left.length > 0 && performance.now() < deadline) {
    await sleep(LOOK_MS);
    const alive = await Promise.all(left.map(isAlive));
    left = left.filter((_member, index) => alive[index]);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already, or another person's (sudo): nothing more can be done from here.
  }
}

function posixShell(environment: Readonly<Record<string, string | undefined>>): string {
  const own = environment['SHELL'] ?? '';
  if (['bash', 'zsh'].includes(basename(own)) && runnable(own)) return own;
  return runnable('/bin/bash') ? '/bin/bash' : '/bin/sh';
}

function powerShell(environment: Readonly<Record<string, string | undefined>>): string {
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === 'PATH')?.[1] ?? '';
  const modern = path.split(delimiter).map((folder) => join(folder, 'pwsh.exe'));
  return modern.find(runnable) ?? 'powershell.exe';
}

/** The command with UTF-8 output, and with the status of the last program as PowerShell's own, which it otherwise flattens to 0 or 1. */
function powerShellLine(command: string): string {
  const before =
    "$ProgressPreference = 'SilentlyContinue'; $OutputEncoding = [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false";
  const after = '$nanobotOk = $?; if ($LASTEXITCODE) { exit $LASTEXITCODE }; if (-not $nanobotOk) { exit 1 }';
  return `${before}\n${command}\n${after}`;
}

function runnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
