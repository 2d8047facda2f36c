import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { EditorSources, SourceText } from '../agent/attachables.js';
import { borrowedText } from './borrowedClipboard.js';
import { stagedFiles, workingFiles } from './changedFiles.js';
import { diffText, fileList, type FileDiff } from './commitDiff.js';
import { gitRepositories, noRepository, type GitRepository } from './gitApi.js';
import { symbolAt, type SymbolNode } from './symbols.js';
import { toUri } from './uris.js';

/** Characters of a terminal's output that are attached: its end. */
const MAX_OUTPUT = 20_000;

/** What a message can carry of this window: its terminal, its changes, its symbols. */
export function editorSources(): EditorSources {
  return {
    terminal: lastOutput,
    changes: uncommitted,
    symbolLines: async (path, line) => {
      const symbols = await vscode.commands.executeCommand<SymbolNode[] | undefined>(
        'vscode.executeDocumentSymbolProvider',
        toUri(path),
      );
      const found = symbolAt(symbols ?? [], line - 1);
      if (!found) return { startLine: line, endLine: line };
      return { startLine: found.range.start.line + 1, endLine: found.range.end.line + 1 };
    },
  };
}

/**
 * The last command of the active terminal with what it wrote, or without shell integration all that the terminal holds. VS Code gives both to the
 * clipboard only: the text that was there is put back, a picture cannot be.
 */
async function lastOutput(): Promise<SourceText> {
  const terminal = vscode.window.activeTerminal;
  if (!terminal) throw new Error(t('No terminal is open. Open one, run something in it, and attach it then.'));
  const last = await copied(() =>
    vscode.commands.executeCommand('workbench.action.terminal.copyLastCommandAndLastCommandOutput'),
  );
  const text = (last.trim() === '' ? await wholeTerminal() : last).trimEnd();
  if (text === '')
    throw new Error(t('The terminal {0} shows nothing yet. Run something in it, and attach it then.', terminal.name));
  const shown = text.length > MAX_OUTPUT ? `… cut here\n${text.slice(-MAX_OUTPUT)}` : text;
  return { label: terminal.name, text: shown };
}

/** One loan for all of it: another one in between would take the selection away. */
function wholeTerminal(): Promise<string> {
  return copied(async () => {
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    try {
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    } finally {
      await vscode.commands.executeCommand('workbench.action.terminal.clearSelection');
    }
  });
}

/** Empty also where this version of VS Code does not have the command. */
function copied(copy: () => PromiseLike<unknown>): Promise<string> {
  return borrowedText(vscode.env.clipboard, () => copy().then(undefined, () => undefined));
}

/** Staged or not, of every repository that is open. */
async function uncommitted(room: number): Promise<SourceText> {
  const repositories = await gitRepositories();
  if (repositories.length === 0) throw new Error(noRepository());
  const changed: { repository: GitRepository; files: FileDiff[] }[] = [];
  for (const repository of repositories) {
    await repository.status();
    const files = [...(await stagedFiles(repository)), ...(await workingFiles(repository))];
    if (files.length > 0) changed.push({ repository, files });
  }
  if (changed.length === 0) throw new Error(t('Nothing has changed since the last commit.'));
  const parts = changed.map(({ repository, files }) => {
    const head = `Repository ${repository.rootUri.fsPath}\n${fileList(files)}`;
    return `${head}\n\n${diffText(files, Math.floor(room / changed.length) - head.length)}`;
  });
  const count = changed.reduce((sum, { files }) => sum + new Set(files.map(({ path }) => path)).size, 0);
  const label = count === 1 ? t('Changes (1 file)') : t('Changes ({0} files)', count);
  return { label, text: parts.join('\n\n') };
}
