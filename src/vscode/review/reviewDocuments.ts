import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../../app.js';
import type { FileChange } from '../../protocol/message.js';
import { readFileText } from '../../tools/support/text.js';
import { toUri } from '../uris.js';
import { REVIEW_SCHEME } from './reviewIds.js';

type ReviewApp = Pick<App, 'reviews' | 'snapshots' | 'workspace'>;

/** The left side of diffs, read-only: a file as a turn found it, or as far as the person has decided on it. */
export class ReviewDocuments {
  constructor(private readonly app: ReviewApp) {}

  /** The text of one of our URIs; a sentence where nothing is kept any more. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const [turn, path] = [query.get('turn'), query.get('path') ?? ''];
    if (query.has('empty')) return '';
    if (turn === null) return this.app.reviews.before(path).catch(() => this.gone(path));
    const bytes = await this.app.snapshots.original(turn, path);
    if (bytes) return readFileText(bytes)?.raw ?? t('This file is no text.');
    const { changes } = await this.app.snapshots.changes(turn);
    return changes.find((change) => change.path === path)?.kind === 'created' ? '' : this.gone(path);
  }

  private gone(path: string): string {
    const label = this.app.workspace.label(path);
    return `${t('What {0} was before is not kept any more: Nanobot keeps it for seven days.', label)}\n`;
  }
}

/** A file as the turn found it. */
export function originalUri(turnId: string, { path }: Pick<FileChange, 'path'>): vscode.Uri {
  return documentUri(path, { turn: turnId, path });
}

/** The left side of a diff for a file that is not there yet. */
export function emptyUri(path: string): vscode.Uri {
  return documentUri(path, { empty: '' });
}

/** A file under review without what is still to be decided on. */
export function pendingUri(path: string): vscode.Uri {
  return documentUri(path, { path });
}

/** The name of the file comes last, so that the language is told by it. */
function documentUri(path: string, query: Record<string, string>): vscode.Uri {
  return vscode.Uri.from({
    scheme: REVIEW_SCHEME,
    path: toUri(path).path,
    query: new URLSearchParams(query).toString(),
  });
}
