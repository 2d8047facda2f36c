import { t } from '@vscode/l10n';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { parseEntry, type HistoryEntry } from '../memory/historyEntry.js';
import type { RecallHit } from '../memory/recall.js';
import { reasonOf } from '../platform/reason.js';
import { momentWords, type Present } from './dates.js';
import type { MemoryDeps } from './memoryCommands.js';
import { openChat } from './chat/openChat.js';
import { sessionExcerpt } from './sessionExcerpt.js';

/** Milliseconds without a key before it searches. */
const PAUSE_MS = 150;
const MAX_HITS = 40;
const MAX_TEXT = 240;

/** Icons of the buttons. */
const CHAT_BUTTON = 'comment-discussion';
const FILE_BUTTON = 'go-to-file';

interface HitItem extends vscode.QuickPickItem {
  hit?: RecallHit;
}

/** Finds what was said and noted, in all chats, the history, notes and MEMORY.md; what is chosen opens at its place. */
export async function searchHistory(deps: MemoryDeps, given: unknown): Promise<void> {
  const pick = vscode.window.createQuickPick<HitItem>();
  pick.title = t('Nanobot: Search History');
  pick.placeholder = t('Search all chats, the history, notes and memory. Words or a question.');
  pick.matchOnDetail = true;
  pick.value = typeof given === 'string' ? given : '';
  const search = new LiveSearch(deps, pick);
  try {
    search.ask(pick.value, 0);
    pick.onDidChangeValue((value) => {
      search.ask(value, PAUSE_MS);
    });
    pick.show();
    const chosen = await choiceOf(pick);
    if (!chosen) return;
    if (chosen.button === CHAT_BUTTON && chosen.hit.sessionKey !== undefined)
      await openChat(deps, chosen.hit.sessionKey);
    else if (chosen.button === FILE_BUTTON) await openFileAt(chosen.hit);
    else await openHit(deps, chosen.hit);
  } finally {
    search.dispose();
    pick.dispose();
  }
}

/** Asks for what stands in the box, once it rests; a newer question ends an older one. */
class LiveSearch {
  private current = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: MemoryDeps,
    private readonly pick: vscode.QuickPick<HitItem>,
  ) {}

  ask(query: string, pause: number): void {
    this.dispose();
    const { signal } = (this.current = new AbortController());
    this.pick.busy = true;
    this.timer = setTimeout(() => void this.search(query.trim(), signal), pause);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.current.abort(new Error('Another question was asked.'));
  }

  private async search(query: string, signal: AbortSignal): Promise<void> {
    const { app } = this.deps;
    try {
      const hits = await app.recall.search(query, { limit: MAX_HITS, signal });
      if (signal.aborted) return;
      const present = { now: app.clock.now(), zone: app.clock.zone() };
      const nothing = query === '' ? t('Nothing was said or noted yet') : t('Nothing about “{0}” was found', query);
      this.pick.items = hits.length > 0 ? hits.map((hit) => hitItem(hit, present)) : [messageItem(nothing)];
    } catch (cause) {
      if (signal.aborted) return;
      app.log.error('The history could not be searched.', cause);
      this.pick.items = [messageItem(t('The search failed: {0}', reasonOf(cause)))];
    }
    this.pick.busy = false;
  }
}

/** `alwaysShow`: what fits was decided already, and other words than those of the question can be meant. */
function messageItem(label: string): HitItem {
  return { label, alwaysShow: true };
}

function hitItem(hit: RecallHit, present: Present): HitItem {
  const time = Date.parse(hit.time);
  const chatButton = { iconPath: new vscode.ThemeIcon(CHAT_BUTTON), tooltip: t('Open the chat') };
  const fileButton = { iconPath: new vscode.ThemeIcon(FILE_BUTTON), tooltip: t('Open the file at this line') };
  return {
    label: `$(${ICONS[hit.kind]}) ${Number.isNaN(time) ? basename(hit.source) : momentWords(time, present)}`,
    description: placeOf(hit),
    detail: shortened(hit.text),
    alwaysShow: true,
    buttons: [...(hit.sessionKey === undefined ? [] : [chatButton]), fileButton],
    hit,
  };
}

const ICONS: Record<RecallHit['kind'], string> = {
  session: 'comment-discussion',
  history: 'history',
  note: 'note',
  memory: 'book',
};

function placeOf({ kind, role, source }: RecallHit): string {
  if (kind === 'session') return role === 'user' ? t('you, in a chat') : t('Nanobot, in a chat');
  if (kind === 'history') return t('history');
  return kind === 'note' ? t('note') : basename(source);
}

function shortened(text: string): string {
  const line = text
    .replace(/^\s*[-*+]\s+/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

/** What was chosen, by which button if by one; undefined where the list was closed. */
function choiceOf(pick: vscode.QuickPick<HitItem>): Promise<{ hit: RecallHit; button?: string } | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const hit = pick.selectedItems[0]?.hit;
      if (hit) resolve({ hit });
    });
    pick.onDidTriggerItemButton(({ item, button }) => {
      const id = button.iconPath instanceof vscode.ThemeIcon ? button.iconPath.id : '';
      if (item.hit) resolve({ hit: item.hit, button: id });
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
  });
}

/** In the form that people read: an entry or a piece of a chat as a document, notes and MEMORY.md in the editor. */
async function openHit(deps: MemoryDeps, hit: RecallHit): Promise<void> {
  const { app, documents, files } = deps;
  if (hit.kind === 'session') {
    const excerpt = await sessionExcerpt(
      files,
      { path: hit.source, line: hit.line },
      { now: app.clock.now(), zone: app.clock.zone() },
    );
    if (excerpt) {
      const name = t('{0} line {1}.md', basename(hit.source, '.jsonl'), hit.line);
      await openAt(documents.hold(name, 'excerpt', excerpt.text), excerpt.line);
      return;
    }
  }
  const entry = hit.kind === 'history' ? await entryAt(hit) : undefined;
  if (entry) await vscode.window.showTextDocument(documents.entry(entry), { preview: true });
  else await openFileAt(hit);
}

async function entryAt({ source, line }: RecallHit): Promise<HistoryEntry | undefined> {
  const document = await vscode.workspace.openTextDocument(source);
  return line <= document.lineCount ? parseEntry(document.lineAt(line - 1).text) : undefined;
}

async function openFileAt({ source, line }: RecallHit): Promise<void> {
  await openAt(vscode.Uri.file(source), line - 1);
}

/** `line` is 0-based. */
async function openAt(uri: vscode.Uri, line: number): Promise<void> {
  const place = new vscode.Position(Math.max(0, line), 0);
  await vscode.window.showTextDocument(uri, { preview: true, selection: new vscode.Range(place, place) });
}
