import { join } from 'node:path';
import { codeOf } from '../../platform/fileErrors.js';
import type { Child, Clock, Disposable, Files, Mirror, Shell } from '../../platform/ports.js';
import type { TerminalShell } from '../../platform/terminalShell.js';
import { reasonOf } from '../../platform/reason.js';
import { ToolError } from '../../runner/tool.js';
import { commandLine } from './commandText.js';
import { MirrorFeed } from './mirrorFeed.js';
import { RunningCommand } from './runningCommand.js';

/** Commands of one session that may run at the same time. */
const MAX_RUNNING = 8;
/** Commands in the background whose end is remembered for a late poll. */
const MAX_ENDED = 16;

export interface CommandTableNeeds {
  shell: Shell;
  files: Pick<Files, 'append'>;
  clock: Clock;
  /** The whole environment of a command, without keys. */
  environment: () => Record<string, string>;
  /** The terminal of a session's commands, asked for at each command. */
  mirror: (sessionKey: string) => Mirror | undefined;
  /** The person's own terminal, where they chose that commands run there. */
  terminal?: () => TerminalShell | undefined;
  /** `<home>/.nanobot/results`: long outputs go there. */
  resultsFolder: string;
}

interface Session {
  /** In the order they were started: all that run, and those in the background whose end may still be asked for. */
  commands: RunningCommand[];
  handles: number;
  /** What listens to the terminal while a command runs. */
  inputs: Disposable[];
  /** Why commands ran outside the terminal, as far as it was said. */
  said: Set<string>;
}

/** The commands of all sessions. Whoever makes the table disposes it, which ends them all. */
export class CommandTable {
  private readonly sessions = new Map<string, Session>();
  private disposed = false;
  private inTerminals = 0;

  constructor(private readonly needs: CommandTableNeeds) {}

  /**
   * Starts a command in a folder: in the person's own terminal where they chose that and nothing speaks against it (`not`), else in a shell of its own; its `note` says
   * once why it was the latter. Throws a ToolError where 8 of the session run, or where it cannot be started.
   */
  async start(
    sessionKey: string,
    command: string,
    cwd: string,
    { not, signal }: { not?: string; signal?: AbortSignal } = {},
  ): Promise<RunningCommand> {
    const session = this.session(sessionKey);
    const live = await this.forgetEnded(session);
    if (live.length >= MAX_RUNNING) {
      throw new ToolError(
        `${String(MAX_RUNNING)} commands run already: ${listed(live)}. End one with kill_exec before you start another.`,
      );
    }
    if (this.disposed) throw new ToolError('Nanobot is shutting down; no command can be started.');
    const terminal = this.needs.terminal?.();
    const inTerminal = terminal && (not ?? (await terminal.start(sessionKey, command, cwd, signal)));
    if (inTerminal === undefined || typeof inTerminal === 'string') {
      const running = this.startOwn(sessionKey, session, command, cwd);
      if (inTerminal === undefined || session.said.has(inTerminal)) return running;
      session.said.add(inTerminal);
      running.note = `This ran in Nanobot's own shell and not in the person's terminal: ${inTerminal}.`;
      return running;
    }
    const running = this.runningOf(command, inTerminal, undefined, true);
    session.commands.push(running);
    return running;
  }

  private startOwn(sessionKey: string, session: Session, command: string, cwd: string): RunningCommand {
    const { shell, clock, environment, mirror } = this.needs;
    const child = spawned(shell, command, { cwd, env: environment() });
    const terminal = mirror(sessionKey);
    const feed = terminal ? new MirrorFeed(terminal, clock, command) : undefined;
    const running = this.runningOf(command, child, feed, false);
    session.commands.push(running);
    if (terminal) listen(session, running, terminal);
    return running;
  }

  private runningOf(command: string, child: Child, feed: MirrorFeed | undefined, inTerminal: boolean): RunningCommand {
    const { clock, files, resultsFolder } = this.needs;
    const number = inTerminal ? `terminal-${String(++this.inTerminals)}` : String(child.pid);
    const outputPath = join(resultsFolder, `exec-${String(clock.now())}-${number}.txt`);
    return new RunningCommand(command, child, { clock, files, outputPath, feed, inTerminal });
  }

  /** Gives a running command the handle under which it goes on in the background. */
  keep(sessionKey: string, command: RunningCommand): string {
    const session = this.session(sessionKey);
    const handle = `c${String(++session.handles)}`;
    command.toBackground(handle);
    return handle;
  }

  /** The command of a handle, running or ended. Throws a ToolError that lists the handles there are. */
  find(sessionKey: string, handle: string): RunningCommand {
    const known = this.session(sessionKey).commands.filter((each) => each.handle !== undefined);
    const found = known.find((each) => each.handle === handle.trim());
    if (found) return found;
    throw new ToolError(
      `There is no command with the handle "${handle}"${known.length > 0 ? `; there are: ${listed(known)}` : ''}. ` +
        'Commands end with the window they were started in; how one ended that is not listed is not known.',
    );
  }

  /** Whether a command of the session ever went to the background. */
  hadBackground(sessionKey: string): boolean {
    return (this.sessions.get(sessionKey)?.handles ?? 0) > 0;
  }

  /** Ends every command of a session, for one that is deleted. */
  async endSession(sessionKey: string): Promise<void> {
    const session = this.sessions.get(sessionKey);
    if (!session) return;
    await Promise.all(session.commands.map((each) => each.kill('dispose')));
    for (const input of session.inputs.splice(0)) input.dispose();
    this.needs.terminal?.()?.end(sessionKey);
    this.sessions.delete(sessionKey);
  }

  /** Ends every command; resolves when they are gone. Nothing can be started afterwards. */
  async dispose(): Promise<void> {
    this.disposed = true;
    await Promise.all([...this.sessions.keys()].map((key) => this.endSession(key)));
  }

  private session(sessionKey: string): Session {
    const known = this.sessions.get(sessionKey);
    if (known) return known;
    const made: Session = { commands: [], handles: 0, inputs: [], said: new Set() };
    this.sessions.set(sessionKey, made);
    return made;
  }

  /** Forgets commands that ended within their call, and all but the newest ended ones of the background. Gives those that live. */
  private async forgetEnded(session: Session): Promise<RunningCommand[]> {
    const lives = await Promise.all(session.commands.map((each) => each.isLive()));
    const live = session.commands.filter((_each, index) => lives[index]);
    const ended = session.commands.filter((each) => !live.includes(each) && each.handle !== undefined);
    const remembered = ended.slice(-MAX_ENDED);
    session.commands = session.commands.filter((each) => live.includes(each) || remembered.includes(each));
    return live;
  }
}

/** What a person types goes to the newest command that runs; the terminal is listened to only while there is one. */
function listen(session: Session, started: RunningCommand, terminal: Mirror): void {
  const newest = () => session.commands.findLast((each) => each.ending === undefined);
  if (session.inputs.length === 0) {
    session.inputs.push(
      terminal.onInput((line) => newest()?.write(`${line}\n`)),
      terminal.onInterrupt(() => newest()?.interrupt()),
    );
  }
  const news = started.onNews(() => {
    if (started.ending === undefined) return;
    news.dispose();
    if (!newest()) for (const input of session.inputs.splice(0)) input.dispose();
  });
}

function spawned(shell: Shell, command: string, where: { cwd: string; env: Record<string, string> }): Child {
  try {
    return shell.spawn(command, where);
  } catch (cause) {
    throw new ToolError(spawnProblem(cause));
  }
}

function listed(commands: RunningCommand[]): string {
  return commands.map((each) => `${each.handle ?? 'one still in its call'} (${commandLine(each.command)})`).join(', ');
}

function spawnProblem(cause: unknown): string {
  if (codeOf(cause) === 'E2BIG') {
    return 'The command is too long for the system. Write what it needs into a file and run that.';
  }
  return `The command could not be started: ${reasonOf(cause)}`;
}
