import { closest } from '../../platform/closest.js';
import { codeOf } from '../../platform/fileErrors.js';
import { isOutsideName, mayBeOutside } from '../../platform/outsideName.js';
import type { FileStat, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { folderOf, isInside, nameOf, parentOf } from '../../platform/workspacePaths.js';
import { ToolError, type ToolContext } from '../../runner/tool.js';

/** What every tool that touches files needs. */
export interface FileToolNeeds {
  workspace: Workspace;
  /** Folders outside the workspace whose text is Nanobot's own and not from outside: its home and the built-in skills. */
  ownFolders?: string[];
}

/** The absolute path of what the model wrote. Throws a `ToolError` where it cannot be one. */
export function locate(workspace: Workspace, path: string): string {
  if (path.includes('\0')) throw new ToolError('The path holds a zero character, which no file name can.');
  try {
    return workspace.resolve(path);
  } catch (error) {
    throw new ToolError(reasonOf(error));
  }
}

/** What is at a path. Throws a `ToolError` with the nearest names where there is nothing. */
export async function requireThere(workspace: Workspace, path: string): Promise<FileStat> {
  const stat = await statOf(workspace, path);
  if (stat) return stat;
  throw await notThere(workspace, path);
}

/** The same for a regular file: a folder or a device is a `ToolError` that names the right tool. */
export async function requireFile(workspace: Workspace, path: string): Promise<FileStat> {
  const stat = await requireThere(workspace, path);
  if (stat.type === 'directory') throw new ToolError(`${workspace.label(path)} is a folder: use list_dir.`);
  if (stat.type === 'other') throw new ToolError(`${workspace.label(path)} is a device, pipe or socket, not a file.`);
  return stat;
}

/** Undefined where there is nothing; other failures are a `ToolError`. */
export async function statOf(workspace: Workspace, path: string): Promise<FileStat | undefined> {
  return inWords(workspace.label(path), () => workspace.stat(path));
}

/** Runs something that touches a file, and puts Node's errors into words. */
export async function inWords<T>(label: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw toolErrorOf(error, label);
  }
}

/** An error of the file system in plain words with the next step; anything else is returned as it is. */
export function toolErrorOf(error: unknown, label: string): unknown {
  const words = wordsOf[codeOf(error) ?? ''];
  return words ? new ToolError(`${label}: ${words}`) : error;
}

const wordsOf: Record<string, string> = {
  ENOENT: 'there is nothing at this path (any more).',
  ENOTDIR: 'a part of the path is a file, not a folder. Choose another path.',
  EISDIR: 'this is a folder, not a file.',
  EEXIST: 'there is already something at this path. Choose another, or delete that first.',
  ENOTEMPTY: 'the folder is not empty. Delete what is in it first, or use exec to remove it with its content.',
  EACCES:
    'no permission: it is read-only, or belongs to somebody else. Change its permissions with exec if that is wanted.',
  EPERM:
    'no permission: it is read-only, or belongs to somebody else. Change its permissions with exec if that is wanted.',
  EROFS: 'this disk is read-only.',
  ENAMETOOLONG: 'the name is too long for this disk (usually 255 bytes a part). Choose a shorter one.',
  ENOSPC: 'the disk is full, nothing was changed. Free some space first.',
  EDQUOT: 'the disk quota is used up, nothing was changed. Free some space first.',
  ELOOP: 'its symbolic links go in a circle.',
  EMFILE: 'too many files are open. Try again.',
  EBUSY: 'it is in use by another program. Try again later.',
  EIO: 'the editor could not make or save the change; it may be open there, unsaved. Read the file to see what it holds now.',
  EINVAL: 'this is no valid path here.',
};

/**
 * Marks the turn as holding text from outside when a file lies neither in the workspace nor in Nanobot's own folders, or is a kept attachment that
 * somebody else wrote. Links count by where they lead.
 */
export async function markIfOutside(needs: FileToolNeeds, context: ToolContext, path: string): Promise<void> {
  const { workspace, ownFolders = [] } = needs;
  const real = await inWords(workspace.label(path), () => workspace.realPath(path));
  if (isOutsideName(real)) {
    context.markUntrusted(workspace.label(path));
    return;
  }
  for (const folder of [...workspace.folders().map((one) => one.path), ...ownFolders]) {
    if (isInside(real, folder) || isInside(real, await workspace.realPath(folder))) return;
  }
  context.markUntrusted(workspace.label(path));
}

/** Marks the turn when one of these files, which were found in a folder, is a kept attachment that somebody else wrote. */
export async function markFoundOutside(
  { workspace }: FileToolNeeds,
  context: ToolContext,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths.filter(mayBeOutside)) {
    const real = await workspace.realPath(path).catch(() => path);
    if (isOutsideName(real)) context.markUntrusted(workspace.label(path));
  }
}

/** In Restricted Mode the files of the workspace may be read and nothing more. */
export function requireTrust(workspace: Workspace, path: string): void {
  if (workspace.trusted() || !folderOf(path, workspace.folders())) return;
  throw new ToolError(
    `The workspace is in Restricted Mode, so ${workspace.label(path)} may not be changed. The person can trust the workspace to allow it.`,
  );
}

async function notThere(workspace: Workspace, path: string): Promise<ToolError> {
  const label = workspace.label(path);
  const parent = parentOf(path);
  const folder = parent === path ? undefined : await workspace.stat(parent).catch(() => undefined);
  if (folder?.type === 'directory') {
    const names = (await workspace.list(parent).catch(() => [])).map((entry) => entry.name);
    const near = closest(nameOf(path), names);
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ' list_dir or glob shows what there is.';
    return new ToolError(`${label} does not exist.${hint}`);
  }
  if (folder) return new ToolError(`${label} does not exist: ${workspace.label(parent)} is a file, not a folder.`);
  return new ToolError(
    `${label} does not exist: there is no folder ${workspace.label(parent)}. Use glob to find the file by name.`,
  );
}
