import type { Clock, Log, Search, Workspace } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import type { MentionItem } from '../../protocol/wire.js';
import { PathFinder } from './pathFinder.js';

/** Files the mention list knows at most, and how long it is believed, in milliseconds. */
const MAX_FILES = 100_000;
const LIST_FRESH_MS = 20_000;
const MAX_MENTIONS = 30;

export interface FileListDeps {
  workspace: Workspace;
  search: Search;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

/** The names of the workspace's files, for completion. A list that is no longer fresh still answers while the next one is read. */
export class FileList {
  private known: { at: number; of: string; finder: Promise<PathFinder> } | undefined;
  private reading = false;

  constructor(private readonly deps: FileListDeps) {}

  async find(query: string): Promise<MentionItem[]> {
    const { clock, workspace } = this.deps;
    const roots = workspace.folders().map((folder) => folder.path);
    if (roots.length === 0) return [];
    if (this.known?.of !== roots.join('\n')) this.take(roots, this.read(roots));
    else if (clock.now() - this.known.at > LIST_FRESH_MS) void this.renew(roots);
    return (await this.known?.finder)?.find(query, MAX_MENTIONS) ?? [];
  }

  private take(roots: string[], finder: Promise<PathFinder>): void {
    const known = { at: this.deps.clock.now(), of: roots.join('\n'), finder };
    this.known = known;
    finder.catch(() => {
      if (this.known === known) this.known = undefined;
    });
  }

  private async renew(roots: string[]): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    const finder = this.read(roots);
    // A failure leaves the list as it is; it is tried again at the next key.
    await finder.then(
      () => {
        this.take(roots, finder);
      },
      (cause: unknown) => {
        this.deps.log.warn(`The files could not be listed anew: ${reasonOf(cause)}`);
      },
    );
    this.reading = false;
  }

  private async read(roots: string[]): Promise<PathFinder> {
    const { search, workspace } = this.deps;
    const limits = { signal: AbortSignal.timeout(10_000), timeoutMs: 10_000 };
    const { hits } = await search.files({ roots, globs: [], limit: MAX_FILES }, limits);
    const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));
    return PathFinder.of(hits, (path) => workspace.label(path), breathe);
  }
}
