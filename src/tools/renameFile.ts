import * as z from 'zod';
import { isInside } from '../platform/workspacePaths.js';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { largestWholeFile } from './support/changes.js';
import { inWords, locate, requireThere, requireTrust, statOf, type FileToolNeeds } from './support/paths.js';

const params = z.object({ path: z.string(), to: z.string().describe('New path') });

/** Renames or moves a file or folder; language services update imports where an editor is there. An existing target is never replaced. */
export function renameFileTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'rename_file',
    description: 'Rename or move a file or folder; the editor may update imports.',
    params,
    summary: ({ path, to }) => `${path} → ${to}`,
    access: ({ path, to }) => [
      { kind: 'write', path: locate(workspace, path) },
      { kind: 'write', path: locate(workspace, to) },
    ],
    async run({ path, to }, context): Promise<ToolResult> {
      const [from, target] = [locate(workspace, path), locate(workspace, to)];
      requireTrust(workspace, from);
      requireTrust(workspace, target);
      await refuseTarget(from, target);
      const known = await knownBytes(context, from);
      const real = await workspace.realPath(from);
      await context.beforeChange(from);
      await context.beforeChange(target);
      const label = `${workspace.label(from)} → ${workspace.label(target)}`;
      const { alsoChanged } = await inWords(label, () => workspace.rename(from, target));
      context.reads.forget(real);
      if (known) await noteUnchanged(context, target, known);
      const others = alsoChanged.map((file) => workspace.label(file));
      const also =
        others.length > 0 ? ` The editor also updated ${others.join(', ')}: read them again before editing.` : '';
      return { text: `Renamed ${label}.${also}`, summary: label, files: [{ path: target }] };
    },
  });

  async function refuseTarget(from: string, target: string): Promise<void> {
    await requireThere(workspace, from);
    const [fromLabel, label] = [workspace.label(from), workspace.label(target)];
    if (from === target) throw new ToolError(`${label} has this name already.`);
    if (isInside(target, from)) throw new ToolError(`${fromLabel} cannot be moved into itself.`);
    const there = await statOf(workspace, target);
    // Another spelling of the same name is no other file on a disk that ignores case.
    const respelled = there && from.toLowerCase() === target.toLowerCase() && (await sameFile(from, target));
    if (!there || respelled) return;
    if (there.type === 'directory')
      throw new ToolError(`${label} is a folder: give the whole new path, with the file's name.`);
    throw new ToolError(`${label} exists already and is not replaced. Choose another name, or delete it first.`);
  }

  async function sameFile(a: string, b: string): Promise<boolean> {
    return (await workspace.realPath(a)) === (await workspace.realPath(b));
  }

  /** The content, if the model has read it as it is. */
  async function knownBytes(context: ToolContext, path: string): Promise<Uint8Array | undefined> {
    const stat = await workspace.stat(path);
    if (stat?.type !== 'file' || stat.size > largestWholeFile) return undefined;
    const { bytes } = await inWords(workspace.label(path), () => workspace.read(path));
    return context.reads.check(await workspace.realPath(path), bytes) === 'fresh' ? bytes : undefined;
  }

  /** A moved file counts as read on, unless the editor changed its imports. */
  async function noteUnchanged(context: ToolContext, path: string, known: Uint8Array): Promise<void> {
    const { bytes } = await workspace.read(path);
    if (Buffer.from(bytes).equals(known)) context.reads.note(await workspace.realPath(path), bytes);
  }
}
