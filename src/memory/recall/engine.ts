import { join } from 'node:path';
import type { Files } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { INDEX_FORM, readIndex, writeIndex } from './indexFile.js';
import { planOf, type RoleNames } from './query.js';
import type { Ranked } from './best.js';
import { rank, type Filter } from './rank.js';
import { WEIGHTS, type Weights } from './weights.js';
import { RecallIndex, type SourceKind } from './recallIndex.js';
import { FLAG } from './traits.js';
import { readSaid, syncIndex } from './sync.js';
import { Terms } from './text.js';
import { readWordTable, type WordTable } from './words.js';

/** One hit, as it goes to the host. */
export interface EngineHit {
  score: number;
  time: string;
  source: string;
  line: number;
  kind: SourceKind;
  role?: string;
  sessionKey?: string;
  text: string;
}

export interface EngineQuery {
  limit?: number;
  days?: number;
  kinds?: SourceKind[];
  /** Epoch milliseconds. */
  now: number;
}

const DEFAULT_LIMIT = 8;
const MOST_HITS = 200;
const DAY = 86_400_000;
/** Characters of a hit's text that go to the host. */
const LONGEST_TEXT = 4_000;
/** New texts that are worth writing the whole index for at once; fewer are read again next time. */
const WORTH_SAVING = 500;
/** A large index is not written for less than one part in so many. */
const WORTH_SAVING_SHARE = 200;

/** The search over one home: keeps the index in memory and on disk, and answers questions. Runs in a worker. */
export class RecallEngine {
  private index: RecallIndex | undefined;
  private readonly table: WordTable = readWordTable();
  private readonly terms = new Terms(this.table);
  private unsaved = 0;
  private steps: Promise<unknown> = Promise.resolve();
  private names: ReadonlyMap<string, string> = new Map();
  private roles: readonly RoleNames[] = [];
  /** The index that `names` and `roles` were made from. */
  private learned: RecallIndex | undefined;
  private warnings: string[] = [];

  constructor(private readonly deps: { files: Files; home: string; weights?: Weights }) {}

  /** Where the index of this form lies. */
  get path(): string {
    return join(this.deps.home, '.nanobot', 'index', `recall-${String(INDEX_FORM)}.bin`);
  }

  /** The best hits for a question; what is newest where the question is empty. Brings the index up to date first. */
  search(question: string, query: EngineQuery): Promise<EngineHit[]> {
    return this.serially(async () => {
      const index = await this.current();
      const limit = Math.max(1, Math.min(MOST_HITS, Math.floor(query.limit ?? DEFAULT_LIMIT)));
      const filter: Filter = {
        kinds: query.kinds && new Set(query.kinds),
        since: query.days === undefined ? undefined : query.now - query.days * DAY,
      };
      const ranked =
        question.trim() === ''
          ? newest(index, filter, limit * 2)
          : rank(index, this.plan(index, question, query.now), filter, limit * 2, this.deps.weights ?? WEIGHTS);
      return this.hitsOf(index, ranked, limit);
    });
  }

  /** Writes the index down if it holds what the disk does not. */
  save(): Promise<void> {
    return this.serially(() => this.write());
  }

  /** What went wrong since this was last asked, for the log. */
  takeWarnings(): string[] {
    return this.warnings.splice(0);
  }

  /** How large the index is, for measurements. */
  stats(): { texts: number; terms: number } {
    return { texts: this.index?.size ?? 0, terms: this.index?.allTerms().length ?? 0 };
  }

  private plan(index: RecallIndex, question: string, now: number) {
    const deps = { index, terms: this.terms, table: this.table, now, names: this.names, roles: this.roles };
    return planOf(question, deps, this.deps.weights ?? WEIGHTS);
  }

  private learnNames(index: RecallIndex): void {
    this.learned = index;
    this.roles = index.namesOfRoles();
    this.names = namesOf(index, this.roles);
  }

  private async current(): Promise<RecallIndex> {
    const { files, home } = this.deps;
    this.index ??= await this.load();
    if (this.index.dead > 1_000 + this.index.size / 4) this.index = new RecallIndex(this.terms);
    const { added, changed } = await syncIndex(this.index, files, home);
    this.unsaved += added + (changed ? 1 : 0);
    if (changed || this.learned !== this.index) this.learnNames(this.index);
    if (this.unsaved >= WORTH_SAVING) void this.save();
    return this.index;
  }

  /** The index from the disk; an empty one, to be built, where there is none or it is broken. */
  private async load(): Promise<RecallIndex> {
    try {
      const bytes = await this.deps.files.read(this.path);
      const parts = readIndex(bytes);
      if (parts) return new RecallIndex(this.terms, parts);
      this.warnings.push(`The recall index ${this.path} is damaged; it is built anew.`);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== 'ENOENT')
        this.warnings.push(`The recall index ${this.path} cannot be read (${String(cause)}); it is built anew.`);
    }
    return new RecallIndex(this.terms);
  }

  private async write(): Promise<void> {
    if (!this.index || this.unsaved === 0 || this.unsaved * WORTH_SAVING_SHARE < this.index.size) return;
    this.unsaved = 0;
    await this.deps.files
      .writeAtomic(this.path, writeIndex(this.index.parts()), { flush: false })
      .catch((cause: unknown) => {
        this.warnings.push(`The recall index could not be saved: ${reasonOf(cause)}`);
      });
  }

  private async hitsOf(index: RecallIndex, ranked: Ranked[], limit: number): Promise<EngineHit[]> {
    const hits: EngineHit[] = [];
    const seen = new Set<string>();
    for (const { text, score } of ranked) {
      if (hits.length >= limit) break;
      const hit = await this.hitOf(index, text, score);
      if (!hit || seen.has(hit.text)) continue;
      seen.add(hit.text);
      hits.push(hit);
    }
    return hits;
  }

  private async hitOf(index: RecallIndex, text: number, score: number): Promise<EngineHit | undefined> {
    const { columns } = index;
    const file = index.files[columns.file.at(text)];
    if (!file) return undefined;
    const place = { offset: columns.offset.at(text), bytes: columns.bytes.at(text) };
    const said = await readSaid(this.deps.files, this.deps.home, file, place);
    if (!said) return undefined;
    const time = columns.time.at(text);
    const flags = columns.flags.at(text);
    const role = (flags & FLAG.user) !== 0 ? 'user' : (flags & FLAG.assistant) !== 0 ? 'assistant' : undefined;
    return {
      score: Math.round(score * 1000) / 1000,
      time: Number.isNaN(time) ? '' : new Date(time).toISOString(),
      source: join(this.deps.home, file.path),
      line: columns.line.at(text),
      kind: file.kind,
      ...(role === undefined ? {} : { role }),
      ...(file.key ? { sessionKey: file.key } : {}),
      text: (said.speaker === '' ? said.text : `${said.speaker}: ${said.text}`).slice(0, LONGEST_TEXT),
    };
  }

  private serially<T>(step: () => Promise<T>): Promise<T> {
    const result = this.steps.then(step);
    this.steps = result.catch(() => undefined);
    return result;
  }
}

/** The texts said last, newest first. */
function newest(index: RecallIndex, { kinds, since }: Filter, count: number): Ranked[] {
  const found: Ranked[] = [];
  for (let text = 0; text < index.size; text += 1) {
    const file = index.files[index.columns.file.at(text)];
    const time = index.columns.time.at(text);
    if (!file?.alive || (kinds && !kinds.has(file.kind))) continue;
    if (!Number.isNaN(time) && (since === undefined || time >= since)) found.push({ text, score: time });
  }
  return found
    .sort((a, b) => b.score - a.score || b.text - a.text)
    .slice(0, count)
    .map(({ text }, place) => ({ text, score: 1 / (1 + place) }));
}

/** All names that somebody speaks under, by each of their words in lower case. */
function namesOf(index: RecallIndex, roles: readonly RoleNames[]): Map<string, string> {
  const counts = new Map<string, number>();
  for (let text = 0; text < index.size; text += 1) {
    const name = index.speakers[index.columns.speaker.at(text)] ?? '';
    if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const spoken = [...counts].filter(([, count]) => count >= 3).map(([name]) => name);
  const called = roles.flatMap(({ user, assistant }) => [user, assistant]);
  const names = new Map<string, string>();
  for (const name of [...called, ...spoken]) {
    if (name === '') continue;
    names.set(name.toLowerCase(), name);
    for (const part of name.split(' ')) if (part.length > 2) names.set(part.toLowerCase(), name);
  }
  return names;
}
