import { Fzf } from 'fzf';
import type { MentionItem } from '../../protocol/wire.js';

/** Paths that are ranked for one query: the best by a look at their letters. */
const RANKED = 500;
/** Paths prepared before others get their turn: a stretch of a few milliseconds. */
const AT_A_TIME = 2_000;

/** Folders that are listed at most: each costs as much as a file at every key. */
const MAX_FOLDERS = 20_000;

/** A path's letters as they are compared. */
interface Prepared {
  item: MentionItem;
  /** Without accents, in small letters. */
  folded: string;
  /** Without accents. */
  plain: string;
  /** Where the file's own name begins. */
  name: number;
  /** A bit for each letter and digit that occurs. */
  letters: number;
  /** The codes of `folded`: a string that was cut from another is slow to read. */
  codes: Uint8Array;
}

/** What is used of fzf, whose own types do not resolve in an ES module. */
interface Finder {
  find(query: string): { item: MentionItem }[];
}

/**
 * Finds paths by some of their letters, in their order. fzf ranks, which takes half a second for 100,000 paths: so it is given the few hundred that
 * may be best, chosen by whether the letters stand in the name in one piece or are scattered over the path; shorter paths first.
 */
export class PathFinder {
  /** All that may match the last query: what goes on from it matches no others. */
  private last: { query: string; paths: readonly Prepared[] } | undefined;

  private constructor(private readonly paths: readonly Prepared[]) {}

  /** Prepares paths of files, which are shown by their labels, and the folders they lie in, in stretches; `breathe` resolves when others had their turn. */
  static async of(
    paths: readonly string[],
    label: (path: string) => string,
    breathe: () => Promise<void>,
  ): Promise<PathFinder> {
    // Sorted by their place: sorting so many at the end would be a stretch of its own.
    const byLength: Prepared[][] = [];
    const place = (item: MentionItem) => (byLength[item.label.length] ??= []).push(prepared(item));
    const folders = new Set<string>();
    for (const [n, path] of paths.entries()) {
      const item = { path, label: label(path) };
      place(item);
      placeFolders(item, folders, place);
      if (n % AT_A_TIME === AT_A_TIME - 1) await breathe();
    }
    return new PathFinder(byLength.flat());
  }

  /** The best `limit` for a query, the best first; with an empty one the shortest files. */
  find(query: string, limit: number): MentionItem[] {
    if (query === '') return this.shortest(limit);
    const candidates = this.candidates(withoutAccents(query));
    const finder = new Fzf(candidates, { selector: (item: MentionItem) => item.label, limit }) as unknown as Finder;
    return finder.find(query).map((found) => found.item);
  }

  private shortest(limit: number): MentionItem[] {
    const found: MentionItem[] = [];
    for (const { item } of this.paths) {
      if (found.length === limit) break;
      if (item.kind === undefined) found.push(item);
    }
    return found;
  }

  private candidates(query: string): MentionItem[] {
    const small = query.toLowerCase();
    // As with fzf, capitals count where the query has one.
    const isExact = query !== small;
    const [wanted, codes] = [lettersOf(small), codesOf(small)];
    const groups = new Groups(query);
    const possible: Prepared[] = [];
    for (const path of this.last && small.startsWith(this.last.query) ? this.last.paths : this.paths) {
      if ((path.letters & wanted) !== wanted || !isScattered(path.codes, codes)) continue;
      possible.push(path);
      groups.take(path, isExact ? path.plain : path.folded);
      if (groups.isDone) return groups.best();
    }
    this.last = { query: small, paths: possible };
    return groups.best();
  }
}

/** The folders above a file, below the workspace's own, as far as they are not known yet. */
function placeFolders({ path, label }: MentionItem, known: Set<string>, place: (folder: MentionItem) => void): void {
  for (let end = label.lastIndexOf('/'); end > 0; end = label.lastIndexOf('/', end - 1)) {
    const folder = label.slice(0, end);
    if (known.has(folder) || known.size >= MAX_FOLDERS) return;
    known.add(folder);
    place({ kind: 'folder', path: path.slice(0, path.length - (label.length - end)), label: folder });
  }
}

/** Paths by how closely they match. What comes when its group is full is looked at no more closely. */
class Groups {
  private readonly begins: MentionItem[] = [];
  private readonly inOnePiece: MentionItem[] = [];
  private readonly scattered: MentionItem[] = [];
  /** No name holds a slash, and what has none is looked for in names. */
  private readonly isPath: boolean;

  constructor(private readonly query: string) {
    this.isPath = query.includes('/');
  }

  /** Whether nothing that may come could be better. */
  get isDone(): boolean {
    return isFull(this.begins);
  }

  /** Takes a path, as the text that is compared, in which the letters come in their order. */
  take({ item, name }: Prepared, text: string): void {
    const { query, isPath } = this;
    const from = isPath ? 0 : name;
    if (text.startsWith(query, from)) this.begins.push(item);
    else if (!isFull(this.inOnePiece) && text.indexOf(query, from) >= 0) this.inOnePiece.push(item);
    else if (!isFull(this.scattered)) this.scattered.push(item);
  }

  best(): MentionItem[] {
    return [...this.begins, ...this.inOnePiece, ...this.scattered].slice(0, RANKED);
  }
}

function isFull(group: readonly MentionItem[]): boolean {
  return group.length >= RANKED;
}

/** Whether the codes of a query come in a path in their order. */
function isScattered(codes: Uint8Array, query: Uint8Array): boolean {
  let next = 0;
  for (let n = 0; n < codes.length && next < query.length; n++) {
    if (codes[n] === query[next]) next++;
  }
  return next === query.length;
}

function prepared(item: MentionItem): Prepared {
  const plain = withoutAccents(item.label);
  const folded = plain.toLowerCase();
  const name = folded.lastIndexOf('/') + 1;
  return { item, plain, folded, name, letters: lettersOf(folded), codes: codesOf(folded) };
}

const ASCII = /^[\x20-\x7e]*$/;

function withoutAccents(text: string): string {
  return ASCII.test(text) ? text : text.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

function lettersOf(text: string): number {
  let letters = 0;
  for (let n = 0; n < text.length; n++) letters |= 1 << (text.charCodeAt(n) % 32);
  return letters;
}

/** One byte a letter: two that share one are told apart by fzf. */
function codesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}
