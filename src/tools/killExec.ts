import * as z from 'zod';
import { defineTool, type Tool } from '../runner/tool.js';
import { commandReport } from './support/commandReport.js';
import type { CommandTable } from './support/commands.js';

/** The tool that ends a command in the background with everything it started, and gives its last output. */
export function killExecTool({ commands }: { commands: CommandTable }): Tool {
  return defineTool({
    name: 'kill_exec',
    description: 'Ends a command in the background with everything it started and gives its last output.',
    params: z.object({ handle: z.string() }),
    available: (sessionKey) => commands.hadBackground(sessionKey),
    summary: ({ handle }) => handle,
    run: async ({ handle }, { sessionKey }) => {
      const command = commands.find(sessionKey, handle);
      await command.kill('request');
      return commandReport(command);
    },
  });
}
