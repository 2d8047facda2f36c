import * as z from 'zod';
import { defineTool, ToolError, type Tool, type ToolResult } from '../runner/tool.js';
import { readKnown, saveChange } from './support/changes.js';
import { unifiedDiff } from './support/diff.js';
import { applyEdits, type Edit } from './support/edits.js';
import { locate, requireTrust, type FileToolNeeds } from './support/paths.js';
import { readFileText } from './support/text.js';
import { counts } from './support/counts.js';

const params = z.object({
  path: z.string(),
  edits: z
    .array(z.object({ old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() }))
    .min(1)
    .describe('Made in order, all or none. old_text: exact, unique, without line numbers'),
});

/**
 * Replaces texts in a file that the model has read, all edits or none. Encoding, BOM, line ends and permissions stay. The result shows what
 * changed as the file has it now, after any formatter.
 */
export function editFileTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'edit_file',
    description: 'Replace texts in a file you have read. The result shows the text as saved.',
    params,
    summary: ({ path, edits }) => (edits.length > 1 ? `${path}, ${counts.edits(edits.length)}` : path),
    async access({ path, edits }) {
      const target = locate(workspace, path);
      return [{ kind: 'write', path: target, ...(await proposed(target, edits)) }];
    },
    async run({ path, edits }, context): Promise<ToolResult> {
      const target = locate(workspace, path);
      requireTrust(workspace, target);
      const label = workspace.label(target);
      const { text: before, real } = await readKnown(workspace, context, target);
      const { text: after, notes } = applyEdits(before.raw, edits, label);
      if (after === before.raw) throw new ToolError(`The edits cancel each other out: ${label} would not change.`);
      const saved = await saveChange(workspace, context, { path: target, real, before, after });
      const head = `Edited ${label} (+${saved.added} −${saved.removed}${notes.length > 0 ? `; ${notes.join('; ')}` : ''}).`;
      return {
        text: [head, saved.shown, ...saved.notes].join('\n'),
        summary: `${label}, +${saved.added} −${saved.removed}`,
        files: [{ path: target, ...lineOf(saved.diff) }],
        diff: saved.diff,
      };
    },
  });

  /** Undefined where the edits do not fit: the run says why. */
  async function proposed(path: string, edits: readonly Edit[]): Promise<{ diff: string; after: string } | undefined> {
    try {
      const text = readFileText((await workspace.read(path)).bytes);
      if (!text) return undefined;
      const { text: after } = applyEdits(text.raw, edits, path);
      return { diff: unifiedDiff(workspace.label(path), text.raw, after), after };
    } catch {
      // The run meets the same difficulty and reports it to the model; a person need not approve what cannot be done.
      return undefined;
    }
  }
}

/** The first changed line, where a click on the file leads. */
function lineOf(diff: string): { line?: number } {
  const lines = diff.split('\n');
  const hunk = lines.findIndex((line) => line.startsWith('@@'));
  const start = /\+(\d+)/.exec(lines[hunk] ?? '')?.[1];
  if (start === undefined) return {};
  const unchanged = lines.slice(hunk + 1).findIndex((line) => !line.startsWith(' '));
  return { line: Math.max(1, Number(start) + Math.max(0, unchanged)) };
}
