import { t } from '@vscode/l10n';
import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { commandReport } from './support/commandReport.js';
import type { CommandTable } from './support/commands.js';
import { waitForNews } from './support/waitForNews.js';
import type { RunningCommand } from './support/runningCommand.js';

/** Milliseconds in which the answer to the input may come within the same call. */
const ANSWER_MS = 1_000;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/** The tool that answers a command in the background. */
export function writeStdinTool({ commands }: { commands: CommandTable }): Tool {
  return defineTool({
    name: 'write_stdin',
    description:
      'Sends a line of input to a command in the background and gives its answer. "\\u0003" interrupts it like Ctrl-C, "\\u0004" ends its input.',
    params: z.object({ handle: z.string(), text: z.string().describe('A line end is added if it has none') }),
    available: (sessionKey) => commands.hadBackground(sessionKey),
    access: ({ handle, text }, { sessionKey }) => {
      running(commands, sessionKey, handle);
      return [{ kind: 'input', text }];
    },
    summary: ({ handle, text }) => `${handle} ← ${shown(text)}`,
    run: async ({ handle, text }, { sessionKey, signal }) => {
      const command = running(commands, sessionKey, handle);
      if (text === CTRL_C) command.interrupt();
      else if (text === CTRL_D) command.endInput();
      else command.write(text.endsWith('\n') ? text : `${text}\n`);
      await waitForNews(command, ANSWER_MS, signal);
      return commandReport(command);
    },
  });
}

function running(commands: CommandTable, sessionKey: string, handle: string): RunningCommand {
  const command = commands.find(sessionKey, handle);
  if (!command.ending) return command;
  throw new ToolError(`${handle} has ended and takes no input. poll_exec gives how it ended.`);
}

function shown(text: string): string {
  if (text === CTRL_C) return 'Ctrl-C';
  if (text === CTRL_D) return t('end of input');
  return text.trimEnd().slice(0, 80);
}
