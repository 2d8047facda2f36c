import * as z from 'zod';
import type { Workbench } from '../memory/dream/workbench.js';
import { maskSecrets } from '../platform/maskSecrets.js';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { shortDiff } from './support/diff.js';
import { applyEdits, type Edit } from './support/edits.js';
import { linesOf, numbered } from './support/text.js';

const linesByDefault = 400;
const mostCharacters = 12_000;
const shownDiff = 3_000;

/**
 * The three tools of Dream's second phase. They bear the names of the agent's own, and reach nothing but what the workbench lets through; they
 * change its copies only.
 */
export function dreamFileTools(workbench: Workbench): Tool[] {
  return [readTool(workbench), editTool(workbench), writeTool(workbench)];
}

function readTool(workbench: Workbench): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Read SOUL.md, USER.md, memory/MEMORY.md or a skill as it is now ("N| line"). Long files: page with offset.',
    params: z.object({
      path: z.string(),
      offset: z.number().optional().describe('First line, from 1'),
      limit: z.number().optional().describe('Lines, default 400'),
    }),
    readOnly: true,
    summary: ({ path }) => path,
    async run({ path: written, offset, limit }) {
      const { path, text } = await workbench.read(written);
      const lines = linesOf(text);
      const first = Math.max(1, Math.floor(offset ?? 1));
      const shown = lines.slice(first - 1, first - 1 + Math.max(1, Math.floor(limit ?? linesByDefault)));
      if (shown.length === 0) return `${path} has ${String(lines.length)} lines.`;
      const body = numbered(shown, first);
      const cut = body.length > mostCharacters ? body.lastIndexOf('\n', mostCharacters) : body.length;
      const whole = body.slice(0, cut > 0 ? cut : mostCharacters);
      const last = first + whole.split('\n').length - 1;
      const more = last < lines.length ? `\n(more: offset ${String(last + 1)})` : '';
      return `${path}, lines ${String(first)}–${String(last)} of ${String(lines.length)}\n${whole}${more}`;
    },
  });
}

function editTool(workbench: Workbench): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Change lines of SOUL.md, USER.md or memory/MEMORY.md: all edits of one file in one call, made in order, all or none. An empty old_text adds new_text at the end.',
    params: z.object({
      path: z.string(),
      edits: z
        .array(
          z.object({
            old_text: z.string().describe('Exact, unique, without line numbers'),
            new_text: z.string(),
            replace_all: z.boolean().optional(),
          }),
        )
        .min(1),
    }),
    summary: ({ path, edits }) => `${path}, ${String(edits.length)} edits`,
    async run({ path: written, edits }) {
      const masked = edits.map((edit) => ({ ...edit, new_text: maskSecrets(edit.new_text) }));
      const { path, before, after } = await workbench.edit(written, (text) => edited(text, masked, written));
      return `Edited ${path}.\n${shortDiff(before, after, shownDiff)}`;
    },
  });
}

function writeTool(workbench: Workbench): Tool {
  return defineTool({
    name: 'write_file',
    description: 'Write a new skill, as skills/<name>/SKILL.md. Nothing else can be written, and nothing that exists.',
    params: z.object({ path: z.string(), content: z.string().describe('The whole text') }),
    summary: ({ path }) => path,
    async run({ path: written, content }) {
      const { path } = await workbench.create(written, content);
      return `Created ${path}.`;
    },
  });
}

function edited(text: string, edits: readonly Edit[], label: string): string {
  let current = text;
  for (const [at, edit] of edits.entries()) {
    if (edit.old_text.trim() !== '') {
      current = applyEdits(current, [edit], edits.length > 1 ? `${label} (edit ${String(at + 1)})` : label).text;
    } else if (edit.new_text.trim() === '') throw new ToolError('An edit has neither old nor new text.');
    else current = appended(current, edit.new_text);
  }
  return current;
}

/** On lines of its own at the end, with the line ends the text has. */
function appended(text: string, addition: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const body = `${addition.replace(/^[\r\n]+|[\r\n]+$/g, '').replaceAll('\r\n', '\n')}\n`.replaceAll('\n', end);
  return `${text}${text === '' || text.endsWith('\n') ? '' : end}${body}`;
}
