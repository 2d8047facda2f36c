import type { RenameEdits, TextChange } from '../../platform/languages.js';
import type { Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { ToolError, type Access, type ToolContext } from '../../runner/tool.js';
import { largestWholeFile } from './changes.js';
import { lineDelta, unifiedDiff } from './diff.js';
import { inWords, requireFile, requireTrust } from './paths.js';
import { fileBytes, readFileText, type FileText } from './text.js';
import { applyChanges } from './textChanges.js';

/** What a language service wants to change in one file, worked out on the file's text. */
export interface PlannedFile {
  path: string;
  label: string;
  real: string;
  changes: readonly TextChange[];
  before: FileText;
  /** The bytes that `before` was read from. */
  bytes: Uint8Array;
  after: string;
}

/** How a planned file was changed. */
export interface ChangedFile {
  label: string;
  path: string;
  changes: number;
  added: number;
  removed: number;
  saved: boolean;
  diff: string;
  /** What stands in the file now. */
  written: Uint8Array;
}

/**
 * Works out the new text of every file. Throws a `ToolError` for one that is no text, too large, another text than the changes are meant for, or that
 * they do not fit.
 */
export async function planEdits(workspace: Workspace, edits: RenameEdits): Promise<PlannedFile[]> {
  const planned: PlannedFile[] = [];
  for (const { path, changes, text } of edits.files) {
    const label = workspace.label(path);
    const { size } = await requireFile(workspace, path);
    if (size > largestWholeFile) throw new ToolError(`${label} would change and is over 10 MB. Nothing changed.`);
    const { bytes } = await inWords(label, () => workspace.read(path));
    const before = readFileText(bytes);
    if (!before) throw new ToolError(`${label} would change and is no text. Nothing changed.`);
    if (text !== undefined && !isSameText(before, text))
      throw new ToolError(
        `${label} would change, and the editor has another text of it: another encoding (files.encoding), or it has not seen the last change yet. Nothing changed. Call this again; if it stays so, use edit_file, and exec where the encoding differs.`,
      );
    const after = applyChanges(before.raw, changes, label);
    const real = await workspace.realPath(path);
    if (after !== before.raw) planned.push({ path, label, real, changes, before, bytes, after });
  }
  return planned.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Whether places in the editor's text are the same ones in ours. In a file that is not UTF-8 characters beyond ASCII may be read as others, as long as
 * there are as many.
 */
function isSameText({ raw, format }: FileText, other: string): boolean {
  const plain = (text: string): string => {
    const lines = text.replaceAll(/\r\n?/g, '\n');
    return format.encoding === 'windows-1252' ? lines.replaceAll(/[\u0080-\uffff]/g, '?') : lines;
  };
  return plain(raw) === plain(other);
}

/** One write for each file, with its diff. */
export function accessOf(planned: readonly PlannedFile[]): Access[] {
  return planned.map(({ path, label, before, after }) => ({
    kind: 'write',
    path,
    diff: unifiedDiff(label, before.raw, after),
  }));
}

/**
 * Writes the planned texts: each as edit_file would, kept for Undo first. Files are checked before the first one changes, so that one that was
 * changed meanwhile stops all. What the model had read stays read.
 */
export async function applyPlan(
  workspace: Workspace,
  context: ToolContext,
  planned: readonly PlannedFile[],
): Promise<ChangedFile[]> {
  for (const { path, label, bytes } of planned) {
    requireTrust(workspace, path);
    const now = await inWords(label, () => workspace.read(path));
    if (!Buffer.from(now.bytes).equals(bytes))
      throw new ToolError(`${label} has changed meanwhile. Nothing was changed; call this again.`);
  }
  context.signal.throwIfAborted();
  const changed: ChangedFile[] = [];
  for (const file of planned) {
    try {
      changed.push(await applyOne(workspace, context, file));
    } catch (cause) {
      if (changed.length === 0) throw cause;
      const done = changed.map(({ label }) => label).join(', ');
      throw new ToolError(
        `${cause instanceof Error ? cause.message : String(cause)} Changed before that: ${done}. Finish the rest with edit_file.`,
      );
    }
  }
  return changed;
}

/** Puts back what was there before, but for files that changed since or cannot be written: their labels. */
export async function takeBack(
  workspace: Workspace,
  context: ToolContext,
  planned: readonly PlannedFile[],
  changed: readonly ChangedFile[],
): Promise<string[]> {
  const left: string[] = [];
  for (const { path, label, written } of changed.toReversed()) {
    const file = planned.find((one) => one.path === path);
    try {
      const now = (await workspace.read(path)).bytes;
      if (!file || !Buffer.from(now).equals(written)) {
        left.push(label);
        continue;
      }
      const known = context.reads.check(file.real, written) === 'fresh';
      await workspace.write(path, file.bytes);
      if (known) context.reads.note(file.real, file.bytes);
    } catch (cause) {
      left.push(`${label} (${reasonOf(cause)})`);
    }
  }
  return left.reverse();
}

/** `path +1 −1 (2 places)`, and which files stay unsaved. */
export function changedLines(changed: readonly ChangedFile[]): string {
  const lines = changed.map(
    ({ label, changes, added, removed }) =>
      `${label} +${added} −${removed}${changes > 1 ? ` (${changes} places)` : ''}`,
  );
  const unsaved = changed.filter(({ saved }) => !saved).map(({ label }) => label);
  if (unsaved.length > 0)
    lines.push(`Unsaved changes of the person are in ${unsaved.join(', ')}: there it is in the editor, not saved yet.`);
  return lines.join('\n');
}

async function applyOne(workspace: Workspace, context: ToolContext, file: PlannedFile): Promise<ChangedFile> {
  const { path, label, real, before, bytes, after, changes } = file;
  const known = context.reads.check(real, bytes) === 'fresh';
  const content = fileBytes(after, before.format, label);
  await context.beforeChange(path);
  const { text, saved } = await inWords(label, () => workspace.write(path, content));
  const written = fileBytes(text, before.format, label);
  if (known) context.reads.note(real, written);
  const delta = lineDelta(before.raw, text);
  return { label, path, changes: changes.length, ...delta, saved, diff: unifiedDiff(label, before.raw, text), written };
}
