import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import type { Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { minimalEdit } from '../../tools/support/edits.js';
import { editorLines } from '../../tools/support/textChanges.js';
import { toPath } from '../uris.js';
import { openUntitled } from './newFile.js';
import { isDocumentOnly, targetText } from './targetText.js';

export const BLOCK_SCHEME = 'nanobot-code-block';

/** What a file would become. */
export interface Change {
  text: string;
  /** Where, in words for a title: "lines 3–9". */
  where: string;
}

/** A change that waits for the person. */
interface Waiting extends Change {
  target: vscode.Uri;
  /** Of the block, as it was written. */
  language: string;
  /** The file's text the change was made from. */
  base: string;
  /** The change for another text of the file; undefined where it has no place there. */
  make(base: string): Change | undefined;
}

/**
 * Changes that are shown before they are made: VS Code's diff of the file and of a read-only document with the proposal, which Apply and Discard (in
 * the editor's title, by key, in the palette) settle. Closing the diff discards. Nothing is written before Apply.
 */
export class Proposals implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly waiting = new Map<string, Waiting>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  private count = 0;

  constructor(private readonly workspace: Workspace) {
    this.subscriptions = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(BLOCK_SCHEME, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const tab of closed) this.waiting.delete(proposalOf(tab)?.toString() ?? '');
      }),
    ];
    // Those of a window that was reloaded have lost their text.
    void closeTabs(() => true);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.waiting.get(uri.toString())?.text ?? '';
  }

  /** Shows what would become of a file. */
  async show(proposal: Omit<Waiting, keyof Change>, { text, where }: Change): Promise<void> {
    const { target } = proposal;
    const uri = target.with({ scheme: BLOCK_SCHEME, authority: '', query: String(++this.count), fragment: '' });
    this.waiting.set(uri.toString(), { ...proposal, text, where });
    const selection = lineOfChange(proposal.base, text);
    const title = t('{0}: proposal, {1}', nameOf(target), where);
    await vscode.commands.executeCommand('vscode.diff', target, uri, title, {
      preview: true,
      selection,
    });
  }

  /** Makes the change that the active diff shows. A file that has changed meanwhile gets a new proposal instead, to be looked at. */
  async apply(): Promise<void> {
    const found = this.active();
    if (!found) return tellNothing();
    const { uri, proposal } = found;
    const { target } = proposal;
    const now = await targetText(this.workspace, target);
    if ('problem' in now) return this.cannotApply(now.problem, proposal);
    if (now.text !== proposal.base) return this.makeAnew(uri, proposal, now.text);
    const done = await now.write(proposal.text).catch((cause: unknown) => reasonOf(cause));
    if (typeof done === 'string') return this.cannotApply(done, proposal);
    await closeTabs((other) => other.toString() === uri.toString());
    const selection = lineOfChange(proposal.base, proposal.text);
    // The document of a cell would open once more, beside its notebook.
    if (target.scheme !== 'vscode-notebook-cell')
      await vscode.window.showTextDocument(target, { selection, preview: false });
    if (done.saved || isDocumentOnly(target)) return;
    void vscode.window.showInformationMessage(
      plain(
        t(
          'Nanobot: {0} has changes of yours that are not saved, so the change is in its editor, not saved either.',
          nameOf(target),
        ),
      ),
    );
  }

  /** Closes the active diff; nothing changes. */
  async discard(): Promise<void> {
    const found = this.active();
    if (!found) return tellNothing();
    await closeTabs((other) => other.toString() === found.uri.toString());
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private active(): { uri: vscode.Uri; proposal: Waiting } | undefined {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const uri = tab && proposalOf(tab);
    const proposal = uri && this.waiting.get(uri.toString());
    return uri && proposal && { uri, proposal };
  }

  private makeAnew(uri: vscode.Uri, proposal: Waiting, base: string): void {
    const change = proposal.make(base);
    const name = nameOf(proposal.target);
    if (!change) {
      void vscode.window.showWarningMessage(
        plain(
          t(
            'Nanobot: {0} changed meanwhile, and the block has no place in it any more (or is in it already). Nothing was changed.',
            name,
          ),
        ),
      );
      return;
    }
    this.waiting.set(uri.toString(), { ...proposal, ...change, base });
    this.changed.fire(uri);
    void vscode.window.showWarningMessage(
      plain(t('Nanobot: {0} changed meanwhile, so the proposal was made anew. Look at it again, then apply it.', name)),
    );
  }

  private async cannotApply(problem: string, { language, text }: Waiting): Promise<void> {
    const said = t('Nanobot: {0} Nothing was changed.', problem);
    if (await vscode.window.showWarningMessage(plain(said), t('Open as New File'))) await openUntitled(text, language);
  }
}

function proposalOf({ input }: vscode.Tab): vscode.Uri | undefined {
  const isOurs = input instanceof vscode.TabInputTextDiff && input.modified.scheme === BLOCK_SCHEME;
  return isOurs ? input.modified : undefined;
}

async function closeTabs(isMeant: (proposal: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const meant = tabs.filter((tab) => {
    const uri = proposalOf(tab);
    return uri !== undefined && isMeant(uri);
  });
  if (meant.length > 0) await vscode.window.tabGroups.close(meant);
}

function tellNothing(): void {
  void vscode.window.showInformationMessage(plain(t('Nanobot: the active editor shows no proposal.')));
}

/** Where the second text begins to differ, as an empty range. */
function lineOfChange(before: string, after: string): vscode.Range {
  const start = minimalEdit(before, after)?.start ?? 0;
  const line = editorLines(after.slice(0, start)).length - 1;
  return new vscode.Range(line, 0, line, 0);
}

function nameOf(uri: vscode.Uri): string {
  return toPath(uri).split(/[\\/]/).at(-1) ?? '';
}
