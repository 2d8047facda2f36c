import * as z from 'zod';
import { reasonOf } from '../platform/reason.js';
import { isInside, parentOf } from '../platform/workspacePaths.js';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { largestWholeFile } from './support/changes.js';
import { planImports, type ImportNeeds } from './support/importPlan.js';
import { inWords, locate, requireThere, requireTrust, statOf, type FileToolNeeds } from './support/paths.js';
import { accessOf, applyPlan, changedLines, takeBack, type PlannedFile } from './support/renamePlan.js';

const params = z.object({ path: z.string(), to: z.string().describe('New path') });

export interface RenameNeeds extends Pick<FileToolNeeds, 'workspace'> {
  /** Without it, only what the editor does by itself. */
  imports?: ImportNeeds;
}

/**
 * Renames or moves a file or folder and changes the imports of it first, so that each file is approved and kept for Undo like any edit, and no language
 * service finds anything left to ask about. An existing target is never replaced.
 */
export function renameFileTool({ workspace, imports }: RenameNeeds): Tool {
  const plans = new Map<string, { callId: string | undefined; planned: PlannedFile[] }>();
  return defineTool({
    name: 'rename_file',
    description: 'Rename or move a file or folder; imports of it are updated.',
    params,
    summary: ({ path, to }) => `${path} → ${to}`,
    async access({ path, to }, { sessionKey, callId, signal }) {
      const [from, target] = [locate(workspace, path), locate(workspace, to)];
      // What stands in the way is reported by the run.
      const planned = imports ? await planImports(imports, from, target, signal).catch(() => []) : [];
      plans.set(sessionKey, { callId, planned });
      const others = accessOf(planned.filter((file) => file.path !== from));
      return [{ kind: 'write', path: from }, { kind: 'write', path: target }, ...others];
    },
    async run({ path, to }, context): Promise<ToolResult> {
      const [from, target] = [locate(workspace, path), locate(workspace, to)];
      requireTrust(workspace, from);
      requireTrust(workspace, target);
      await refuseTarget(from, target);
      const kept = plans.get(context.sessionKey);
      plans.delete(context.sessionKey);
      const planned = kept?.callId === context.callId ? kept.planned : [];
      const changed = await applyPlan(workspace, context, planned);
      const known = await knownBytes(context, from);
      const real = await workspace.realPath(from);
      const label = `${workspace.label(from)} → ${workspace.label(target)}`;
      const { alsoChanged } = await move(from, target, context).catch(async (cause: unknown) => {
        const left = await takeBack(workspace, context, planned, changed);
        throw left.length === 0 ? cause : new ToolError(`${reasonOf(cause)} ${importsLeft(left)}`);
      });
      context.reads.forget(real);
      if (known) await noteUnchanged(context, target, known);
      const others = alsoChanged.map((file) => workspace.label(file));
      const also =
        others.length > 0 ? ` The editor also updated ${others.join(', ')}: read them again before editing.` : '';
      const updated = changed.length > 0 ? `\nImports changed:\n${changedLines(changed)}` : '';
      return {
        text: `Renamed ${label}.${also}${updated}`,
        summary: label,
        files: [{ path: target }, ...changed.filter((file) => file.path !== from).map((file) => ({ path: file.path }))],
        ...(changed.length > 0 ? { diff: changed.map(({ diff }) => diff).join('') } : {}),
      };
    },
  });

  async function move(from: string, target: string, context: ToolContext): Promise<{ alsoChanged: string[] }> {
    await context.beforeChange(from);
    await context.beforeChange(target, from);
    const label = `${workspace.label(from)} → ${workspace.label(target)}`;
    return inWords(label, () => workspace.rename(from, target));
  }

  async function refuseTarget(from: string, target: string): Promise<void> {
    await requireThere(workspace, from);
    const [fromLabel, label] = [workspace.label(from), workspace.label(target)];
    if (from === target) throw new ToolError(`${label} has this name already.`);
    if (isInside(target, from)) throw new ToolError(`${fromLabel} cannot be moved into itself.`);
    await requireFolderAbove(target);
    const there = await statOf(workspace, target);
    // Another spelling of the same name is no other file on a disk that ignores case.
    const respelled = there && from.toLowerCase() === target.toLowerCase() && (await sameFile(from, target));
    if (!there || respelled) return;
    if (there.type === 'directory')
      throw new ToolError(`${label} is a folder: give the whole new path, with the file's name.`);
    throw new ToolError(`${label} exists already and is not replaced. Choose another name, or delete it first.`);
  }

  /** A folder that is not there is made by the move; below a file nothing can be. */
  async function requireFolderAbove(target: string): Promise<void> {
    for (let at = parentOf(target); at !== parentOf(at); at = parentOf(at)) {
      const stat = await workspace.stat(at).catch(() => undefined);
      if (stat?.type === 'directory') return;
      if (stat)
        throw new ToolError(
          `${workspace.label(target)}: a part of the path is a file, not a folder (${workspace.label(at)}). Nothing changed. Choose another path.`,
        );
    }
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

function importsLeft(labels: readonly string[]): string {
  return `Not moved, but its imports are changed already and could not be put back in ${labels.join(', ')}: read them and put them right with edit_file.`;
}
