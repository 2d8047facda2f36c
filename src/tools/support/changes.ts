import { plainUtf8, type TextFormat } from '../../platform/encoding.js';
import { ToolError, type ToolContext } from '../../runner/tool.js';
import type { Workspace } from '../../platform/ports.js';
import { lineDelta, shortDiff, unifiedDiff } from './diff.js';
import { binaryKindOf } from './fileKind.js';
import { inWords, requireFile } from './paths.js';
import { errorsNow, newErrors } from './problems.js';
import { fileBytes, readFileText, sizeText, type FileText } from './text.js';

/** Files above this are read by ranges and changed by commands, not by edits: an edit needs the whole text several times. */
export const largestWholeFile = 10 * 1024 * 1024;
const shownDiff = 4_000;

/** A text file as it stands, which the model has read. */
export interface KnownFile {
  text: FileText;
  /** The real path, under which the ledger knows it. */
  real: string;
}

/** A new text for a file. */
export interface TextChange {
  path: string;
  real: string;
  /** Undefined for a new file. */
  before: FileText | undefined;
  /** With the line ends it is to have, without BOM. */
  after: string;
}

/** What became of a change. */
export interface SavedChange {
  added: number;
  removed: number;
  /** From the text before to the text as it stands now. */
  diff: string;
  /** The diff as a result shows it. */
  shown: string;
  /** What the model must know beside: a formatter, unsaved text, new errors. Empty or whole lines. */
  notes: string[];
}

/**
 * Reads a text file that is to be changed. Throws a `ToolError` for a folder, a binary or a file over 10 MB, and one that says to read first
 * where the model has not seen the text as it is now.
 */
export async function readKnown(workspace: Workspace, context: ToolContext, path: string): Promise<KnownFile> {
  const label = workspace.label(path);
  const { size } = await requireFile(workspace, path);
  if (size > largestWholeFile) {
    throw new ToolError(
      `${label} is too large to edit (${sizeText(size)}, the limit is 10 MB): change it with a command (exec).`,
    );
  }
  const { bytes } = await inWords(label, () => workspace.read(path));
  const real = await workspace.realPath(path);
  const text = readFileText(bytes);
  if (!text) throw new ToolError(`${label} is no text (${binaryKindOf(bytes, path)}), so it cannot be edited.`);
  const state = context.reads.check(real, bytes);
  if (state === 'unread') throw new ToolError(`${label} has not been read in this chat. Read it with read_file first.`);
  if (state === 'stale') {
    throw new ToolError(
      `${label} has changed since you read it (by the person or a program). Read it again with read_file first.`,
    );
  }
  return { text, real };
}

/**
 * Writes a changed or new text in the file's own encoding, keeps its former content for Undo, and counts what stands afterwards as read.
 * Adds the errors that the editor found because of it.
 */
export async function saveChange(workspace: Workspace, context: ToolContext, change: TextChange): Promise<SavedChange> {
  const label = workspace.label(change.path);
  const after = context.amended(change.path) ?? change.after;
  const format: TextFormat = change.before?.format ?? plainUtf8;
  const bytes = fileBytes(after, format, label);
  const errorsBefore = await errorsNow(workspace);
  await context.beforeChange(change.path);
  const outcome = await inWords(label, () => workspace.write(change.path, bytes));
  context.reads.note(change.real, fileBytes(outcome.text, format, label));
  const errorsAfter = await errorsNow(workspace, { settle: true, signal: context.signal });
  const before = change.before?.raw;
  return {
    ...lineDelta(before, outcome.text),
    diff: unifiedDiff(label, before, outcome.text),
    shown: shortDiff(before ?? '', outcome.text, shownDiff),
    notes: notesOf(change, after, outcome, newErrors(errorsBefore, errorsAfter, workspace)),
  };
}

function notesOf(
  change: TextChange,
  after: string,
  outcome: { text: string; saved: boolean },
  problems: string,
): string[] {
  const notes: string[] = [];
  if (after !== change.after) {
    const difference = shortDiff(change.after, after, shownDiff);
    notes.push(`The person changed your proposal before they allowed it, from yours to theirs:\n${difference}`);
  }
  if (!outcome.saved) {
    notes.push('The person has unsaved changes in this file: the edit is in their editor, not saved yet.');
  }
  if (outcome.text !== after) {
    const difference = shortDiff(after, outcome.text, shownDiff);
    notes.push(
      `The editor changed the text on saving (a formatter), from yours to what the file now has:\n${difference}`,
    );
  }
  if (problems !== '') notes.push(problems);
  return notes;
}
