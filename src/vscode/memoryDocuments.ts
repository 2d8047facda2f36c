import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { HistoryEntry } from '../memory/historyEntry.js';
import type { FileVersion, MemoryCommit } from '../memory/memoryCommit.js';
import { entryDocument } from './historyItems.js';
import type { MemoryApp } from './memoryApp.js';
import { HISTORY_SCHEME, MEMORY_SCHEME } from './memoryIds.js';

/** Texts that are held for a merge at most. */
const MAX_HELD = 30;

/**
 * Read-only documents: entries of the history (`nanobot-history:`), and files of the memory as a commit found and left them (`nanobot-memory:`), so
 * that VS Code's own editors show them.
 */
export class MemoryDocuments implements vscode.TextDocumentContentProvider {
  private readonly held = new Map<string, string>();
  private last: { sha: string; files: Promise<FileVersion[]> } | undefined;

  constructor(private readonly app: Pick<MemoryApp, 'git' | 'history' | 'clock'>) {}

  /** Where an entry is shown. */
  entry(entry: HistoryEntry): vscode.Uri {
    const name = `${entry.timestamp.replaceAll(':', '.') || 'Entry'} (${String(entry.cursor)}).md`;
    return uriOf(HISTORY_SCHEME, name, { cursor: String(entry.cursor) });
  }

  /** Where a file is shown as it was before or after a commit; where there was none, it is empty. */
  version({ sha }: MemoryCommit, path: string, side: 'before' | 'after'): vscode.Uri {
    return uriOf(MEMORY_SCHEME, path, { sha, side });
  }

  /** Where a text is shown for a while, under this path. */
  hold(path: string, name: string, text: string): vscode.Uri {
    const uri = uriOf(MEMORY_SCHEME, path, { held: `${name} ${String(Date.now())}` });
    this.held.set(uri.toString(), text);
    for (const key of [...this.held.keys()].slice(0, Math.max(0, this.held.size - MAX_HELD))) this.held.delete(key);
    return uri;
  }

  /** The text of one of our URIs. Rejects in plain words where there is nothing any more. */
  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const query = new URLSearchParams(uri.query);
    const cursor = query.get('cursor');
    if (cursor !== null) return this.entryText(Number(cursor));
    const sha = query.get('sha');
    if (sha === null)
      return this.held.get(uri.toString()) ?? t('This text is not held any more. Ask for the restore again.');
    const path = uri.path.slice(1);
    const file = (await this.filesOf(sha)).find((candidate) => candidate.path === path);
    return file?.[query.get('side') === 'before' ? 'before' : 'after'] ?? '';
  }

  /** Both sides of a diff, and all its files, ask at once. */
  private filesOf(sha: string): Promise<FileVersion[]> {
    if (this.last?.sha !== sha) {
      const files = this.app.git.show(sha).then((shown) => shown.files);
      this.last = { sha, files };
      files.catch(() => (this.last = undefined));
    }
    return this.last.files;
  }

  private async entryText(cursor: number): Promise<string> {
    const { history, clock } = this.app;
    const [[entry], dreamCursor] = await Promise.all([history.newest(1, cursor + 1), history.dreamCursor()]);
    if (entry?.cursor !== cursor) {
      throw new Error(
        t('Entry {0} is not in history.jsonl any more: the oldest that Dream has read are dropped.', cursor),
      );
    }
    return entryDocument(entry, { isRead: cursor <= dreamCursor, present: { now: clock.now(), zone: clock.zone() } });
  }
}

function uriOf(scheme: string, path: string, query: Record<string, string>): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${path}`, query: new URLSearchParams(query).toString() });
}
