import * as vscode from 'vscode';
import { REVIEW_SCHEME, REVIEWS_KEY } from './reviewIds.js';
import type { ReviewSurfaces } from './reviewSurfaces.js';

/** What of a review stands before the agent is loaded. */
export interface EarlyReview {
  /** Fired when a document that shows what a file was is to be shown anew. */
  documentChanged: vscode.EventEmitter<vscode.Uri>;
}

/** Registers what shows files as they were, and loads the agent where an editor shows something that this window left to be decided on. */
export function registerReview(
  context: vscode.ExtensionContext,
  load: () => Promise<Pick<ReviewSurfaces, 'documents'>>,
): EarlyReview {
  const documentChanged = new vscode.EventEmitter<vscode.Uri>();
  context.subscriptions.push(
    documentChanged,
    vscode.workspace.registerTextDocumentContentProvider(REVIEW_SCHEME, {
      onDidChange: documentChanged.event,
      provideTextDocumentContent: async (uri) => (await load()).documents.provideTextDocumentContent(uri),
    }),
  );
  const left = context.workspaceState.get<{ path: string }[]>(REVIEWS_KEY) ?? [];
  if (left.length > 0) loadWhenShown(context, new Set(left.map(({ path }) => path)), load);
  return { documentChanged };
}

/** Loads the agent once an editor shows one of these files. */
function loadWhenShown(
  context: vscode.ExtensionContext,
  paths: ReadonlySet<string>,
  load: () => Promise<unknown>,
): void {
  const look = (editors: readonly vscode.TextEditor[]) => {
    // The core's form of a file's path, or of most addresses; what is missed is found as soon as the agent is there.
    if (!editors.some(({ document: { uri } }) => paths.has(uri.fsPath) || paths.has(uri.toString()))) return;
    following.dispose();
    // A person hears why it failed at the first thing they do.
    load().catch(() => undefined);
  };
  const following = vscode.window.onDidChangeVisibleTextEditors(look);
  context.subscriptions.push(following);
  look(vscode.window.visibleTextEditors);
}
