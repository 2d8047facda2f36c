import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../../app.js';
import { plain } from '../../platform/plainText.js';
import { reasonOf } from '../../platform/reason.js';
import type { ReviewHunk } from '../../tools/support/reviewHunks.js';
import type { ReviewCommandId } from '../commandIds.js';
import { tellReason, told, type Run } from '../told.js';
import { toPath, toUri } from '../uris.js';
import type { ProposalFiles } from './proposalFiles.js';
import { rangeOf, type ReviewEditors } from './reviewEditors.js';
import { showPending, showPendingFile } from './showChanges.js';

export interface ReviewCommandDeps {
  app: Pick<App, 'reviews' | 'snapshots' | 'workspace' | 'log'>;
  editors: ReviewEditors;
  proposals: ProposalFiles;
}

/** What each command of a review does. Those for one hunk take it from a click above it, else from where the cursor is. */
export function createReviewCommands(deps: ReviewCommandDeps): Record<ReviewCommandId, Run> {
  const { reviews, workspace, log } = deps.app;
  const decide = async (args: unknown[], act: (path: string, hunk: ReviewHunk) => Promise<void>) => {
    const clicked = clickedHunk(args);
    const found = clicked ?? (await hunkAtCursor(deps.editors));
    if (!found) return;
    await act(found.path, found.hunk);
    // Who decides by key goes on to the next.
    if (!clicked) await goOn(deps, found.hunk.start);
  };
  const commands: Record<ReviewCommandId, Run> = {
    reviewChanges: async () => {
      await reviews.forgetGone();
      await showPending(deps.app);
    },
    'review.keep': (args) => decide(args, (path, hunk) => reviews.keepHunk(path, hunk)),
    'review.undo': (args) => decide(args, (path, hunk) => reviews.undoHunk(path, hunk)),
    'review.openDiff': async (args) => {
      const found = clickedHunk(args) ?? (await hunkAtCursor(deps.editors));
      if (found) await showPendingFile(workspace, found.path, found.hunk.start);
    },
    'review.next': () => goTo(deps, 1),
    'review.previous': () => goTo(deps, -1),
    'review.keepFile': async ([path]) => onFile(path, (file) => reviews.keepFile(file)),
    'review.undoFile': async ([path]) => onFile(path, (file) => reviews.undoFile(file)),
    'review.keepAll': async () => {
      for (const path of reviews.paths()) await reviews.keepFile(path);
    },
    'review.undoAll': () => undoAll(deps.app),
    'proposal.apply': ([uri]) => deps.proposals.decide(asUri(uri), 'allow'),
    'proposal.discard': ([uri]) => deps.proposals.decide(asUri(uri), 'deny'),
  };
  return told(commands, (cause) => tellReason(log, 'the review', cause));
}

function asUri(value: unknown): vscode.Uri | undefined {
  return value instanceof vscode.Uri ? value : undefined;
}

interface FoundHunk {
  path: string;
  hunk: ReviewHunk;
}

/** The arguments that our own button above a hunk gives. */
function clickedHunk([path, hunk]: unknown[]): FoundHunk | undefined {
  const isHunk = typeof hunk === 'object' && hunk !== null && 'start' in hunk && 'before' in hunk;
  return typeof path === 'string' && isHunk ? { path, hunk: hunk as ReviewHunk } : undefined;
}

async function hunkAtCursor(editors: ReviewEditors): Promise<FoundHunk | undefined> {
  const editor = vscode.window.activeTextEditor;
  const hunks = editor ? await editors.hunksOf(editor) : [];
  const line = editor?.selection.active.line ?? 0;
  const hunk = hunks.find(({ start, end }) => line >= start && line <= Math.max(start, end - 1));
  if (editor && hunk) return { path: toPath(editor.document.uri), hunk };
  const said =
    hunks.length > 0
      ? t('Nanobot: put the cursor on a change first.')
      : t('Nanobot: there is nothing to decide on in this editor.');
  void vscode.window.showInformationMessage(plain(said));
  return undefined;
}

async function onFile(path: unknown, act: (path: string) => Promise<void>): Promise<void> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const meant = typeof path === 'string' ? path : active && toPath(active);
  if (meant !== undefined) await act(meant);
}

/** Puts the cursor on the first hunk at or behind a line of the active editor, if one is left. */
async function goOn({ editors }: ReviewCommandDeps, line: number): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const hunks = editor ? await editors.hunksOf(editor) : [];
  const next = hunks.find(({ start }) => start >= line) ?? hunks[0];
  if (editor && next) reveal(editor, next);
}

/** Goes to the next or the former hunk: in the active editor, else in the next or former file under review. */
async function goTo(deps: ReviewCommandDeps, by: 1 | -1): Promise<void> {
  const { reviews } = deps.app;
  const editor = vscode.window.activeTextEditor;
  const path = editor && toPath(editor.document.uri);
  const here = editor ? await deps.editors.hunksOf(editor) : [];
  const line = editor?.selection.active.line ?? 0;
  const near =
    by > 0
      ? here.find(({ start }) => start > line)
      : here.findLast(({ start, end }) => Math.max(start, end - 1) < line);
  if (editor && near) return reveal(editor, near);
  await reviews.forgetGone();
  const paths = reviews.paths();
  const at = path === undefined ? -1 : paths.indexOf(path);
  const other = paths[(at + by + paths.length) % paths.length];
  if (other === undefined) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there are no changes to review.')));
    return;
  }
  const opened = await vscode.window.showTextDocument(toUri(other));
  const hunks = await deps.editors.hunksOf(opened);
  const first = by > 0 ? hunks[0] : hunks.at(-1);
  if (first) reveal(opened, first);
}

function reveal(editor: vscode.TextEditor, hunk: ReviewHunk): void {
  const range = rangeOf(hunk, editor.document.lineCount - 1);
  editor.selection = new vscode.Selection(range.start, range.start);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function undoAll({ reviews, workspace }: ReviewCommandDeps['app']): Promise<void> {
  await reviews.forgetGone();
  const paths = reviews.paths();
  if (paths.length > 1) {
    const detail = paths.map((path) => workspace.label(path)).join('\n');
    const question = t("Undo Nanobot's changes in {0} files? Your own edits stay.", paths.length);
    if (!(await vscode.window.showWarningMessage(question, { modal: true, detail }, t('Undo All')))) return;
  }
  const failed: string[] = [];
  for (const path of paths) await reviews.undoFile(path).catch((cause: unknown) => failed.push(reasonOf(cause)));
  if (failed.length > 0) throw new Error(failed.join(' '));
}
