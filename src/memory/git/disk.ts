import { t } from '@vscode/l10n';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock, GitFs, GitStat } from '../../platform/ports.js';
import { isAbsent } from './damage.js';
import { maskedText } from './masked.js';
import type { Entry } from './objects.js';
import { NAMED_FILES, SKILLS } from './trees.js';

/** Bytes beyond which a file's history is not kept. */
export const MAX_FILE = 1024 * 1024;
/** Files of skills beyond which no more are tracked: somebody installed packages there. */
const MAX_SKILL_FILES = 5_000;
/** Milliseconds after a change within which the disk's clock may give another change the same time. */
const RACY_MS = 2_000;

/** The tracked files of a home as they are now. */
export interface Snapshot {
  files: ReadonlyMap<string, Entry>;
  /** Files and folders that are there and not tracked: what the history holds of them stays as it is. */
  skipped: readonly string[];
}

/**
 * The tracked files on the disk, in the form in which they are committed. Links in `skills` are not followed, and repositories in it are not
 * entered: what lies behind a link is versioned where it lies, or nobody's business.
 */
export class TrackedDisk {
  private known = new Map<string, { stamp: string; entry: Entry }>();
  private readonly tooLarge = new Set<string>();

  constructor(
    private readonly deps: {
      fs: GitFs;
      clock: Clock;
      home: string;
      notice(text: string): void;
    },
  ) {}

  async look(): Promise<Snapshot> {
    const files = new Map<string, Entry>();
    const skipped: string[] = [];
    for (const path of NAMED_FILES) {
      const stat = await absent(this.deps.fs.promises.stat(this.path(path)));
      if (stat?.isFile() && stat.size <= MAX_FILE) await this.addFile(files, path, '100644');
      else if (stat) skipped.push(path);
      if (stat?.isFile() && stat.size > MAX_FILE) this.tellTooLarge(path);
    }
    const seen = this.known;
    this.known = new Map();
    const skills = await absent(this.deps.fs.promises.lstat(this.path(SKILLS)));
    if (skills?.isDirectory()) await this.addFolder(SKILLS, files, skipped, seen);
    else if (skills) skipped.push(SKILLS);
    return { files, skipped };
  }

  /** A tracked file's bytes as they are committed; undefined where it is gone. */
  async read(path: string): Promise<Uint8Array | undefined> {
    const bytes = (await absent(this.deps.fs.promises.readFile(this.path(path)))) as Uint8Array | undefined;
    return bytes === undefined ? undefined : this.committed(bytes);
  }

  private path(name: string): string {
    return join(this.deps.home, name);
  }

  private async addFolder(
    folder: string,
    files: Map<string, Entry>,
    skipped: string[],
    seen: ReadonlyMap<string, { stamp: string; entry: Entry }>,
  ): Promise<void> {
    const names = (await absent(this.deps.fs.promises.readdir(this.path(folder)))) ?? [];
    for (const name of names.sort()) {
      const path = `${folder}/${name}`;
      const stat = safeName(name) ? await absent(this.deps.fs.promises.lstat(this.path(path))) : undefined;
      const room = files.size < MAX_SKILL_FILES;
      if (stat?.isDirectory() && room) await this.addFolder(path, files, skipped, seen);
      else if (stat?.isFile() && stat.size <= MAX_FILE && room) await this.addSkillFile(files, path, stat, seen);
      else skipped.push(path);
    }
  }

  /** Files that have not changed since they were last read are not read again. */
  private async addSkillFile(
    files: Map<string, Entry>,
    path: string,
    stat: GitStat,
    seen: ReadonlyMap<string, { stamp: string; entry: Entry }>,
  ): Promise<void> {
    const stamp = [stat.mtimeMs, stat.ctimeMs, stat.size, stat.ino, stat.mode].join(' ');
    const former = seen.get(path);
    if (former?.stamp === stamp) files.set(path, former.entry);
    else await this.addFile(files, path, (stat.mode & 0o100) === 0 ? '100644' : '100755');
    const entry = files.get(path);
    if (entry && Math.abs(this.deps.clock.now() - stat.ctimeMs) > RACY_MS) this.known.set(path, { stamp, entry });
  }

  private async addFile(files: Map<string, Entry>, path: string, mode: string): Promise<void> {
    const bytes = await this.read(path);
    if (bytes) files.set(path, { oid: blobId(bytes), mode });
  }

  private async committed(bytes: Uint8Array): Promise<Uint8Array> {
    const text = textOf(bytes);
    if (text === undefined) return bytes;
    const masked = await maskedText(text, this.deps.clock);
    return masked === text ? bytes : Buffer.from(masked, 'utf8');
  }

  private tellTooLarge(path: string): void {
    if (this.tooLarge.has(path)) return;
    this.tooLarge.add(path);
    this.deps.notice(
      t('{0} is larger than 1 MB: its changes are not kept and cannot be undone until it is shorter.', path),
    );
  }
}

/** The content as text; undefined where it is none: it holds a zero byte, or is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // Not UTF-8: an answer, not a fault.
  }
}

/** The id that git gives this content. */
function blobId(bytes: Uint8Array): string {
  return createHash('sha1')
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest('hex');
}

/**
 * Names that git or its library takes for something else on some system (`.git` and its disguises, path separators, `..` at the end) would make
 * the whole history unreadable.
 */
export function safeName(name: string): boolean {
  const plain = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '');
  const short = (plain.split(':')[0] ?? '').toLowerCase().replace(/[. ]+$/, '');
  if (/[\\/\0\ufffd]/.test(name) || name.endsWith('..')) return false;
  return plain !== '.' && short !== '' && short !== '.git' && !/^\.?git~[1-9]$/.test(short);
}

async function absent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
