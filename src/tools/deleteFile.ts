import * as z from 'zod';
import { parentOf, nameOf } from '../platform/workspacePaths.js';
import { defineTool, ToolError, type Tool, type ToolResult } from '../runner/tool.js';
import { inWords, locate, requireThere, requireTrust, type FileToolNeeds } from './support/paths.js';
import { largestWholeFile } from './support/changes.js';

const params = z.object({ path: z.string() });

/** Deletes a file or an empty folder, to the trash where there is one. Its content is kept for Undo. */
export function deleteFileTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'delete_file',
    description: 'Delete a file or an empty folder.',
    params,
    summary: ({ path }) => path,
    access: ({ path }) => [{ kind: 'delete', path: locate(workspace, path) }],
    async run({ path }, context): Promise<ToolResult> {
      const target = locate(workspace, path);
      requireTrust(workspace, target);
      const label = workspace.label(target);
      await refuseLink(target, label);
      const stat = await requireThere(workspace, target);
      if (workspace.folders().some((folder) => folder.path === target)) {
        throw new ToolError(`${label} is the workspace's own folder and is not deleted.`);
      }
      if (stat.type === 'other') throw new ToolError(`${label} is a device, pipe or socket: use exec to remove it.`);
      if (stat.type === 'directory') await requireEmpty(target, label);
      else if (stat.size <= largestWholeFile && (await inWords(label, () => workspace.read(target))).dirty) {
        throw new ToolError(`${label} has unsaved changes of the person: ask them to save or close it first.`);
      }
      const real = await workspace.realPath(target);
      await context.beforeChange(target);
      const { trashed } = await inWords(label, () => workspace.remove(target));
      context.reads.forget(real);
      return { text: `Deleted ${label}${trashed ? ' (it is in the trash)' : ''}.`, summary: label };
    },
  });

  async function requireEmpty(path: string, label: string): Promise<void> {
    const entries = await inWords(label, () => workspace.list(path));
    if (entries.length === 0) return;
    throw new ToolError(
      `${label} is a folder with ${entries.length} entries. Delete those first, or use exec to remove it with its content.`,
    );
  }

  /** A link could not be restored by Undo, and which of the two is meant, link or target, is for a command to say. */
  async function refuseLink(path: string, label: string): Promise<void> {
    const entries = await workspace.list(parentOf(path)).catch(() => []);
    const link = entries.some((entry) => entry.type === 'symlink' && entry.name === nameOf(path));
    if (link) throw new ToolError(`${label} is a symbolic link. Remove it with exec (rm), which leaves its target.`);
  }
}
