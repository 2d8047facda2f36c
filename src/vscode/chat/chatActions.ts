import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { App } from '../../app.js';
import type { Languages } from '../../platform/languages.js';
import { plain } from '../../platform/plainText.js';
import type { Clock, Disposable, Files, Search, Workspace } from '../../platform/ports.js';
import type { MentionItem } from '../../protocol/wire.js';
import { counts } from '../../tools/support/counts.js';
import type { WayBack } from '../../tools/support/snapshots.js';
import type { CodeActions } from '../code/codeActions.js';
import type { ProposalFiles } from '../review/proposalFiles.js';
import { showTurn, showWayBack } from '../review/showChanges.js';
import { attachmentOf } from './attachmentOf.js';
import { FileList } from './fileList.js';
import { MentionList } from './mentionList.js';
import { SelectionOffer } from './selectionOffer.js';
import { isPersonsFile } from '../personsFile.js';
import { toPath } from '../uris.js';

/** What the page asks for that is VS Code's to do. */
export interface ChatActions {
  /** Chooses a model for all chats, or for this one. */
  selectModel(key: string): Promise<void>;
  setKey(): Promise<void>;
  openLog(): void;
  openSettings(): Promise<void>;
  openFolder(): Promise<void>;
  openMemory(): Promise<void>;
  /** Shows a session in an editor tab of its own. */
  openInEditor(key: string): Promise<void>;
  openFile(path: string, line?: number): Promise<void>;
  openLink(href: string): Promise<void>;
  openPreview(markdown: string): Promise<void>;
  copy(text: string): Promise<void>;
  reviewTurn(turnId: string, path: string | undefined): Promise<void>;
  /** Shows what would become of files, with where each was. */
  reviewRestore(files: readonly WayBack[]): Promise<void>;
  /** Shows what an approval would write, to be looked at or changed. */
  openProposal(approvalId: string, path: string): Promise<void>;
  /** Takes what the person changed there. */
  takeProposalEdits(approvalId: string): Promise<void>;
  /** Does what a button of a code block says. */
  code: CodeActions['act'];
  pickFiles(): Promise<{ path: string; label: string }[]>;
  /** Calls `show` with the whole list each time there is more of it. */
  mentions(query: string, show: (items: MentionItem[]) => void, signal: AbortSignal): Promise<void>;
  openView(view: 'servers' | 'skills'): Promise<void>;
  /** What is selected in the editor. */
  selection: Pick<SelectionOffer, 'current' | 'onChange'>;
  examples(): Promise<string[]>;
  remembered(): Promise<string>;
}

export interface ActionDeps {
  app: App;
  files: Files;
  languages: Languages;
  workspace: Workspace;
  search: Search;
  clock: Clock;
  proposals: ProposalFiles;
  code: Pick<CodeActions, 'act'>;
}

/** What the chat page asks of VS Code. */
export function createChatActions(deps: ActionDeps): ChatActions & Disposable {
  const { app, workspace, proposals } = deps;
  const fileList = new FileList({ ...deps, log: app.log });
  const mentions = new MentionList({ ...deps, fileList, openFiles });
  const selection = new SelectionOffer(workspace, deps.clock);
  return {
    selectModel: async (key) => void (await vscode.commands.executeCommand('nanobot.selectModel', key)),
    setKey: async () => void (await vscode.commands.executeCommand('nanobot.setApiKey')),
    openLog: () => void vscode.commands.executeCommand('nanobot.openLog'),
    openSettings: async () =>
      void (await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:nanobot.nanobot')),
    openFolder: async () => void (await vscode.commands.executeCommand('workbench.action.files.openFolder')),
    openMemory: async () => void (await vscode.commands.executeCommand('nanobot.openMemory')),
    openInEditor: async (key) => void (await vscode.commands.executeCommand('nanobot.openInEditor', key)),
    openFile: (path, line) => openFile(workspace, path, line),
    openLink: async (href) => {
      // Only what a browser opens: a command or file link in an answer must not act.
      if (/^(https?|mailto):/i.test(href)) await vscode.env.openExternal(vscode.Uri.parse(href, true));
    },
    openPreview: async (markdown) => {
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: markdown });
      await vscode.commands.executeCommand('markdown.showPreview', document.uri);
    },
    reviewTurn: (turnId, path) => showTurn(app, turnId, path),
    reviewRestore: (files) => showWayBack(app, files),
    openProposal: (approvalId, path) => proposals.open(approvalId, path),
    takeProposalEdits: (approvalId) => proposals.takeEdits(approvalId),
    copy: async (text) => vscode.env.clipboard.writeText(text),
    code: (action, block) => deps.code.act(action, block),
    pickFiles: async () => {
      const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
      const picked = await vscode.window.showOpenDialog({
        canSelectMany: true,
        openLabel: t('Attach'),
        ...(defaultUri ? { defaultUri } : {}),
      });
      return (picked ?? []).map((uri) => attachmentOf(workspace, uri));
    },
    mentions: (query, show, signal) => mentions.find(query, show, signal),
    openView: async (view) =>
      void (await vscode.commands.executeCommand(view === 'servers' ? 'nanobot.mcp.status' : 'nanobot.skills.focus')),
    selection,
    dispose: () => {
      selection.dispose();
    },
    examples: () => examples(workspace),
    remembered: () => remembered(app),
  };
}

/** The files in tabs, the one in front first. */
function openFiles(): string[] {
  const groups = vscode.window.tabGroups;
  const tabs = [groups.activeTabGroup, ...groups.all.filter((group) => group !== groups.activeTabGroup)].flatMap(
    (group) => [...(group.activeTab ? [group.activeTab] : []), ...group.tabs],
  );
  const uris = tabs.flatMap(({ input }) =>
    input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? [input.uri] : [],
  );
  return [...new Set(uris.filter(isPersonsFile).map(toPath))];
}

/** Opens a file at a line; a path that leads nowhere is said, not thrown. */
async function openFile(workspace: Workspace, path: string, line?: number): Promise<void> {
  const resolved = workspace.resolve(path);
  const uri = /^[a-z][a-z0-9+.-]+:\/\//i.test(resolved) ? vscode.Uri.parse(resolved) : vscode.Uri.file(resolved);
  const position = line === undefined ? undefined : new vscode.Position(Math.max(0, line - 1), 0);
  try {
    const stat = await vscode.workspace.fs.stat(uri);
    if (stat.type & vscode.FileType.Directory) {
      await vscode.commands.executeCommand('revealInExplorer', uri);
      return;
    }
    await vscode.commands.executeCommand(
      'vscode.open',
      uri,
      position ? { selection: new vscode.Range(position, position) } : {},
    );
  } catch {
    void vscode.window.showWarningMessage(plain(t('Nanobot: {0} is not there.', workspace.label(resolved))));
  }
}

/** Three prompts that fit what is open; each also works on the practice model. */
async function examples(workspace: Workspace): Promise<string[]> {
  const folder = workspace.folders()[0];
  if (!folder) return [t('What can you do?'), t('Markdown demo'), t('Count to 10')];
  const has = async (name: string) =>
    (await workspace.stat(`${folder.path}/${name}`).catch(() => undefined)) !== undefined;
  const [readme, node, python, rust] = await Promise.all([
    has('README.md'),
    has('package.json'),
    has('pyproject.toml'),
    has('Cargo.toml'),
  ]);
  const test = node ? 'npm test' : python ? 'pytest' : rust ? 'cargo test' : undefined;
  return [
    readme ? t('Read README.md') : t('List the files here'),
    t('Find TODO'),
    test ? t('Run {0}', test) : t('What can you do?'),
  ];
}

async function remembered(app: App): Promise<string> {
  const facts = await app.rememberedFacts().catch(() => 0);
  return facts === 0 ? t('Nothing yet') : counts.lines(facts);
}
