import * as z from 'zod';
import { defineTool, type Tool } from '../runner/tool.js';
import { commandReport } from './support/commandReport.js';
import type { CommandTable } from './support/commands.js';
import { waitForNews } from './support/waitForNews.js';

/** The tool that asks a command in the background how it is getting on. Stop ends the waiting, not the command. */
export function pollExecTool({ commands }: { commands: CommandTable }): Tool {
  return defineTool({
    name: 'poll_exec',
    description: 'Waits for new output or the end of a command in the background and gives what is new.',
    params: z.object({
      handle: z.string(),
      wait_seconds: z.number().min(0).max(60).optional().describe('At most this long, default 5'),
    }),
    available: (sessionKey) => commands.hadBackground(sessionKey),
    summary: ({ handle }) => handle,
    run: async ({ handle, wait_seconds }, { sessionKey, signal }) => {
      const command = commands.find(sessionKey, handle);
      await waitForNews(command, (wait_seconds ?? 5) * 1_000, signal);
      return commandReport(command);
    },
  });
}
