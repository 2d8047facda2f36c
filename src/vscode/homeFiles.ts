import { t } from '@vscode/l10n';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { dayTitle } from './dates.js';
import type { MemoryApp } from './memoryApp.js';

/** Days whose notes are offered. */
const NOTE_DAYS = 30;

/** The home's files that people read and edit, and what each is for. */
const files = () => ({
  'memory/MEMORY.md': t('facts it keeps, by project'),
  'USER.md': t('what it knows about you'),
  'SOUL.md': t('how it behaves'),
  'AGENTS.md': t('your instructions, for every project'),
  'TOOLS.md': t('how it should use its tools'),
  'HEARTBEAT.md': t('what it should look after by itself'),
});

/** Lets a person open what Nanobot remembers. Files that are missing are made first. */
export async function chooseHomeFile(app: MemoryApp): Promise<void> {
  await app.memory.createHome();
  const present = { now: app.clock.now(), zone: app.clock.zone() };
  const items: (vscode.QuickPickItem & { path?: string })[] = Object.entries(files()).map(([name, description]) => {
    return { label: name, description, path: app.memory.path(name) };
  });
  const notes = (await app.notes.recent(NOTE_DAYS)).toReversed();
  if (notes.length > 0) items.push({ label: t('Notes'), kind: vscode.QuickPickItemKind.Separator });
  for (const { date, path } of notes) {
    const label = `memory/${basename(path)}`;
    items.push({ label, description: dayTitle(date, present), path });
  }
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: t('What Nanobot remembers, in {0}', app.home),
    matchOnDescription: true,
  });
  if (picked?.path !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(picked.path));
}
