import { t } from '@vscode/l10n';
import * as z from 'zod';
import { plain } from '../platform/plainText.js';
import type { Log, Ui, Workspace } from '../platform/ports.js';
import { nameOf } from '../platform/workspacePaths.js';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { locate, requireThere } from './support/paths.js';

/** Characters of one notification; beyond that it would not be read in a corner of the window. */
const LONGEST = 1_000;
/** Files of one notification: each is a button. */
const MOST_MEDIA = 3;

// Strict: what the model asks for and nobody does must not look like a delivery.
const params = z.strictObject({
  content: z.string().trim().min(1).max(LONGEST),
  channel: z.string().optional(),
  chat_id: z.string().optional(),
  media: z.array(z.string()).max(MOST_MEDIA).optional().describe('Files to open from it'),
});

export interface MessageNeeds {
  ui: Pick<Ui, 'channel' | 'notify' | 'open'>;
  log: Log;
  workspace: Workspace;
}

/**
 * Tells the person something outside the chat: a notification in VS Code with buttons for the chat and the files named, lines on the command line.
 * Does not wait for it to be read.
 */
export function messageTool({ ui, log, workspace }: MessageNeeds): Tool {
  return defineTool({
    name: 'message',
    description: 'Notify the person outside the chat. Not for answers.',
    params,
    summary: ({ content }) => content.replaceAll(/\s+/g, ' ').slice(0, 120),
    access: ({ media = [] }) => media.map((path) => ({ kind: 'read', path: locate(workspace, path) })),
    async run({ content, channel = ui.channel, chat_id, media = [] }, { sessionKey }) {
      if (channel !== ui.channel) {
        throw new ToolError(`There is no channel "${channel}" here, only "${ui.channel}". Leave channel out.`);
      }
      const files = media.map((path) => locate(workspace, path));
      for (const file of files) await requireThere(workspace, file);
      const chat = chat_id === undefined ? sessionKey : `${channel}:${chat_id}`;
      show(content, files, chat).catch((cause: unknown) => {
        log.error('A notification could not be shown.', cause);
      });
      return 'The person was notified.';
    },
  });

  async function show(content: string, files: string[], chat: string): Promise<void> {
    const text = `Nanobot: ${plain(content)}`;
    if (!ui.open) {
      await ui.notify('info', [text, ...files].join('\n'));
      return;
    }
    const labels = files.map((file) => t('Open {0}', nameOf(file)));
    const openChat = t('Open chat');
    const chosen = await ui.notify('info', text, [...labels, openChat]);
    const file = files[labels.indexOf(chosen ?? '')];
    if (file !== undefined) await ui.open({ file });
    else if (chosen === openChat) await ui.open({ chat });
  }
}
