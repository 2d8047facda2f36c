import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../../app.js';
import type { ReviewHunk } from '../../tools/support/reviewHunks.js';
import { isPersonsFile } from '../personsFile.js';
import { toPath } from '../uris.js';
import { REVIEWING_KEY } from './reviewIds.js';

/** Milliseconds after a change of a text until its hunks are looked for again. */
const SETTLE_MS = 120;
/** Removed lines that a hover shows. */
const MAX_HOVERED = 40;

/** What an editor shows of a review. */
interface Shown {
  version: number;
  hunks: ReviewHunk[];
}

/**
 * Shows the hunks under review in the editors that are open: colours for the lines, and Keep and Undo above each. It follows the texts as they are
 * typed in; it opens, focuses and saves nothing.
 */
export class ReviewEditors implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly shown = new Map<string, Shown>();
  private readonly added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('diffEditor.insertedLineBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.addedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    borderColor: new vscode.ThemeColor('diffEditor.insertedTextBorder'),
    borderStyle: 'dashed',
    borderWidth: '0 0 0 2px',
  });
  private readonly removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.deletedForeground'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
    borderColor: new vscode.ThemeColor('editorGutter.deletedBackground'),
    borderStyle: 'solid',
    borderWidth: '2px 0 0 0',
  });
  private readonly subscriptions: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly app: Pick<App, 'reviews' | 'log'>) {
    const look = () => {
      this.lookSoon(0);
    };
    const following = app.reviews.onChange(look);
    this.subscriptions = [
      this.lensesChanged,
      this.added,
      this.removed,
      new vscode.Disposable(() => {
        following.dispose();
      }),
      vscode.languages.registerCodeLensProvider({ pattern: '**' }, this),
      vscode.window.onDidChangeVisibleTextEditors(look),
      vscode.window.onDidChangeActiveTextEditor(look),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (app.reviews.isPending(toPath(document.uri))) this.lookSoon(SETTLE_MS);
      }),
    ];
    look();
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  /** The hunks of an editor as it stands now. */
  hunksOf({ document }: vscode.TextEditor): Promise<ReviewHunk[]> {
    return this.app.reviews.hunksIn(toPath(document.uri), document.getText());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const shown = this.shown.get(document.uri.toString());
    // What was found in another text would stand at the wrong lines; the next look is on its way.
    if (shown?.version !== document.version) return [];
    const path = toPath(document.uri);
    const last = document.lineCount - 1;
    const head = shown.hunks.length > 1 ? fileLenses(path, shown.hunks.length) : [];
    return [...head, ...shown.hunks.flatMap((hunk) => hunkLenses(path, hunk, last))];
  }

  private lookSoon(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.look().catch((cause: unknown) => {
        this.app.log.warn(`Changes under review could not be shown: ${String(cause)}`);
      });
    }, ms);
  }

  private async look(): Promise<void> {
    const editors = vscode.window.visibleTextEditors.filter(({ document }) => isPersonsFile(document.uri));
    const open = new Set(editors.map(({ document }) => document.uri.toString()));
    for (const key of this.shown.keys()) if (!open.has(key)) this.shown.delete(key);
    for (const editor of editors) {
      const { document } = editor;
      const { version } = document;
      const hunks = await this.hunksOf(editor);
      if (document.version !== version) return;
      if (hunks.length === 0 && !this.shown.has(document.uri.toString())) continue;
      if (hunks.length > 0) this.shown.set(document.uri.toString(), { version, hunks });
      else this.shown.delete(document.uri.toString());
      this.decorate(editor, hunks);
    }
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    const isReviewing = active !== undefined && this.shown.has(active);
    await vscode.commands.executeCommand('setContext', REVIEWING_KEY, isReviewing);
    this.lensesChanged.fire();
  }

  private decorate(editor: vscode.TextEditor, hunks: readonly ReviewHunk[]): void {
    const last = editor.document.lineCount - 1;
    const optionsOf = (hunk: ReviewHunk): vscode.DecorationOptions => ({
      range: rangeOf(hunk, last),
      hoverMessage: hoverOf(hunk, editor.document.languageId),
    });
    editor.setDecorations(this.added, hunks.filter(({ start, end }) => end > start).map(optionsOf));
    editor.setDecorations(this.removed, hunks.filter(({ start, end }) => end === start).map(optionsOf));
  }
}

/** Where a hunk stands in an editor; the line after it, where lines were only removed. */
export function rangeOf({ start, end }: ReviewHunk, last: number): vscode.Range {
  return new vscode.Range(Math.min(start, last), 0, Math.min(Math.max(start, end - 1), last), 0);
}

function hoverOf({ before }: ReviewHunk, language: string): vscode.MarkdownString {
  const hover = new vscode.MarkdownString();
  if (before.length === 0) return hover.appendText(t('Nanobot added this.'));
  const rest = before.length - MAX_HOVERED;
  hover.appendText(
    before.length === 1
      ? t("Before Nanobot's change (1 line):")
      : t("Before Nanobot's change ({0} lines):", before.length),
  );
  hover.appendCodeblock(before.slice(0, MAX_HOVERED).join('\n'), language);
  if (rest > 0) hover.appendText(rest === 1 ? t('… and 1 more line') : t('… and {0} more lines', rest));
  return hover;
}

function fileLenses(path: string, hunks: number): vscode.CodeLens[] {
  const top = new vscode.Range(0, 0, 0, 0);
  return [
    lens(top, t('Nanobot: keep all {0} changes', hunks), 'review.keepFile', path),
    lens(top, t('undo all'), 'review.undoFile', path),
  ];
}

function hunkLenses(path: string, hunk: ReviewHunk, last: number): vscode.CodeLens[] {
  const { start } = rangeOf(hunk, last);
  const range = new vscode.Range(start, start);
  const size = `+${String(hunk.end - hunk.start)} −${String(hunk.before.length)}`;
  return [
    lens(range, `$(check) ${t('Keep')}`, 'review.keep', path, hunk),
    lens(range, `$(discard) ${t('Undo')}`, 'review.undo', path, hunk),
    lens(range, size, 'review.openDiff', path, hunk),
  ];
}

function lens(range: vscode.Range, title: string, command: string, ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(range, { title, command: `nanobot.${command}`, arguments: args });
}
