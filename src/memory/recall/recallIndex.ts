import { Column } from './columns.js';
import { datesIn, spanTerms } from './dates.js';
import type { Said } from './messages.js';
import { Postings, type PackedPostings } from './postings.js';
import { differInOne, type Terms } from './text.js';
import { callsIn, flagsOf } from './traits.js';

export type SourceKind = 'session' | 'history' | 'note' | 'memory';

/** A file of the home as far as it is indexed. */
export interface SourceFile {
  /** Relative to the home, with `/`. */
  path: string;
  kind: SourceKind;
  /** The session's key. */
  key?: string;
  /** False once the file is gone or was read anew as another entry. */
  alive: boolean;
  /** Bytes read, and the file's length at that time: a last line without its end is read later. */
  size: number;
  seen: number;
  mtime: number;
  ino?: number;
  /** Its first and last bytes as they were read, in base64: an append leaves both. */
  head: string;
  tail: string;
  nextLine: number;
  /** How often each name is called in messages of a role: whom the person and the agent talk to. */
  called: { user: Record<string, number>; assistant: Record<string, number> };
}

/** Where no other message stands before or after. */
export const NONE = 0xffffffff;
/** Messages further apart than this are of two conversations, though they stand in one file. */
const SAME_TALK_MS = 8 * 3_600_000;

/** Letters two terms must begin with alike to be taken for forms of one word: fewer join "pain" and "paint". */
const SHORTEST_PREFIX = 5;

/** From so many calls, counted double, a name is taken for a speaker's. */
const ENOUGH_CALLS = 6;

/** The columns of the table of texts, by name: all of the index that has an entry a text. */
export const COLUMN_TYPES = {
  file: 'u32',
  line: 'u32',
  offset: 'f64',
  bytes: 'u32',
  time: 'f64',
  speaker: 'u16',
  flags: 'u8',
  length: 'u16',
  before: 'u32',
  after: 'u32',
} as const;

export type Columns = Record<keyof typeof COLUMN_TYPES, Column>;

/** All that is kept on disk. */
export interface IndexParts {
  files: SourceFile[];
  speakers: string[];
  vocabulary: string[];
  columns: Columns;
  postings: PackedPostings;
}

/** Where a text stands in its file. */
export interface Place {
  file: number;
  line: number;
  offset: number;
  bytes: number;
}

/** Texts, numbered in the order they were added, with their terms. Holds no text itself: that is read again from its file. */
export class RecallIndex {
  readonly files: SourceFile[];
  readonly speakers: string[];
  readonly columns: Columns;
  readonly postings: Postings;
  private readonly vocabulary = new Map<string, number>();
  private readonly words: string[];
  private readonly speakerIds: Map<string, number>;
  private readonly lastOfFile = new Map<number, number>();
  private readonly prefixes = new Map<string, string[]>();
  private prefixed = 0;
  private readonly textsOfFile = new Map<number, number>();
  /** When the newest text was said; 0 where none has a time. */
  newest = 0;
  private totalLength = 0;

  constructor(
    private readonly terms: Terms,
    parts?: IndexParts,
  ) {
    this.files = parts?.files ?? [];
    this.speakers = parts?.speakers ?? [''];
    this.words = parts?.vocabulary ?? [];
    this.columns = parts?.columns ?? emptyColumns();
    this.postings = new Postings(parts?.postings);
    this.speakerIds = new Map(this.speakers.map((name, id) => [name, id]));
    for (const [id, word] of this.words.entries()) this.vocabulary.set(word, id);
    for (let text = 0; text < this.size; text += 1) {
      this.noteText(this.columns.file.at(text), text);
      this.totalLength += this.columns.length.at(text);
      this.newest = Math.max(this.newest, this.columns.time.at(text) || 0);
    }
  }

  /** Texts, those of files that are gone included. */
  get size(): number {
    return this.columns.file.length;
  }

  /** Terms of a text on average. */
  get meanLength(): number {
    return Math.max(1, this.totalLength / Math.max(1, this.size));
  }

  /** How many texts are of files that are gone. */
  get dead(): number {
    return this.files.reduce((sum, file, number) => sum + (file.alive ? 0 : (this.textsOfFile.get(number) ?? 0)), 0);
  }

  termId(term: string): number | undefined {
    return this.vocabulary.get(term);
  }

  /** Terms that begin with this one, or that this one begins with, and are not much longer or shorter. */
  relatives(term: string): string[] {
    if (term.length < SHORTEST_PREFIX || /[^a-z]/.test(term)) return [];
    const like = this.byPrefix().get(term.slice(0, SHORTEST_PREFIX)) ?? [];
    return like.filter((other) => other !== term && (other.startsWith(term) || term.startsWith(other)));
  }

  /** Terms that differ from this one in one letter: missing, added, changed or swapped with the next. Looks through all terms. */
  lookalikes(term: string): string[] {
    if (term.length < SHORTEST_PREFIX || /[^a-z]/.test(term)) return [];
    return this.words.filter((other) => Math.abs(other.length - term.length) < 2 && differInOne(term, other));
  }

  /** All terms, each at the place of its number. */
  allTerms(): readonly string[] {
    return this.words;
  }

  /** Adds one text of a file, behind what was added of it before. `heading` is searched with it. */
  add(said: Said, place: Place, heading = ''): void {
    const text = this.size;
    const terms = this.terms.of(heading === '' ? said.text : `${heading}\n${said.text}`);
    const times = new Map<string, number>();
    for (const term of terms) times.set(term, (times.get(term) ?? 0) + 1);
    const dates = datesIn(said.text, Number.isNaN(said.time) ? 0 : said.time);
    for (const span of dates.spans) for (const term of spanTerms(span)) times.set(term, 1);
    for (const [term, count] of times) this.postings.add(this.idFor(term), text, count);
    const { columns } = this;
    columns.file.push(place.file);
    columns.line.push(place.line);
    columns.offset.push(place.offset);
    columns.bytes.push(place.bytes);
    columns.time.push(said.time);
    columns.speaker.push(this.speakerFor(said.speaker));
    columns.flags.push(flagsOf(said));
    columns.length.push(Math.min(65_535, terms.length));
    columns.before.push(NONE);
    columns.after.push(NONE);
    this.totalLength += terms.length;
    this.newest = Math.max(this.newest, said.time || 0);
    this.link(place.file, text);
    this.noteCalls(place.file, said);
  }

  /**
   * Whom the messages of each role are by, for files whose lines give no names: judged by whom the other side calls, in this file and in all. An
   * empty name where that is not clear. Linear in the files: ask once for many.
   */
  namesOfRoles(): { user: string; assistant: string }[] {
    const everywhere = { user: new Map<string, number>(), assistant: new Map<string, number>() };
    const alive = this.files.filter((file) => file.alive && file.kind === 'session');
    for (const role of ['user', 'assistant'] as const) {
      for (const { called } of alive) {
        for (const [name, count] of Object.entries(called[role]))
          everywhere[role].set(name, (everywhere[role].get(name) ?? 0) + count);
      }
    }
    const nameFor = (file: SourceFile, role: 'user' | 'assistant', other: 'user' | 'assistant'): string => {
      const sure = Object.entries(file.called[other]).filter(([name]) => {
        const calls = everywhere[other].get(name) ?? 0;
        return calls >= ENOUGH_CALLS && calls > 2 * (everywhere[role].get(name) ?? 0);
      });
      return sure.sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
    };
    return this.files.map((file) => ({
      user: nameFor(file, 'user', 'assistant'),
      assistant: nameFor(file, 'assistant', 'user'),
    }));
  }

  /** The form for the disk. */
  parts(): IndexParts {
    const { files, speakers, columns } = this;
    return { files, speakers, columns, vocabulary: this.words, postings: this.postings.pack() };
  }

  private byPrefix(): ReadonlyMap<string, string[]> {
    for (; this.prefixed < this.words.length; this.prefixed += 1) {
      const word = this.words[this.prefixed] ?? '';
      if (word.length < SHORTEST_PREFIX || !/^[a-z]+$/.test(word)) continue;
      const prefix = word.slice(0, SHORTEST_PREFIX);
      const list = this.prefixes.get(prefix);
      if (list) list.push(word);
      else this.prefixes.set(prefix, [word]);
    }
    return this.prefixes;
  }

  private idFor(term: string): number {
    const known = this.vocabulary.get(term);
    if (known !== undefined) return known;
    const id = this.words.length;
    this.vocabulary.set(term, id);
    this.words.push(term);
    return id;
  }

  private speakerFor(name: string): number {
    const known = this.speakerIds.get(name);
    if (known !== undefined) return known;
    if (this.speakers.length > 65_535) return 0;
    this.speakers.push(name);
    this.speakerIds.set(name, this.speakers.length - 1);
    return this.speakers.length - 1;
  }

  private link(file: number, text: number): void {
    const { time, before, after } = this.columns;
    const last = this.lastOfFile.get(file);
    this.noteText(file, text);
    if (last === undefined || Math.abs(time.at(text) - time.at(last)) > SAME_TALK_MS) return;
    before.set(text, last);
    after.set(last, text);
  }

  private noteText(file: number, text: number): void {
    this.lastOfFile.set(file, text);
    this.textsOfFile.set(file, (this.textsOfFile.get(file) ?? 0) + 1);
  }

  private noteCalls(file: number, said: Said): void {
    const entry = this.files[file];
    if (!entry || said.role === '' || said.speaker !== '') return;
    const counts = entry.called[said.role];
    const count = (name: string, calls: number) => {
      if (this.terms.stem(name) === undefined || (counts[name] === undefined && Object.keys(counts).length > 60))
        return;
      counts[name] = (counts[name] ?? 0) + calls;
    };
    for (const [name, calls] of callsIn(said.text)) count(name, calls);
  }
}

function emptyColumns(): Columns {
  return Object.fromEntries(
    Object.entries(COLUMN_TYPES).map(([name, type]) => [name, new Column(type)]),
  ) as unknown as Columns;
}
