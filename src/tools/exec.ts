import * as z from 'zod';
import type { Clock, Shell, Workspace } from '../platform/ports.js';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { commandReport } from './support/commandReport.js';
import type { CommandTable } from './support/commands.js';
import { commandLine } from './support/commandText.js';
import type { RunningCommand } from './support/runningCommand.js';
import { Throttle } from './support/throttle.js';

/** Milliseconds between updates of the live tail. */
const TAIL_EVERY_MS = 100;
/** Milliseconds in which a command that was sent to the background at once may still fail in its own call. */
const EARLY_MS = 300;

/** What commands need of the person's project. */
export type CommandWorkspace = Pick<Workspace, 'trusted' | 'onDisk' | 'resolve' | 'stat' | 'editorContext' | 'save'>;

export interface ExecNeeds {
  shell: Pick<Shell, 'name'>;
  workspace: CommandWorkspace;
  commands: CommandTable;
  clock: Clock;
  /** Seconds a command has where the call names none: `nanobot.exec.timeoutSeconds`. */
  defaultTimeout: () => number;
}

/** The tool that runs commands. See `CommandTable` for what becomes of those that outlive their call. */
export function execTool(needs: ExecNeeds): Tool {
  const unsaved = new UnsavedFiles(needs.workspace);
  return defineTool({
    name: 'exec',
    description:
      `Runs a command in ${needs.shell.name()} and gives its status and output (long output: head and tail, all of it in a file). ` +
      'No terminal: pagers, editors and password prompts fail at once. Input is an open pipe: give rg and the like a path. ' +
      'At its time limit a command goes on in the background under a handle for poll_exec, write_stdin and kill_exec.',
    params: z.object({
      command: z.string(),
      working_dir: z.string().optional().describe('Default: the workspace folder'),
      timeout: z.number().min(1).max(600).optional().describe('Seconds, default 60'),
      background: z.boolean().optional().describe('Give the handle at once: for servers and watchers'),
    }),
    access: ({ command, working_dir }) => {
      refuse(needs.workspace, command);
      return [{ kind: 'exec', command, cwd: needs.workspace.resolve(working_dir ?? '.') }];
    },
    summary: ({ command }) => commandLine(command),
    run: async ({ command, working_dir, timeout, background }, context) => {
      refuse(needs.workspace, command);
      const cwd = await folder(needs.workspace, working_dir);
      const notes = await unsaved.settle(context);
      context.signal.throwIfAborted();
      const inTerminal = terminalUse(context, background ?? false);
      const running = await needs.commands.start(context.sessionKey, command, cwd, inTerminal);
      if (running.note !== undefined) notes.push(running.note);
      const limit = background ? EARLY_MS : (timeout ?? needs.defaultTimeout()) * 1_000;
      // Nobody can type and nothing will be sent: what reads its input sees the end of it instead of waiting.
      if (!context.watched && !background) running.endInput();
      await watch(running, limit, needs.clock, context);
      return outcome(running, background ?? false, notes, needs.commands, context);
    },
  });
}

/** Why a call does not use the person's terminal, where that is what they chose; undefined where it does. */
function terminalUse({ watched, signal }: ToolContext, background: boolean): { not?: string; signal: AbortSignal } {
  if (!watched) return { not: 'nobody watches this turn', signal };
  return background ? { not: 'background commands run outside the terminal', signal } : { signal };
}

/** Waits for the end, the limit or Stop, and shows the tail meanwhile. */
async function watch(running: RunningCommand, limit: number, clock: Clock, context: ToolContext): Promise<void> {
  const tail = new Throttle(clock, TAIL_EVERY_MS, () => {
    context.update(running.tail());
  });
  const news = running.onNews(() => {
    tail.poke();
  });
  await running.wait(() => running.ending !== undefined, limit, context.signal);
  news.dispose();
  tail.dispose();
}

async function outcome(
  running: RunningCommand,
  background: boolean,
  notes: string[],
  commands: CommandTable,
  { signal, watched, sessionKey }: ToolContext,
): Promise<ToolResult> {
  if (signal.aborted) await running.kill('stop');
  else if (!running.ending && !background && (!watched || running.inTerminal)) await running.kill('timeout');
  else if (await running.isLive()) {
    const handle = commands.keep(sessionKey, running);
    const how =
      `poll_exec with handle "${handle}" waits for more, write_stdin sends it input, kill_exec ends it; ` +
      'without a poll it is ended after 30 minutes.';
    return commandReport(running, [how, ...notes]);
  }
  return commandReport(running, notes);
}

function refuse(workspace: CommandWorkspace, command: string): void {
  if (!workspace.trusted()) {
    throw new ToolError(
      'Commands do not run in Restricted Mode. The person can trust this workspace with "Workspaces: Manage Workspace Trust".',
    );
  }
  if (!workspace.onDisk()) {
    throw new ToolError('This workspace is virtual (not on a disk), so no command can run in it. Use the file tools.');
  }
  if (command.trim() === '') throw new ToolError('The command is empty.');
  if (command.includes('\0'))
    throw new ToolError('The command holds a NUL character, which no shell takes. Leave it out.');
}

async function folder(workspace: CommandWorkspace, given: string | undefined): Promise<string> {
  const path = workspace.resolve(given ?? '.');
  const stat = await workspace.stat(path);
  if (stat?.type === 'directory') return path;
  const wrong = stat ? `${path} is a file, not a folder` : `There is no folder ${path}`;
  throw new ToolError(`working_dir: ${wrong}. Give a folder, or leave it out for the workspace folder.`);
}

/** Files with unsaved changes, which a command would not see: the person is asked about them once a turn. */
class UnsavedFiles {
  /** The turn that was asked last, by session. */
  private readonly asked = new Map<string, string>();

  constructor(private readonly workspace: CommandWorkspace) {}

  /** Gives what the model has to know of files that stay unsaved. */
  async settle(context: ToolContext): Promise<string[]> {
    const { sessionKey, turnId, watched } = context;
    const files = this.workspace.editorContext().dirtyFiles;
    if (files.length > 0 && watched && this.asked.get(sessionKey) !== turnId) {
      const answer = await context.askSave(files);
      this.asked.set(sessionKey, turnId);
      // Without names: those in `files` are labels for people, and all that is unsaved was asked about.
      if (answer === 'save') await this.workspace.save();
    }
    const left = this.workspace.editorContext().dirtyFiles;
    if (left.length === 0) return [];
    return [`Unsaved changes in ${left.join(', ')}: the command saw what is on the disk.`];
  }
}
