import * as z from 'zod';
import type { Log, Ui } from '../platform/ports.js';
import { defineTool, type Tool } from '../runner/tool.js';

/** Characters of one notification; beyond that it would not be read in a corner of the window. */
const LONGEST = 1_000;

// Strict: a channel or a chat that the model names and that nobody reads must not look like a delivery.
const params = z.strictObject({ content: z.string().trim().min(1).max(LONGEST) });

/** Tells the person something outside the chat: a notification in VS Code, a line on the command line. Does not wait for it to be read. */
export function messageTool({ ui, log }: { ui: Pick<Ui, 'notify'>; log: Log }): Tool {
  return defineTool({
    name: 'message',
    description: 'Notify the person outside the chat. Not for answers.',
    params,
    summary: ({ content }) => content.replaceAll(/\s+/g, ' ').slice(0, 120),
    run({ content }) {
      ui.notify('info', `Nanobot: ${plain(content)}`).catch((cause: unknown) => {
        log.error('A notification could not be shown.', cause);
      });
      return Promise.resolve('The person was notified.');
    },
  });
}

/** Notifications make links of Markdown ones, and a link's words can lie about where it leads: it is shown as it is written. */
function plain(content: string): string {
  return content.replaceAll('](', '] (');
}
