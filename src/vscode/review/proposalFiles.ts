import { t } from '@vscode/l10n';
import { isUtf8 } from 'node:buffer';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import type { App } from '../../app.js';
import { toUri } from '../uris.js';
import { emptyUri } from './reviewDocuments.js';
import { PROPOSAL_SCHEME } from './reviewIds.js';

type ProposalApp = Pick<App, 'proposals' | 'loop' | 'log'>;

/**
 * Texts that wait for a person's Allow, as files of their own: they open beside the real file in VS Code's diff editor and can be changed there.
 * What is saved, or stands unsaved in the editor when the person allows it, is what will be written.
 */
export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;
  private readonly registration: vscode.Disposable;
  /** Texts that were decided on, for editors that still show them. */
  private readonly decided = new Map<string, string>();

  constructor(private readonly app: ProposalApp) {
    const ended = app.proposals.onEnd((approvalId) => {
      // What an editor shows of it can be read from now on, and no more be changed.
      for (const document of shownFor(approvalId)) {
        this.decided.set(document.uri.toString(), document.getText());
        this.changed.fire([{ type: vscode.FileChangeType.Changed, uri: document.uri }]);
      }
    });
    this.registration = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this, { isCaseSensitive: true }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.decided.delete(uri.toString())),
      new vscode.Disposable(() => {
        ended.dispose();
      }),
    );
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }

  /** Opens the diff from a file to what is proposed for it. */
  async open(approvalId: string, path: string): Promise<void> {
    const proposal = this.app.proposals.find(approvalId)?.proposals.find((one) => one.path === path);
    if (!proposal) {
      void vscode.window.showInformationMessage(plain(t('Nanobot: this has been decided already.')));
      return;
    }
    const file = toUri(path);
    const isThere = await vscode.workspace.fs.stat(file).then(
      () => true,
      () => false,
    );
    const shown = uriOf(approvalId, path);
    // What the person set for their own files does not hold for what is made here.
    await vscode.workspace.openTextDocument(shown, { encoding: 'utf8' });
    const title = t('{0} (Nanobot proposes)', proposal.label);
    await vscode.commands.executeCommand('vscode.diff', isThere ? file : emptyUri(path), shown, title);
  }

  /** Decides by the editor that shows the proposal; undefined where it shows none. */
  async decide(uri: vscode.Uri | undefined, kind: 'allow' | 'deny'): Promise<void> {
    const shown = uri ?? vscode.window.activeTextEditor?.document.uri;
    const approvalId = shown?.scheme === PROPOSAL_SCHEME ? placeOf(shown).approvalId : undefined;
    const found = approvalId === undefined ? undefined : this.app.proposals.find(approvalId);
    if (approvalId === undefined || !found) {
      void vscode.window.showInformationMessage(plain(t('Nanobot: there is nothing to decide on in this editor.')));
      return;
    }
    await this.takeEdits(approvalId);
    const conversation = await this.app.loop.conversation(found.sessionKey);
    conversation.interaction.decide(approvalId, { kind });
  }

  /** Saves what editors hold of this approval's proposals, so that it is what will be written. */
  async takeEdits(approvalId: string): Promise<void> {
    for (const document of shownFor(approvalId)) {
      const text = document.getText();
      this.app.proposals.amend(approvalId, placeOf(document.uri).path, text);
      this.decided.set(document.uri.toString(), text);
      // So that the editor can be closed without a question; the text is taken whatever becomes of it.
      if (document.isDirty) await document.save();
    }
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const text = this.textOf(uri);
    const isOpen = this.app.proposals.find(placeOf(uri).approvalId) !== undefined;
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: 0,
      size: Buffer.byteLength(text),
      ...(isOpen ? {} : { permissions: vscode.FilePermission.Readonly }),
    };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return Buffer.from(this.textOf(uri), 'utf8');
  }

  /** Rejects where the proposal was decided on: nothing would be written any more. */
  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const { approvalId, path } = placeOf(uri);
    if (!isUtf8(bytes)) {
      throw vscode.FileSystemError.NoPermissions(
        t('This editor does not save as UTF-8. Choose "Save with Encoding: UTF-8".'),
      );
    }
    if (!this.app.proposals.amend(approvalId, path, Buffer.from(bytes).toString('utf8'))) {
      throw vscode.FileSystemError.NoPermissions(t('This proposal has been decided on. Edit the file itself.'));
    }
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  private textOf(uri: vscode.Uri): string {
    const { approvalId, path } = placeOf(uri);
    const text = this.app.proposals.text(approvalId, path) ?? this.decided.get(uri.toString());
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(t('This proposal has been decided on.'));
    return text;
  }
}

function shownFor(approvalId: string): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(
    ({ uri }) => uri.scheme === PROPOSAL_SCHEME && placeOf(uri).approvalId === approvalId,
  );
}

/** The name of the file comes last, so that the language is told by it. */
function uriOf(approvalId: string, path: string): vscode.Uri {
  const query = new URLSearchParams({ approval: approvalId, path }).toString();
  return vscode.Uri.from({ scheme: PROPOSAL_SCHEME, path: toUri(path).path, query });
}

function placeOf(uri: vscode.Uri): { approvalId: string; path: string } {
  const query = new URLSearchParams(uri.query);
  return { approvalId: query.get('approval') ?? '', path: query.get('path') ?? '' };
}
