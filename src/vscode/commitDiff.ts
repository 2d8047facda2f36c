import { english } from '../platform/words.js';
import { sensitiveName } from '../approval/sensitive.js';
import { maskHunks } from './maskDiff.js';

/** Characters of one file's diff that are looked through for secrets; what lies between its two ends is never sent. */
const MAX_SCANNED = 200_000;
/** Characters of a diff that a file gets at least, however many there are. */
const LEAST_SHARE = 200;
/** Files that are listed by name; of more there is the number. */
const MAX_NAMED = 300;

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'renamed';

/** What a commit does to one file. */
export interface FileDiff {
  /** Below the repository, with slashes. */
  path: string;
  /** Where it was before, of a renamed one. */
  from?: string;
  kind: ChangeKind;
  added: number;
  removed: number;
  /** The changed lines with their surroundings, as git writes them from the first `@@` on. Empty where there are none. */
  hunks: string;
  binary: boolean;
  /** Git's diff did not hold it in a form that can be read: only that it changed is known. */
  unread?: boolean;
}

/** A changed file as git lists it, with its `Status` where that is told. */
export interface ListedChange {
  path: string;
  status?: number | undefined;
}

/** Files that programs write: their lines say nothing that the file beside them does not. */
const GENERATED =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|composer\.lock|Gemfile\.lock|go\.sum|flake\.lock|Podfile\.lock|packages\.lock\.json|mix\.lock|pubspec\.lock)$|\.min\.(js|css)$|\.(js|css)\.map$/;

/** What `color.ui=always` puts between. */
const COLORS = /\u001b\[[0-9;]*[mK]/g;

/** Reads what `git diff` writes, in colors too. A piece in a form that is not known counts as a modified file without lines. */
export function readDiff(diff: string): FileDiff[] {
  const text = diff.replaceAll(COLORS, '');
  const starts = [...text.matchAll(/^diff --(?:git|cc|combined) /gm)].map(({ index }) => index);
  return starts.map((start, at) => readFile(text.slice(start, starts[at + 1] ?? text.length)));
}

/**
 * The files of a diff, and after them by name those that git lists as changed and that are not among them: a program in place of git's own diff writes what
 * it likes.
 */
export function withUnread(files: readonly FileDiff[], changes: readonly ListedChange[]): FileDiff[] {
  const known = new Set(files.flatMap(({ path, from = path }) => [path, from]));
  const others = new Map(changes.filter(({ path }) => !known.has(path)).map((change) => [change.path, change]));
  const none = { added: 0, removed: 0, hunks: '', binary: false, unread: true };
  const unread = ({ path, status = 0 }: ListedChange) => ({ path, kind: KINDS[status] ?? 'modified', ...none });
  return [...files, ...[...others.values()].map(unread)];
}

/** By git's `Status`; all others are modified. */
const KINDS: Record<number, ChangeKind | undefined> = {
  1: 'added',
  2: 'deleted',
  3: 'renamed',
  4: 'added',
  6: 'deleted',
  9: 'added',
  10: 'renamed',
};

function readFile(piece: string): FileDiff {
  const body = /^@@/m.exec(piece)?.index ?? piece.length;
  const head = piece.slice(0, body);
  const hunks = piece.slice(body);
  const line = (pattern: RegExp) => {
    const found = pattern.exec(head)?.[1];
    return found === undefined ? undefined : unquoted(found);
  };
  const after = line(/^\+\+\+ (?:[a-z]\/|(?="[a-z]\/))?(.+?)\t?$/m);
  const before = line(/^--- (?:[a-z]\/|(?="[a-z]\/))?(.+?)\t?$/m);
  const renamed = line(/^(?:rename|copy) to (.+)$/m);
  const from = line(/^(?:rename|copy) from (.+)$/m);
  const named = renamed ?? [after, before].find((path) => path !== undefined && path !== '/dev/null');
  return {
    path: named ?? nameInTitle(head),
    ...(from === undefined ? {} : { from }),
    kind: kindOf(head),
    added: count(hunks, /^\+/gm),
    removed: count(hunks, /^-/gm),
    hunks,
    binary: /^(?:Binary files |GIT binary patch)/m.test(head),
  };
}

function kindOf(head: string): ChangeKind {
  if (/^rename to /m.test(head)) return 'renamed';
  if (/^new file mode /m.test(head)) return 'added';
  return /^deleted file mode /m.test(head) ? 'deleted' : 'modified';
}

/** The path of `diff --git a/x b/x`: both are the same where nothing else names it. */
function nameInTitle(head: string): string {
  const title = (head.split('\n', 1)[0] ?? '').replace(/^diff --(?:git|cc|combined) /, '');
  const twice = /^"?[a-z]\/(.+?)"? "?[a-z]\/\1"?$/.exec(title)?.[1];
  return unquoted(twice ?? title);
}

/** Git quotes names with odd characters as C does, bytes in octal. */
function unquoted(name: string): string {
  if (!name.startsWith('"') && !name.includes('\\')) return name;
  const bare = name.replace(/^"(?:[a-z]\/)?/, '').replace(/"$/, '');
  const bytes: number[] = [];
  for (const [piece] of bare.matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (/^\\[0-7]{3}$/.test(piece)) bytes.push(Number.parseInt(piece.slice(1), 8));
    else if (piece.startsWith('\\')) bytes.push(...Buffer.from(ESCAPES[piece] ?? piece.slice(1)));
    else bytes.push(...Buffer.from(piece));
  }
  return Buffer.from(bytes).toString('utf8');
}

const ESCAPES: Record<string, string> = { '\\n': '\n', '\\t': '\t', '\\r': '\r' };

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** The names of all files with what happens to each, a line for each: `added src/a.ts (+3 −0)`. */
export function fileList(files: readonly FileDiff[]): string {
  const lines = files.slice(0, MAX_NAMED).map(({ path, from, kind, added, removed, binary, unread }) => {
    const size = binary ? ' (binary)' : ` (+${String(added)} −${String(removed)})`;
    return `${kind} ${from === undefined ? '' : `${oneLine(from)} → `}${oneLine(path)}${unread ? '' : size}`;
  });
  const rest = files.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… and ${String(rest)} more files`] : [])].join('\n');
}

/** A file's name may hold anything, a line break too. */
function oneLine(path: string): string {
  return path.replace(/[\u0000-\u001f\u007f]+/g, ' ');
}

/**
 * The diffs of these files in at most `room` characters, secrets masked. What is small stays whole; of what is not, each file keeps its beginning and its
 * end. Binary and generated files and those that hold keys by their name are told in a line.
 */
export function diffText(files: readonly FileDiff[], room: number): string {
  const parts = files.map((file) => ({ title: `### ${oneLine(file.path)}`, text: bodyOf(file) }));
  const share = fairShare(
    parts.map(({ text }) => text.length),
    room - parts.reduce((sum, { title }) => sum + title.length + 4, 0),
  );
  let left = room;
  const shown: string[] = [];
  for (const { title, text } of parts) {
    const part = `${title}\n${headAndTail(text, share)}`;
    if (part.length > left) break;
    left -= part.length + 2;
    shown.push(part);
  }
  const hidden = parts.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`… and ${String(hidden)} more files, only named above`] : [])].join('\n\n');
}

function bodyOf(file: FileDiff): string {
  const lines = `+${String(file.added)} −${String(file.removed)} lines`;
  if (file.binary) return '(binary)';
  if (file.unread) return '(its lines are not known)';
  const sensitive = sensitiveName(file.path) ?? (file.from === undefined ? undefined : sensitiveName(file.from));
  if (sensitive !== undefined) return `(${lines}, not shown: ${sensitive(english)})`;
  if (GENERATED.test(file.path)) return `(generated: ${lines}, not shown)`;
  if (file.hunks === '') return file.kind === 'modified' ? '(no lines changed)' : `(${file.kind})`;
  return maskHunks(headAndTail(file.hunks.trimEnd(), MAX_SCANNED));
}

/** The most that each of these may have so that all together fit: what needs less leaves the rest to the others. */
function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  const sorted = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at));
    if (length > share) return Math.max(LEAST_SHARE, share);
    left -= length;
  }
  return Number.MAX_SAFE_INTEGER;
}

/** The first and the last lines of a text that is too long, whole lines where there are any: half a secret would not be known as one. */
function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const mark = '\n… lines left out …\n';
  const half = Math.max(0, Math.floor((most - mark.length) / 2));
  const head = text.slice(0, half);
  const tail = text.slice(text.length - half);
  const headEnd = head.lastIndexOf('\n');
  const tailStart = tail.indexOf('\n');
  return `${head.slice(0, Math.max(0, headEnd))}${mark}${tailStart < 0 ? '' : tail.slice(tailStart + 1)}`;
}
