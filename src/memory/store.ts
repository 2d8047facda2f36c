import { localDate } from '../platform/localTime.js';
import type { Clock, Files } from '../platform/ports.js';
import HEARTBEAT from '../templates/HEARTBEAT.md';
import MEMORY from '../templates/MEMORY.md';
import AGENTS from '../templates/AGENTS.md';
import SOUL from '../templates/SOUL.md';
import TOOLS from '../templates/TOOLS.md';
import USER from '../templates/USER.md';
import type { HistoryFile } from './history.js';
import type { HistoryEntry } from './historyEntry.js';
import { estimateText } from './tokens.js';

/** Entries of the history that a prompt holds, and what they may weigh together. */
const MAX_ENTRIES = 50;
const MAX_ENTRY_TOKENS = 8_000;

const TEMPLATES: Record<string, string> = {
  'SOUL.md': SOUL,
  'USER.md': USER,
  'AGENTS.md': AGENTS,
  'TOOLS.md': TOOLS,
  'HEARTBEAT.md': HEARTBEAT,
  'memory/MEMORY.md': MEMORY,
};

/** The home's memory files: what is remembered, in files a person can read and edit. */
export class MemoryStore {
  private readonly cache = new Map<string, { stamp: string; text: string | undefined }>();

  constructor(
    private readonly deps: {
      files: Files;
      clock: Clock;
      home: string;
      history: Pick<HistoryFile, 'newest' | 'newestUnread'>;
    },
  ) {}

  get home(): string {
    return this.deps.home;
  }

  path(name: string): string {
    return `${this.deps.home}/${name}`;
  }

  /** Creates the home's files from their templates where they are missing; never overwrites. Throws where the home cannot be written. */
  async createHome(): Promise<void> {
    const create = async ([name, text]: [string, string]) => {
      if (!(await this.deps.files.stat(this.path(name)))) await this.deps.files.createExclusive(this.path(name), text);
    };
    await Promise.all(Object.entries(TEMPLATES).map(create));
  }

  /** A file of the home as text, read again only when its time or size changed; undefined where there is none. BOM and CRLF are taken off. */
  async read(name: string): Promise<string | undefined> {
    const path = this.path(name);
    const stat = await this.deps.files.stat(path);
    const stamp = stat?.type === 'file' ? `${String(stat.mtime)}:${String(stat.size)}` : 'none';
    const known = this.cache.get(name);
    if (known?.stamp === stamp) return known.text;
    const text = stamp === 'none' ? undefined : decode(await this.deps.files.read(path));
    this.cache.set(name, { stamp, text });
    return text;
  }

  /** MEMORY.md, or undefined while it is missing or still the template. */
  async longTerm(): Promise<string | undefined> {
    const text = await this.read('memory/MEMORY.md');
    return text === undefined || text.trim() === MEMORY.trim() || text.trim() === '' ? undefined : text.trim();
  }

  /** Today's notes, by the local date. */
  async today(): Promise<string | undefined> {
    const text = (await this.read(`memory/${localDate(this.deps.clock)}.md`))?.trim();
    return text === '' ? undefined : text;
  }

  /** Entries Dream has not digested yet: the newest that fit the prompt, this project's preferred, in the order they were written. */
  async recentHistory(project: string | undefined): Promise<HistoryEntry[]> {
    const entries = await this.deps.history.newestUnread(MAX_ENTRIES, project);
    const isOurs = (entry: HistoryEntry) => project !== undefined && entry.project === project;
    const ours = entries.filter(isOurs);
    const others = entries.filter((entry) => !isOurs(entry));
    const chosen = new Set<HistoryEntry>();
    let tokens = 0;
    for (const entry of [...ours.reverse(), ...others.reverse()]) {
      tokens += estimateText(entry.content);
      if (tokens > MAX_ENTRY_TOKENS) break;
      chosen.add(entry);
    }
    return entries.filter((entry) => chosen.has(entry));
  }

  /** The newest entries of history.jsonl, oldest of them first. */
  latest(count: number): Promise<HistoryEntry[]> {
    return this.deps.history.newest(count);
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8').decode(bytes).replaceAll('\r\n', '\n');
}
