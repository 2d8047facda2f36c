import { basename } from 'node:path';
import * as vscode from 'vscode';
import { dayTitle } from './dates.js';
import type { MemoryApp } from './memoryApp.js';

/** Days whose notes are offered. */
const NOTE_DAYS = 30;

/** The home's files that people read and edit, and what each is for. */
const FILES = {
  'memory/MEMORY.md': 'facts it keeps, by project',
  'USER.md': 'what it knows about you',
  'SOUL.md': 'how it behaves',
  'AGENTS.md': 'your instructions, for every project',
  'TOOLS.md': 'how it should use its tools',
  'HEARTBEAT.md': 'what it should look after by itself',
};

/** Lets a person open what Nanobot remembers. Files that are missing are made first. */
export async function chooseHomeFile(app: MemoryApp): Promise<void> {
  await app.memory.createHome();
  const present = { now: app.clock.now(), zone: app.clock.zone() };
  const items: (vscode.QuickPickItem & { path?: string })[] = Object.entries(FILES).map(([name, description]) => {
    return { label: name, description, path: app.memory.path(name) };
  });
  const notes = (await app.notes.recent(NOTE_DAYS)).toReversed();
  if (notes.length > 0) items.push({ label: 'Notes', kind: vscode.QuickPickItemKind.Separator });
  for (const { date, path } of notes) {
    items.push({ label: `memory/${basename(path)}`, description: dayTitle(date, present), path });
  }
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: `What Nanobot remembers, in ${app.home}`,
    matchOnDescription: true,
  });
  if (picked?.path !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(picked.path));
}
