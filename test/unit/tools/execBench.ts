import { mkdtempSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../../../src/platform/environment.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeShell } from '../../../src/platform/nodeShell.js';
import type { Clock, Disposable, Files, Mirror } from '../../../src/platform/ports.js';
import type { Tool, ToolContext, ToolResult } from '../../../src/runner/tool.js';
import { execTool, type CommandWorkspace } from '../../../src/tools/exec.js';
import { killExecTool } from '../../../src/tools/killExec.js';
import { pollExecTool } from '../../../src/tools/pollExec.js';
import { CommandTable } from '../../../src/tools/support/commands.js';
import { writeStdinTool } from '../../../src/tools/writeStdin.js';

export const SESSION = 'vscode:1';

/** Time as it is. */
export function realClock(): Clock {
  return {
    now: () => Date.now(),
    zone: () => 'UTC',
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return { dispose: () => clearTimeout(timer) };
    },
    sleep: async (ms) => void (await sleep(ms)),
  };
}

/** Time that passes only when a test says so. */
export class FakeClock implements Clock {
  private time = 1_000_000;
  private readonly timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.time;
  }

  zone(): string {
    return 'UTC';
  }

  after(ms: number, run: () => void): Disposable {
    const timer = { at: this.time + ms, run };
    this.timers.add(timer);
    return { dispose: () => this.timers.delete(timer) };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((done) => void this.after(ms, done));
  }

  get waiting(): number {
    return this.timers.size;
  }

  pass(ms: number): void {
    const until = this.time + ms;
    for (;;) {
      const next = [...this.timers].filter((timer) => timer.at <= until).sort((left, right) => left.at - right.at)[0];
      if (!next) break;
      this.timers.delete(next);
      this.time = next.at;
      next.run();
    }
    this.time = until;
  }
}

/** A terminal with a person in front of it. */
export class FakeMirror implements Mirror {
  text = '';
  readonly inputs = new Set<(line: string) => void>();
  readonly interrupts = new Set<() => void>();

  write(text: string): void {
    this.text += text;
  }

  onInput(listener: (line: string) => void): Disposable {
    this.inputs.add(listener);
    return { dispose: () => this.inputs.delete(listener) };
  }

  onInterrupt(listener: () => void): Disposable {
    this.interrupts.add(listener);
    return { dispose: () => this.interrupts.delete(listener) };
  }

  type(line: string): void {
    for (const listener of this.inputs) listener(line);
  }

  interrupt(): void {
    for (const listener of this.interrupts) listener();
  }
}

export interface BenchOptions {
  clock?: Clock;
  mirror?: Mirror;
  files?: Pick<Files, 'append'>;
  environment?: Record<string, string>;
  workspace?: Partial<CommandWorkspace>;
  /** Seconds. */
  defaultTimeout?: number;
}

export interface Bench {
  /** The workspace folder. */
  folder: string;
  results: string;
  commands: CommandTable;
  tools: Record<'exec' | 'poll' | 'write' | 'kill', Tool>;
  exec: (args: Record<string, unknown>, context?: Partial<ToolContext>) => Promise<ToolResult>;
  poll: (handle: string, seconds?: number, context?: Partial<ToolContext>) => Promise<ToolResult>;
  write: (handle: string, text: string) => Promise<ToolResult>;
  kill: (handle: string) => Promise<ToolResult>;
  close(): Promise<void>;
}

/** The four tools over real processes and real files in a folder of their own. */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'nanobot-exec-')));
  const folder = join(root, 'project');
  await mkdir(folder);
  const results = join(root, 'home/.nanobot/results');
  const clock = options.clock ?? realClock();
  const files = nodeFiles();
  const shell = nodeShell(process.env);
  const commands = new CommandTable({
    shell,
    files: options.files ?? files,
    clock,
    environment: () => options.environment ?? childEnvironment(process.env, []),
    mirror: () => options.mirror,
    resultsFolder: results,
  });
  const workspace: CommandWorkspace = {
    trusted: () => true,
    onDisk: () => true,
    resolve: (path) => resolve(folder, path),
    stat: (path) => files.stat(path),
    editorContext: () => ({ visibleFiles: [], dirtyFiles: [] }),
    save: async () => undefined,
    ...options.workspace,
  };
  const tools = {
    exec: execTool({ shell, workspace, commands, clock, defaultTimeout: () => options.defaultTimeout ?? 60 }),
    poll: pollExecTool({ commands }),
    write: writeStdinTool({ commands }),
    kill: killExecTool({ commands }),
  };
  return {
    folder,
    results,
    commands,
    tools,
    exec: (args, context) => tools.exec.run(args, contextOf(context)),
    poll: (handle, seconds, context) =>
      tools.poll.run({ handle, ...(seconds === undefined ? {} : { wait_seconds: seconds }) }, contextOf(context)),
    write: (handle, text) => tools.write.run({ handle, text }, contextOf()),
    kill: (handle) => tools.kill.run({ handle }, contextOf()),
    close: async () => {
      await commands.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}

export function contextOf(changes: Partial<ToolContext> = {}): ToolContext {
  return {
    sessionKey: SESSION,
    turnId: 'turn-1',
    callId: 'call-1',
    signal: new AbortController().signal,
    watched: true,
    reads: { note: () => undefined, forget: () => undefined, check: () => 'unread' },
    update: () => undefined,
    beforeChange: async () => undefined,
    amended: () => undefined,
    markUntrusted: () => undefined,
    isUntrusted: () => false,
    ask: async () => '',
    setTodo: () => undefined,
    askSave: async () => 'run',
    ...changes,
  };
}

/** Whether a process runs; a zombie that nobody collected does not. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/\) [ZX] /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The numbers in a file that a command writes its process ids to, once there are `count` of them. */
export function pidsIn(path: string, count: number): number[] | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  const pids = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number);
  return pids.length >= count ? pids : undefined;
}
