import type { Files } from '../../src/platform/ports.js';

/** A disk in memory, for tests of a long time in which real writes would count. Folders are what paths say. */
export function memoryFiles(): Files & { texts: Map<string, string>; steps(): number } {
  let steps = 0;
  const texts = new Map<string, string>();
  const watchers = new Set<{ path: string; changed: () => void }>();
  const changed = (path: string) => {
    for (const watcher of watchers) if (path.startsWith(watcher.path)) queueMicrotask(watcher.changed);
  };
  const missing = (path: string) => Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
  const write = (path: string, data: string | Uint8Array) => {
    steps++;
    texts.set(path, typeof data === 'string' ? data : Buffer.from(data).toString('utf8'));
    changed(path);
  };
  const textOf = (path: string): string => {
    steps++;
    const text = texts.get(path);
    if (text === undefined) throw missing(path);
    return text;
  };
  return {
    texts,
    /** How often something was read or written. */
    steps: () => steps,
    read: async (path) => Buffer.from(textOf(path)),
    readRange: async (path, offset, length) => Buffer.from(textOf(path)).subarray(offset, offset + length),
    stat: async (path) =>
      texts.has(path) ? { type: 'file', size: texts.get(path)?.length ?? 0, mtime: 0 } : undefined,
    list: async () => [],
    append: async (path, data) => write(path, (texts.get(path) ?? '') + String(data)),
    writeAtomic: async (path, data) => write(path, data),
    createExclusive: async (path, data) => {
      if (texts.has(path)) return false;
      write(path, data);
      return true;
    },
    truncate: async () => undefined,
    rename: async (from, to) => {
      write(to, textOf(from));
      texts.delete(from);
      changed(from);
    },
    remove: async (path) => {
      if (texts.delete(path)) changed(path);
    },
    makeFolder: async () => undefined,
    watch: (path, run) => {
      const watcher = { path, changed: run };
      watchers.add(watcher);
      return { dispose: () => watchers.delete(watcher) };
    },
  };
}
