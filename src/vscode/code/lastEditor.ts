import * as vscode from 'vscode';
import { isPersonsFile } from '../personsFile.js';

/** The text editor that was active last, also while the chat or a terminal has the focus. */
export class LastEditor implements vscode.Disposable {
  private last = vscode.window.activeTextEditor;
  private readonly subscription = vscode.window.onDidChangeActiveTextEditor((editor) => {
    if (editor && isWritable(editor.document)) this.last = editor;
  });

  /** Undefined where none is in sight any more, or what is there is no document of a person (a log, one side of a diff). */
  current(): vscode.TextEditor | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    if (activeTextEditor && isWritable(activeTextEditor.document)) return activeTextEditor;
    const { last } = this;
    return last && visibleTextEditors.includes(last) && isWritable(last.document) ? last : undefined;
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

function isWritable({ uri, isClosed }: vscode.TextDocument): boolean {
  return !isClosed && (uri.scheme === 'untitled' || uri.scheme === 'vscode-notebook-cell' || isPersonsFile(uri));
}
