import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../../platform/plainText.js';
import { parentOf } from '../../platform/workspacePaths.js';
import { editorLines } from '../../tools/support/textChanges.js';
import { toPath } from '../uris.js';
import type { BlockTarget } from './blockTarget.js';
import type { CodeParts } from './codeActions.js';
import { atCursor, indentOf, styleOf } from './indent.js';
import { createFile, mayGoOutside, openUntitled } from './newFile.js';
import { labelOf, placesOf } from './placesInWorkspace.js';
import { propose, withInserted, type Proposal } from './proposal.js';
import type { Change } from './proposals.js';
import { targetText } from './targetText.js';

/** A choice that does something. */
interface Choice extends vscode.QuickPickItem {
  act(): Promise<void>;
}

/**
 * Shows what a block would make of the file it is for: the one it names, else that of the editor that was active last, else one the person picks. A file
 * that only the block names and that lies outside of the workspace is asked about first.
 */
export async function applyCode(parts: CodeParts, block: BlockTarget): Promise<void> {
  const { workspace, editors } = parts;
  const { files, fresh } = await placesOf(workspace, block.paths);
  const [only] = files;
  if (only && files.length === 1) {
    if (await mayGoOutside(workspace, toPath(only), t('Show the Change'))) await applyTo(parts, block, only);
    return;
  }
  const active = editors.current()?.document.uri;
  if (active && block.paths.length === 0) return applyTo(parts, block, active);
  const written = block.paths[0] ?? '';
  const title =
    files.length > 1
      ? t('Which file is the block for?')
      : written === ''
        ? t('No editor is open. Which file is the block for?')
        : t('There is no {0}. Where should the block go?', written);
  const others = files.length > 0 ? files : withoutRepeats([...(active ? [active] : []), ...openFiles()]);
  await choose(title, [
    ...(fresh === undefined || files.length > 0 ? [] : [createChoice(parts, block, fresh)]),
    ...others.map((uri) => ({
      label: labelOf(workspace, uri),
      act: async () => {
        // What the block alone names is asked about wherever it lies.
        const isNamed = files.includes(uri);
        if (!isNamed || (await mayGoOutside(workspace, toPath(uri), t('Show the Change'))))
          await applyTo(parts, block, uri);
      },
    })),
    { label: t('Choose a file…'), act: () => chooseFile(parts, block) },
    { label: t('New file'), act: () => openUntitled(block.text, block.language) },
  ]);
}

/** Shows what a block would make of one file; where it has no place there, asks what to do. */
async function applyTo(parts: CodeParts, block: BlockTarget, target: vscode.Uri): Promise<void> {
  const { workspace, proposals } = parts;
  const found = await targetText(workspace, target);
  const { text, language } = block;
  const name = labelOf(workspace, target);
  if ('problem' in found) {
    await choose(found.problem, [
      { label: t('New file'), act: () => openUntitled(text, language) },
      { label: t('Choose another file…'), act: () => chooseFile(parts, block) },
    ]);
    return;
  }
  const make = (base: string): Change | undefined => changeOf(propose(base, text, language));
  const proposal = propose(found.text, text, language);
  const change = changeOf(proposal);
  if (change) return proposals.show({ target, language, base: found.text, make }, change);
  if (proposal.kind === 'same') {
    void vscode.window.showInformationMessage(plain(t('Nanobot: {0} has all of this block already.', name)));
    return;
  }
  const why =
    proposal.kind === 'several'
      ? t('The block fits in more than one place of {0}', name)
      : t('The block has no place that could be found in {0}', name);
  await choose(why, [
    ...insertions(parts, block, target, found.text),
    { label: t('New file'), act: () => openUntitled(text, language) },
    { label: t('Choose another file…'), act: () => chooseFile(parts, block) },
  ]);
}

/** To put the block before the line of the cursor, or at the end; both are shown as a change first. */
function insertions(parts: CodeParts, block: BlockTarget, target: vscode.Uri, base: string): Choice[] {
  const show = (make: (text: string) => Change) =>
    parts.proposals.show({ target, language: block.language, base, make }, make(base));
  const last = parts.editors.current();
  const line = last?.document.uri.toString() === target.toString() ? last.selection.active.line : undefined;
  const at = (text: string, before: number): string => {
    const lines = editorLines(text);
    const indent = indentOf(lines[before] ?? '');
    const code = atCursor(block.text, indent, styleOf(lines) ?? { tabs: false, size: 4 });
    return withInserted(text, before, indent + code);
  };
  const atEnd = (text: string): Change => ({ text: at(text, editorLines(text).length), where: t('at the end') });
  return [
    ...(line === undefined
      ? []
      : [
          {
            label: t('Insert at the cursor, before line {0}', line + 1),
            detail: t('Shown as a change first.'),
            act: () => show((text) => ({ text: at(text, line), where: t('before line {0}', line + 1) })),
          },
        ]),
    { label: t('Insert at the end'), detail: t('Shown as a change first.'), act: () => show(atEnd) },
  ];
}

function changeOf(proposal: Proposal): Change | undefined {
  if (proposal.kind !== 'placed') return undefined;
  const { text, whole, first, last } = proposal;
  if (whole) return { text, where: t('the whole file') };
  if (last < first) return { text, where: t('before line {0}', first) };
  return { text, where: first === last ? t('line {0}', first) : t('lines {0}–{1}', first, last) };
}

function createChoice({ workspace }: CodeParts, block: BlockTarget, path: string): Choice {
  const label = t('Create {0}', workspace.label(path));
  return { label, detail: parentOf(path), act: () => createFile(workspace, path, block.text) };
}

async function chooseFile(parts: CodeParts, block: BlockTarget): Promise<void> {
  const defaultUri = vscode.workspace.workspaceFolders?.[0]?.uri;
  const [uri] =
    (await vscode.window.showOpenDialog({ openLabel: t('Apply'), ...(defaultUri ? { defaultUri } : {}) })) ?? [];
  if (uri) await applyTo(parts, block, uri);
}

async function choose(title: string, choices: Choice[]): Promise<void> {
  const chosen = await vscode.window.showQuickPick(choices, { title: t('Apply to File'), placeHolder: title });
  await chosen?.act();
}

/** The files that have a tab. */
function openFiles(): vscode.Uri[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []))
    .filter(({ scheme }) => scheme === 'file' || scheme === 'untitled');
}

function withoutRepeats(uris: readonly vscode.Uri[]): vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}
