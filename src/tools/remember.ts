import { basename } from 'node:path';
import * as z from 'zod';
import type { Notes } from '../memory/notes.js';
import { maskSecrets } from '../platform/maskSecrets.js';
import { defineTool, type Tool, type ToolResult } from '../runner/tool.js';
import { inWords } from './support/paths.js';

/** Characters of one note; today's notes stand in every prompt. */
const LONGEST = 4_000;

export const rememberParams = z.object({
  text: z.string().trim().min(1).max(LONGEST).describe('One fact or wish, complete in itself'),
});

/** Adds to today's notes, which stand in the prompt for the rest of the day and are found by `recall` for good. */
export function rememberTool({ notes }: { notes: Pick<Notes, 'append'> }): Tool {
  return defineTool({
    name: 'remember',
    description: 'Note something for later chats, such as what the person asks you to remember.',
    params: rememberParams,
    access: ({ text }) => [{ kind: 'remember', text }],
    summary: ({ text }) => text.replaceAll(/\s+/g, ' ').slice(0, 120),
    run: ({ text }) => note(notes, text),
  });
}

/** Writes a note; rejects in plain words where the disk refuses. */
export async function note(
  notes: Pick<Notes, 'append'>,
  text: string,
  from?: { quotedFrom: string },
): Promise<ToolResult> {
  const { path } = await inWords("Today's notes", () => notes.append(text, from));
  const masked = maskSecrets(text) === text ? '' : ' What looked like a password or key was left out of it.';
  return { text: `Noted in memory/${basename(path)}.${masked}`, files: [{ path }] };
}
