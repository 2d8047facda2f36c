import type * as vscode from 'vscode';
import type { ReviewStorage, PendingReview } from '../../agent/reviews.js';
import type { App } from '../../app.js';
import type { Disposable } from '../../platform/ports.js';
import type { ReviewCommandId } from '../commandIds.js';
import type { EarlyReview } from './lazyReview.js';
import { ProposalFiles } from './proposalFiles.js';
import { createReviewCommands } from './reviewCommands.js';
import { pendingUri, ReviewDocuments } from './reviewDocuments.js';
import { ReviewEditors } from './reviewEditors.js';
import { REVIEWS_KEY } from './reviewIds.js';

/** What people see of a review besides the chat. */
export interface ReviewSurfaces extends Disposable {
  documents: ReviewDocuments;
  proposals: ProposalFiles;
  commands: Record<ReviewCommandId, (args: unknown[]) => Promise<void>>;
}

export function createReviewSurfaces({ documentChanged }: EarlyReview, app: App): ReviewSurfaces {
  const documents = new ReviewDocuments(app);
  const editors = new ReviewEditors(app);
  const proposals = new ProposalFiles(app);
  const following = app.reviews.onChange(() => {
    for (const path of app.reviews.paths()) documentChanged.fire(pendingUri(path));
  });
  return {
    documents,
    proposals,
    commands: createReviewCommands({ app, editors, proposals }),
    dispose: () => {
      following.dispose();
      editors.dispose();
      proposals.dispose();
    },
  };
}

/** What is under review is kept with the workspace. */
export function reviewStorage({ workspaceState }: vscode.ExtensionContext): ReviewStorage {
  return {
    load: () => workspaceState.get<PendingReview[]>(REVIEWS_KEY) ?? [],
    save: (pending) => void workspaceState.update(REVIEWS_KEY, pending),
  };
}
