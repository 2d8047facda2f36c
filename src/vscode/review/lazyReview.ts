import * as vscode from 'vscode';
import { REVIEW_SCHEME, REVIEWS_KEY } from './reviewIds.js';
import type { ReviewSurfaces } from './reviewSurfaces.js';

/** What of a review stands before the agent is loaded. */
export interface EarlyReview {
  /** Fired when a document that shows what a file was is to be shown anew. */
  documentChanged: vscode.EventEmitter<vscode.Uri>;
}

/** Registers what shows files as they were, and loads the agent where this window left something to be decided on. */
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
  const left = context.workspaceState.get<unknown[]>(REVIEWS_KEY) ?? [];
  // A person hears why it failed at the first thing they do.
  if (left.length > 0) load().catch(() => undefined);
  return { documentChanged };
}
