import { t } from '@vscode/l10n';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { Workspace } from '../platform/ports.js';
import { defineTool, ToolError, type Tool, type ToolResult } from '../runner/tool.js';
import { readKnown } from './support/changes.js';
import { shortDiff, unifiedDiff } from './support/diff.js';
import { NotebookJson } from './support/notebookJson.js';
import { notebookText } from './support/notebookText.js';
import { inWords, locate, requireTrust } from './support/paths.js';
import { fileBytes, plural, readFileText, type FileText } from './support/text.js';

const shownDiff = 4_000;

const params = z.object({
  path: z.string(),
  cell: z.number().describe('As read_file shows it, from 0'),
  mode: z.enum(['replace', 'insert', 'delete']),
  source: z.string().optional(),
  cell_type: z.enum(['code', 'markdown']).optional(),
  language: z.string().optional(),
});
type Args = z.output<typeof params>;

export interface NotebookNeeds {
  workspace: Workspace;
  /** Whether the session has read a notebook. */
  sawNotebook: (sessionKey: string) => boolean;
}

/**
 * Changes one cell of a Jupyter notebook that the model has read. The notebook's own text is changed at that cell and nowhere else; where the
 * notebook is open, the editor makes the change in its cells.
 */
export function notebookEditTool({ workspace, sawNotebook }: NotebookNeeds): Tool {
  return defineTool({
    name: 'notebook_edit',
    description: 'Replace, insert (as that number) or delete one cell of a notebook you have read.',
    params,
    available: (sessionKey) => workspace.showsNotebook() || sawNotebook(sessionKey),
    summary: ({ path, cell, mode }) => inShort(path, mode, cell),
    async access(args) {
      const target = locate(workspace, args.path);
      const diff = await proposedDiff(target, args);
      return [{ kind: 'write', path: target, ...(diff === undefined ? {} : { diff }) }];
    },
    async run(args, context): Promise<ToolResult> {
      const target = locate(workspace, args.path);
      requireTrust(workspace, target);
      const label = workspace.label(target);
      if (!target.endsWith('.ipynb')) throw new ToolError(`${label} is no notebook (.ipynb): use edit_file.`);
      const { text: before, real } = await readKnown(workspace, context, target);
      const after = changed(before, args, label);
      if (after === before.raw)
        throw new ToolError(`Cell ${args.cell} of ${label} is so already; nothing was changed.`);
      const bytes = fileBytes(after, before.format, label);
      await context.beforeChange(target);
      const outcome = await inWords(label, () => workspace.write(target, bytes));
      context.reads.note(real, fileBytes(outcome.text, before.format, label));
      const cells = NotebookJson.parse(outcome.text)?.cells.length ?? 0;
      const [was, is] = [notebookText(before.raw) ?? '', notebookText(outcome.text) ?? ''];
      const head = `${done[args.mode]} cell ${args.cell} of ${label} (now ${plural(cells, 'cell')}).`;
      return {
        text: [head, shortDiff(was, is, shownDiff), ...notesOf(args, before, outcome.saved)].join('\n'),
        summary: inShort(label, args.mode, args.cell),
        files: [{ path: target }],
        diff: unifiedDiff(label, was, is),
      };
    },
  });

  /** Undefined where the call cannot be done: the run says why. */
  async function proposedDiff(path: string, args: Args): Promise<string | undefined> {
    try {
      const text = readFileText((await workspace.read(path)).bytes);
      if (!text) return undefined;
      const after = changed(text, args, path);
      return unifiedDiff(workspace.label(path), notebookText(text.raw), notebookText(after));
    } catch {
      // The run meets the same difficulty and reports it; a person need not approve what cannot be done.
      return undefined;
    }
  }
}

function inShort(label: string, mode: Args['mode'], cell: number): string {
  switch (mode) {
    case 'replace':
      return t('{0}, replace cell {1}', label, cell);
    case 'insert':
      return t('{0}, insert cell {1}', label, cell);
    case 'delete':
      return t('{0}, delete cell {1}', label, cell);
  }
}

const done = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' };

function changed({ raw }: FileText, { cell, mode, source, cell_type, language }: Args, label: string): string {
  const notebook = NotebookJson.parse(raw);
  if (!notebook)
    throw new ToolError(`${label} is no valid notebook of format 4. Look at it as text with grep or exec.`);
  const count = notebook.cells.length;
  const last = mode === 'insert' ? count : count - 1;
  if (!Number.isInteger(cell) || cell < 0 || cell > last) {
    const range = last < 0 ? 'there is none' : `cell can be 0 to ${last}`;
    throw new ToolError(`${label} has ${plural(count, 'cell')}, so for ${mode} ${range}.`);
  }
  if (mode === 'delete') return notebook.delete(cell);
  if (source === undefined) throw new ToolError(`To ${mode} a cell, give its source.`);
  const content = { source, type: cell_type, language };
  return mode === 'insert' ? notebook.insert(cell, content, newCellId) : notebook.replace(cell, content);
}

/** In the form that Jupyter gives its own. */
function newCellId(): string {
  return randomBytes(4).toString('hex');
}

function notesOf({ mode, cell, cell_type }: Args, before: FileText, saved: boolean): string[] {
  const old = NotebookJson.parse(before.raw)?.cells[cell];
  const stale = mode === 'replace' && old?.hasOutputs && (cell_type ?? old.type) === old.type;
  return [
    ...(stale ? ['Its outputs are those of the former source until it runs again.'] : []),
    ...(mode === 'replace' ? [] : [`Cells behind it have other numbers now.`]),
    ...(saved
      ? []
      : ['The person has unsaved changes in this notebook: the change is in their editor, not saved yet.']),
  ];
}
