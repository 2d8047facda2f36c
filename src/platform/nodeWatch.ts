import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disposable } from './ports.js';

/** Changes within this time are told once. */
const COALESCE_MS = 30;
/** How often a path is looked at where the system cannot watch it (watch limits, some network disks). */
const POLL_MS = 2_000;

/**
 * Watches a file or a folder (itself and what lies directly below). Never throws: a path that is missing is waited for, one that goes and
 * comes back is watched again, one that cannot be watched is looked at every two seconds. Does not keep the process alive.
 */
export function watchPath(path: string, changed: () => void): Disposable {
  const watcher = new PathWatcher(path, changed);
  return { dispose: () => watcher.dispose() };
}

/** Watches the nearest existing parent for the name that leads to the path, and the path itself while it is a folder. */
class PathWatcher {
  private above: FSWatcher | undefined;
  private aboveAt = '';
  private inside: FSWatcher | undefined;
  private insideNumber: number | undefined;
  private timer: NodeJS.Timeout | undefined;
  private poll: NodeJS.Timeout | undefined;
  private signature: string;
  private closed = false;

  constructor(
    private readonly path: string,
    private readonly changed: () => void,
  ) {
    this.signature = signatureOf(path);
    this.attach();
  }

  dispose(): void {
    this.closed = true;
    this.above?.close();
    this.inside?.close();
    clearTimeout(this.timer);
    clearInterval(this.poll);
  }

  private attach(): void {
    if (this.closed) return;
    this.attachAbove();
    this.attachInside();
  }

  private attachAbove(): void {
    const { folder, name } = nearest(this.path);
    if (this.above && this.aboveAt === folder) return;
    this.above?.close();
    this.aboveAt = folder;
    this.above = this.open(folder, (entry) => {
      if (entry === null || entry === name) this.noticed();
    });
    // What was created between the look and the watch has sent no event.
    if (this.above && nearest(this.path).folder !== folder) this.attachAbove();
  }

  private attachInside(): void {
    const found = statOf(this.path);
    const number = found?.isDirectory() ? found.ino : undefined;
    if (this.inside && this.insideNumber === number) return;
    this.inside?.close();
    this.insideNumber = number;
    this.inside = number === undefined ? undefined : this.open(this.path, () => this.noticed());
  }

  private open(folder: string, listener: (entry: string | null) => void): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_kind, entry) => listener(entry));
      watcher.on('error', () => {
        watcher.close();
        this.startPolling();
      });
      return watcher;
    } catch {
      this.startPolling();
      return undefined;
    }
  }

  private noticed(): void {
    if (this.closed || this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.attach();
      this.tell();
    }, COALESCE_MS).unref();
  }

  /** Events of a parent that is only waited on, and of attributes, are no news. */
  private tell(): void {
    const signature = signatureOf(this.path);
    if (signature === 'missing' && this.signature === 'missing') return;
    this.signature = signature;
    this.changed();
  }

  private startPolling(): void {
    if (this.closed || this.poll) return;
    this.poll = setInterval(() => {
      const signature = signatureOf(this.path);
      if (signature === this.signature) return;
      this.signature = signature;
      this.changed();
    }, POLL_MS).unref();
  }
}

/** The nearest parent that exists, and the name in it that leads to the path. */
function nearest(path: string): { folder: string; name: string } {
  let name = basename(path);
  let folder = dirname(path);
  while (!isFolder(folder) && dirname(folder) !== folder) {
    name = basename(folder);
    folder = dirname(folder);
  }
  return { folder, name };
}

const statOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true;

function signatureOf(path: string): string {
  const found = statOf(path);
  return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : 'missing';
}
