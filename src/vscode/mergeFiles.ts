import { t } from '@vscode/l10n';
import { isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';
import type { RestoreConflict } from '../memory/gitRestore.js';
import { isMissing } from '../platform/fileErrors.js';
import type { Files } from '../platform/ports.js';

/** Results of merges: files that VS Code's merge editor writes in place of the real ones. */
const MERGE_SCHEME = 'nanobot-merge';
/** A file with this in it is one that VS Code's merge editor begins to merge anew. */
const UNRESOLVED = '<<<<<<<';

interface Merge {
  /** Absolute. */
  path: string;
  /** What the file must still say for the result to take its place. */
  expected: string;
  content: string;
  mtime: number;
}

/**
 * Files whose merge a person has still to decide. The merge editor takes what it writes to for its first proposal, and asks about a conflict only
 * where that is undecided; the real file holds the person's text, which counts as decided. So it writes here, and what is saved goes to the real file,
 * unless that changed meanwhile.
 */
export class MergeFiles implements vscode.FileSystemProvider {
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]>;
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  private readonly merges = new Map<string, Merge>();
  private readonly registration: vscode.Disposable;

  constructor(private readonly files: Pick<Files, 'read' | 'writeAtomic'>) {
    this.onDidChangeFile = this.changed.event;
    this.registration = vscode.workspace.registerFileSystemProvider(MERGE_SCHEME, this, { isCaseSensitive: true });
  }

  /** The file in which this conflict is decided. `path` is the real one's. */
  begin(path: string, conflict: RestoreConflict): vscode.Uri {
    const mtime = Date.now();
    const uri = vscode.Uri.from({ scheme: MERGE_SCHEME, path: `/${conflict.path}`, query: String(mtime) });
    const content = `${UNRESOLVED} ${t('not decided yet')}\n${conflict.base}`;
    this.merges.set(uri.toString(), { path, expected: conflict.current, content, mtime });
    return uri;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { content, mtime } = this.mergeAt(uri);
    return { type: vscode.FileType.File, ctime: mtime, mtime, size: Buffer.byteLength(content) };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.mergeAt(uri).content, 'utf8');
  }

  /** Rejects, with what to do, where the real file is not the one any more that the merge began with. */
  async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    const merge = this.mergeAt(uri);
    const content = Buffer.from(bytes).toString('utf8');
    if (content.includes(UNRESOLVED) || !isUtf8(bytes)) {
      throw vscode.FileSystemError.NoPermissions(t('Choose in the merge editor what to keep, then save.'));
    }
    if ((await this.textAt(merge.path)) !== merge.expected) {
      throw vscode.FileSystemError.NoPermissions(
        t(
          '{0} was changed meanwhile, so this was not written over it. Copy what you want to keep, close this and restore again.',
          uri.path.slice(1),
        ),
      );
    }
    await this.files.writeAtomic(merge.path, content);
    this.merges.set(uri.toString(), {
      ...merge,
      expected: content,
      content,
      mtime: Math.max(Date.now(), merge.mtime + 1),
    });
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  private mergeAt(uri: vscode.Uri): Merge {
    const merge = this.merges.get(uri.toString());
    if (!merge) throw vscode.FileSystemError.FileNotFound(uri);
    return merge;
  }

  private async textAt(path: string): Promise<string> {
    try {
      return Buffer.from(await this.files.read(path)).toString('utf8');
    } catch (error) {
      if (isMissing(error)) return '';
      throw error;
    }
  }
}
