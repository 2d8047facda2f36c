import * as z from 'zod';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { largestWholeFile, readKnown, saveChange, type KnownFile } from './support/changes.js';
import { unifiedDiff } from './support/diff.js';
import { inWords, locate, requireTrust, statOf, type FileToolNeeds } from './support/paths.js';
import { linesOf, plural, readFileText, withLineEnds, type FileText } from './support/text.js';
import { counts } from './support/counts.js';

const params = z.object({
  path: z.string(),
  content: z.string().describe('The whole text'),
});

/**
 * Creates a file or replaces its whole text. What is there must have been read; its encoding, BOM and line ends are kept. A new file is UTF-8
 * with the line ends given. Missing folders are created.
 */
export function writeFileTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Create a file (folders too) or replace all of one you have read. To change a part of a file use edit_file.',
    params,
    summary: ({ path, content }) => `${path}, ${counts.lines(linesOf(content).length)}`,
    async access({ path, content }) {
      const target = locate(workspace, path);
      const before = await textNow(target);
      const after = before ? asIn(before, content) : content;
      return [{ kind: 'write', path: target, diff: unifiedDiff(workspace.label(target), before?.raw, after), after }];
    },
    async run({ path, content }, context): Promise<ToolResult> {
      const target = locate(workspace, path);
      requireTrust(workspace, target);
      const label = workspace.label(target);
      if (/[\\/]$/.test(path)) throw new ToolError(`${path} names a folder: give the name of a file.`);
      const exists = (await statOf(workspace, target)) !== undefined;
      const known = exists ? await knownFile(context, target, content) : undefined;
      const after = known ? asIn(known.text, content) : content;
      if (known && known.text.raw === after)
        return { text: `${label} has exactly this content already; nothing was written.` };
      const real = known?.real ?? (await inWords(label, () => workspace.realPath(target)));
      const saved = await saveChange(workspace, context, { path: target, real, before: known?.text, after });
      const lines = plural(linesOf(after).length, 'line');
      const head = known
        ? `Replaced ${label} (${lines}, +${saved.added} −${saved.removed}).`
        : `Created ${label} (${lines}).`;
      const text = [head, ...(known && saved.shown !== '' ? [saved.shown] : []), ...saved.notes].join('\n');
      return {
        text,
        summary: `${label}, +${saved.added} −${saved.removed}`,
        files: [{ path: target }],
        diff: saved.diff,
      };
    },
  });

  /** For the approval card only: whatever stands in the way of reading is reported by the run. */
  async function textNow(path: string): Promise<FileText | undefined> {
    const stat = await workspace.stat(path).catch(() => undefined);
    if (stat?.type !== 'file' || stat.size > largestWholeFile) return undefined;
    const file = await workspace.read(path).catch(() => undefined);
    return file && readFileText(file.bytes);
  }

  /** An empty file holds nothing that could be lost, so it need not have been read. */
  async function knownFile(context: ToolContext, path: string, content: string): Promise<KnownFile> {
    const file = await workspace.read(path).catch(() => undefined);
    if (file?.bytes.length !== 0 || content === '') return readKnown(workspace, context, path);
    return {
      text: { raw: '', format: { encoding: 'utf-8', bom: false }, lineEnds: 'none' },
      real: await workspace.realPath(path),
    };
  }
}

/** Models see lines only, and leave out BOM and carriage returns. */
function asIn(before: FileText, content: string): string {
  const text = before.format.bom ? content.replace(/^\uFEFF/, '') : content;
  return withLineEnds(text, before.lineEnds);
}
