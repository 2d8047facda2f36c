import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import { parentOf } from '../../platform/workspacePaths.js';
import type { Workspace } from '../../platform/ports.js';
import type { CodeAction } from '../../protocol/wire.js';
import { applyCode } from './applyCode.js';
import { blockTarget, type BlockTarget, type CodeBlock } from './blockTarget.js';
import { atCursor } from './indent.js';
import { LastEditor } from './lastEditor.js';
import { createFile, openUntitled } from './newFile.js';
import { labelOf, placesOf } from './placesInWorkspace.js';
import { Proposals } from './proposals.js';
import { CodeRunner } from './runCode.js';

/** What the buttons of code blocks work with. */
export interface CodeParts {
  workspace: Workspace;
  editors: LastEditor;
  proposals: Proposals;
}

/** What the buttons of code blocks do in VS Code. */
export interface CodeActions extends vscode.Disposable {
  act(action: CodeAction, block: CodeBlock): Promise<void>;
  readonly proposals: Pick<Proposals, 'apply' | 'discard'>;
}

/** The buttons of code blocks over this window's editors and terminals. */
export function createCodeActions(workspace: Workspace): CodeActions {
  const parts = { workspace, editors: new LastEditor(), proposals: new Proposals(workspace) };
  const runner = new CodeRunner(() => workspace.trusted());
  return {
    proposals: parts.proposals,
    act: (action, block) => {
      const target = blockTarget(block);
      if (action === 'insert') return insert(parts, block.text, target);
      if (action === 'apply') return applyCode(parts, target);
      if (action === 'newFile') return newFile(parts, target);
      return runner.run(block.text, target.language);
    },
    dispose: () => {
      for (const part of [parts.editors, parts.proposals, runner]) part.dispose();
    },
  };
}

/** Puts the code in at the cursors of the editor that was active last, or in the place of what is selected there. It stays unsaved. */
async function insert({ editors }: CodeParts, code: string, { language }: BlockTarget): Promise<void> {
  const editor = editors.current();
  if (!editor) {
    const said = t('Nanobot: no editor is open to insert into.');
    if (await vscode.window.showInformationMessage(plain(said), t('New File'))) await openUntitled(code, language);
    return;
  }
  const { document, selections, options, viewColumn } = editor;
  const size = typeof options.tabSize === 'number' ? options.tabSize : 4;
  const style = { tabs: options.insertSpaces === false, size };
  const isDone = await editor.edit((edit) => {
    for (const selection of selections) {
      const before = document.getText(new vscode.Range(selection.start.with({ character: 0 }), selection.start));
      edit.replace(selection, atCursor(code, before, style));
    }
  });
  if (!isDone) {
    void vscode.window.showWarningMessage(
      plain(t('Nanobot: this editor takes no text (it is read-only). Nothing was inserted.')),
    );
    return;
  }
  // A cell of a notebook has no column: showing its document would open it once more.
  if (viewColumn !== undefined) await vscode.window.showTextDocument(document, { viewColumn, preview: false });
}

/** A new document, or after a question a file at the path that the block names. */
async function newFile(parts: CodeParts, block: BlockTarget): Promise<void> {
  const { workspace } = parts;
  const { files, fresh } = await placesOf(workspace, block.paths.slice(0, 1));
  const [there] = files;
  const untitled = { label: t('New untitled document'), act: () => openUntitled(block.text, block.language) };
  if (!there && fresh === undefined) return untitled.act();
  const named = there
    ? { label: t('Apply to {0}, which exists', labelOf(workspace, there)), act: () => applyCode(parts, block) }
    : {
        label: t('Create {0}', workspace.label(fresh ?? '')),
        detail: parentOf(fresh ?? ''),
        act: () => createFile(workspace, fresh ?? '', block.text),
      };
  const options = { title: t('New File'), placeHolder: t('The block names a file. Where should it go?') };
  const chosen = await vscode.window.showQuickPick([named, untitled], options);
  await chosen?.act();
}
