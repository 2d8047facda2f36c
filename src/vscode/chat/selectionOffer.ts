import * as vscode from 'vscode';
import type { Clock, Disposable, Workspace } from '../../platform/ports.js';
import type { Attachment } from '../../protocol/message.js';
import { linesOfRange } from '../lineRange.js';
import { isPersonsFile } from '../personsFile.js';
import { attachmentOf } from './attachmentOf.js';

/** Milliseconds a selection rests before it is told of: while somebody drags it changes with every line. */
const REST_MS = 200;

/** What is selected in the active editor, as something that can be offered to the person. It is never sent by itself. */
export class SelectionOffer implements Disposable {
  private readonly listeners = new Set<(offer: Attachment | null) => void>();
  private readonly subscriptions: Disposable[];
  private timer: Disposable | undefined;
  private told = 'null';

  constructor(
    private readonly workspace: Workspace,
    clock: Clock,
  ) {
    const look = () => {
      this.timer?.dispose();
      this.timer = this.listeners.size === 0 ? undefined : clock.after(REST_MS, () => this.tell());
    };
    this.subscriptions = [
      vscode.window.onDidChangeTextEditorSelection(look),
      vscode.window.onDidChangeActiveTextEditor(look),
    ];
  }

  /** What is selected now; null where nothing is, or where it is no file of the person's. */
  current(): Attachment | null {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.selection.isEmpty || !isPersonsFile(editor.document.uri)) return null;
    return { ...attachmentOf(this.workspace, editor.document.uri), ...linesOfRange(editor.selection) };
  }

  /** Calls back with each change once it rests. */
  onChange(listener: (offer: Attachment | null) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  dispose(): void {
    this.timer?.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private tell(): void {
    const offer = this.current();
    const told = JSON.stringify(offer);
    if (told === this.told) return;
    this.told = told;
    for (const listener of this.listeners) listener(offer);
  }
}
