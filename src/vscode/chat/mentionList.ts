import { join } from 'node:path';
import type { App } from '../../app.js';
import type { Languages } from '../../platform/languages.js';
import { isInside } from '../../platform/workspacePaths.js';
import type { Clock, Files, Workspace } from '../../platform/ports.js';
import type { MentionItem } from '../../protocol/wire.js';
import { whyNot } from '../../skills/skill.js';
import type { FileList } from './fileList.js';
import { bestNamed } from './named.js';
import { symbolDetail } from './symbolWords.js';

/** Rows of one kind: where the query narrows the list to it, and among others. */
const MOST = 30;
const AMONG_OTHERS = 4;
const FILES_AMONG_OTHERS = 10;
/** Milliseconds of rest after a key before a language service is asked, and until the chats are listed anew. */
const REST_MS = 150;
const CHATS_FRESH_MS = 10_000;
/** Letters from which on chats, skills, memory and symbols are looked for where nothing narrows the list. */
const LETTERS = 2;

const MEMORY_FILES = ['memory/MEMORY.md', 'USER.md', 'SOUL.md', 'AGENTS.md', 'TOOLS.md', 'HEARTBEAT.md'];
/** Daily notes that are offered: the newest. */
const MAX_NOTES = 60;

export interface MentionDeps {
  app: Pick<App, 'home' | 'skills' | 'listSessions' | 'log'>;
  files: Pick<Files, 'list' | 'stat'>;
  workspace: Workspace;
  clock: Clock;
  languages: Pick<Languages, 'workspaceSymbols'>;
  fileList: Pick<FileList, 'find'>;
  /** Paths of the files in open tabs, the one in front first. */
  openFiles(): string[];
}

type Narrowed = 'file' | 'symbol' | 'session' | 'memory' | 'skill';

/** What the list behind `@` offers. Files come at once; what takes longer is added below them as it comes, so that nothing moves under the person's hand. */
export class MentionList {
  private chats: { at: number; items: Promise<MentionItem[]> } | undefined;

  constructor(private readonly deps: MentionDeps) {}

  /** Calls `show` with the whole list each time there is more of it. Rejects where the files cannot be listed; the signal ends it in silence. */
  async find(query: string, show: (items: MentionItem[]) => void, signal: AbortSignal): Promise<void> {
    const [, only, words = ''] = /^(file|symbol|session|memory|skill):(.*)$/i.exec(query) ?? [];
    const kind = only?.toLowerCase() as Narrowed | undefined;
    const wanted = kind === undefined ? query : words;
    let items: MentionItem[] = [];
    const add = (more: MentionItem[]) => {
      if (signal.aborted) return;
      items = [...items, ...more];
      show(items);
    };
    if (kind === undefined || kind === 'file') add(await this.paths(wanted, kind === 'file'));
    const isAsked = (one: Narrowed) => kind === one || (kind === undefined && wanted.length >= LETTERS);
    const most = kind === undefined ? AMONG_OTHERS : MOST;
    const searches: Promise<MentionItem[]>[] = [];
    if (isAsked('symbol')) searches.push(this.symbols(wanted, most, signal));
    if (isAsked('skill')) searches.push(Promise.resolve(bestNamed(this.skills(), wanted, most)));
    if (isAsked('memory')) searches.push(this.memory().then((all) => bestNamed(all, wanted, most)));
    if (isAsked('session')) searches.push(this.sessions().then((all) => bestNamed(all, wanted, most)));
    await Promise.all(
      searches.map((search) =>
        search.then(
          (found) => {
            if (found.length > 0) add(found);
          },
          (cause: unknown) => {
            // The rest of the list is as good without it.
            if (!signal.aborted)
              this.deps.app.log.warn(`A part of the list behind @ could not be had: ${String(cause)}`);
          },
        ),
      ),
    );
    if (items.length === 0) add([]);
  }

  private async paths(query: string, isNarrowed: boolean): Promise<MentionItem[]> {
    if (query !== '') return (await this.deps.fileList.find(query)).slice(0, isNarrowed ? MOST : FILES_AMONG_OTHERS);
    const open = this.deps.openFiles().map((path) => ({ path, label: this.deps.workspace.label(path) }));
    if (open.length > 0 && !isNarrowed) return open.slice(0, MOST);
    const known = new Set(open.map(({ path }) => path));
    const others = await this.deps.fileList.find('');
    return [...open, ...others.filter(({ path }) => !known.has(path))].slice(0, MOST);
  }

  private async symbols(query: string, most: number, signal: AbortSignal): Promise<MentionItem[]> {
    const { clock, languages, workspace } = this.deps;
    if (query === '') return [];
    await clock.sleep(REST_MS, signal);
    const found = await languages.workspaceSymbols(query);
    const items = found.map((symbol): MentionItem => {
      const { name, path, line } = symbol;
      const detail = symbolDetail(symbol, `${workspace.label(path)}:${String(line)}`);
      return { kind: 'symbol', path, line, label: name, detail };
    });
    // Language services also know what is declared in libraries.
    const roots = workspace.folders();
    const own = items.filter(
      ({ path }) => roots.some((root) => isInside(path, root.path)) && !/[\\/]node_modules[\\/]/.test(path),
    );
    return bestNamed(own, query, most);
  }

  private skills(): MentionItem[] {
    return this.deps.app.skills
      .list()
      .filter((skill) => whyNot(skill) === undefined)
      .map(({ name, path, description }) => ({ kind: 'skill', path, label: name, detail: description }));
  }

  private async memory(): Promise<MentionItem[]> {
    const { files, app } = this.deps;
    const item = (name: string): MentionItem => ({ kind: 'memory', path: join(app.home, name), label: name });
    const there = await Promise.all(MEMORY_FILES.map((name) => files.stat(join(app.home, name))));
    const notes = (await files.list(join(app.home, 'memory')))
      .map(({ name }) => name)
      .filter((name) => /^\d{4}-\d\d-\d\d\.md$/.test(name))
      .reverse();
    return [
      ...MEMORY_FILES.filter((_, at) => there[at]?.type === 'file').map(item),
      ...notes.slice(0, MAX_NOTES).map((name) => item(`memory/${name}`)),
    ];
  }

  /** The chats by their titles, the newest first. */
  private sessions(): Promise<MentionItem[]> {
    const { app, clock } = this.deps;
    if (!this.chats || clock.now() - this.chats.at > CHATS_FRESH_MS) {
      const items = app.listSessions('').then((rows) =>
        rows
          .filter(({ messages }) => messages > 0)
          .map(({ key, title, updatedAt }): MentionItem => ({
            kind: 'session',
            path: key,
            label: title,
            detail: dayOf(updatedAt),
          })),
      );
      this.chats = { at: clock.now(), items };
      items.catch(() => (this.chats = undefined));
    }
    return this.chats.items;
  }
}

function dayOf(time: number): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}
