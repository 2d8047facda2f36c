import type { FileStat, Workspace } from '../../platform/ports.js';
import type { FileChange } from '../../protocol/message.js';
import { lineDelta } from './diff.js';
import { firstTouches, movedAmong, movedFolders, placesOf } from './movedFolders.js';
import { fingerprintBefore, renamesIn, renamesOf } from './snapshotRenames.js';
import { digestOf, type KeptEntry, type Manifest, type SnapshotStore } from './snapshotStore.js';
import { rawText } from './text.js';

/** Larger files are known to have been there; their content is not kept. */
const largestKept = 50 * 1024 * 1024;

const NO_LINES = { added: 0, removed: 0 };

/** What the paths of a turn are now, compared with what they were before it. */
export class SnapshotStanding {
  constructor(
    private readonly workspace: Workspace,
    private readonly store: SnapshotStore,
  ) {}

  /** Where each entry's content is after the turn: elsewhere than its path if a folder around it was moved. */
  async places({ entries, end }: Pick<Manifest, 'entries' | 'end'>): Promise<Map<string, string>> {
    if (end) return placesOf(entries, movedAmong(entries, renamesIn(entries, end.after)));
    const typeAt = async (path: string) => (await this.workspace.stat(path))?.type;
    return placesOf(entries, await movedFolders(entries, typeAt));
  }

  /** Where what the turn touched is now, what its paths are, and what that changes. */
  async now(
    manifest: Manifest,
  ): Promise<{ places: Map<string, string>; after: Record<string, string>; changes: FileChange[] }> {
    const { entries } = manifest;
    const places = await this.places({ entries });
    const after = await this.fingerprints(entries, places);
    return { places, after, changes: await this.changes(manifest, after, places) };
  }

  /** What each entry's content is now, in a form that can be compared, by the entry's path. */
  async fingerprints(
    entries: readonly KeptEntry[],
    places: ReadonlyMap<string, string>,
  ): Promise<Record<string, string>> {
    const prints: Record<string, string> = {};
    for (const { path } of entries) prints[path] = await this.fingerprint(places.get(path) ?? path);
    return prints;
  }

  /** What is at a path, in a form that can be compared; the digest of a file's content, under which it can be kept. */
  async fingerprint(place: string): Promise<string> {
    const stat = await this.workspace.stat(place);
    if (!stat) return 'absent';
    if (stat.type === 'directory') return 'folder';
    if (!isKept(stat)) return `large ${stat.size} ${stat.mtime}`;
    return digestOf((await this.workspace.read(place)).bytes);
  }

  private async changes(
    manifest: Manifest,
    after: Record<string, string>,
    places: ReadonlyMap<string, string>,
  ): Promise<FileChange[]> {
    const renames = renamesOf(manifest, places, after);
    const changes: FileChange[] = [];
    for (const entry of firstTouches(manifest.entries, places)) {
      const now = after[entry.path] ?? 'absent';
      const path = places.get(entry.path) ?? entry.path;
      const label = this.workspace.label(path);
      const source = renames.find(({ target }) => target === entry)?.entry;
      if (source) {
        const both = `${this.workspace.label(source.path)} → ${label}`;
        const delta = now === fingerprintBefore(source) ? NO_LINES : await this.deltaOf(source, now, path);
        changes.push({ path, label: both, ...delta, kind: 'renamed', from: source.path });
      } else if (!renames.some((one) => one.entry === entry) && now !== fingerprintBefore(entry)) {
        const kind = now === 'absent' ? 'deleted' : entry.state === 'absent' ? 'created' : 'changed';
        changes.push({ path, label, ...(await this.deltaOf(entry, now, path)), kind });
      }
    }
    return changes;
  }

  /** Zero for what is no text. */
  private async deltaOf(entry: KeptEntry, now: string, place: string): Promise<{ added: number; removed: number }> {
    const before = entry.state === 'file' ? await this.store.content(entry.blob) : undefined;
    const after = isDigest(now) ? (await this.workspace.read(place)).bytes : undefined;
    return lineDelta(rawText(before), rawText(after));
  }
}

/** Whether a fingerprint is the digest of a file's content. */
export function isDigest(fingerprint: string | undefined): fingerprint is string {
  return fingerprint !== undefined && /^[0-9a-f]{64}$/.test(fingerprint);
}

/** Whether a file's content is kept. Reading a pipe or a device could take forever. */
export function isKept(stat: FileStat): boolean {
  return stat.type === 'file' && stat.size <= largestKept;
}
