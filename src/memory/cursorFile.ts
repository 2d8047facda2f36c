import { isMissing } from '../platform/fileErrors.js';
import type { Files } from '../platform/ports.js';
import { isCursor } from './historyEntry.js';

/** What a cursor file says: a number, that there is no such file, or something that is no cursor. */
export type CursorRead = { value: number } | { value: undefined; why: 'missing' | 'broken' };

/** A file that holds one cursor as text. Read again only when it changed. */
export class CursorFile {
  private known: { stamp: string; read: CursorRead } | undefined;

  constructor(
    private readonly files: Files,
    readonly path: string,
  ) {}

  async read(): Promise<CursorRead> {
    const stat = await this.files.stat(this.path);
    if (stat?.type !== 'file') return { value: undefined, why: stat ? 'broken' : 'missing' };
    const stamp = `${String(stat.ino ?? '')}:${String(stat.mtime)}:${String(stat.size)}`;
    if (this.known?.stamp !== stamp) this.known = { stamp, read: await this.parse() };
    return this.known.read;
  }

  /** Replaces the number whole. Without `flush` for one that can be found out again. */
  async write(cursor: number, options?: { flush?: boolean }): Promise<void> {
    await this.files.writeAtomic(this.path, String(cursor), options);
  }

  private async parse(): Promise<CursorRead> {
    try {
      // A cursor has at most 16 digits; whatever is much longer is none.
      const text = new TextDecoder().decode(await this.files.readRange(this.path, 0, 64)).trim();
      const value = /^\d+$/.test(text) ? Number(text) : undefined;
      return isCursor(value) ? { value } : { value: undefined, why: 'broken' };
    } catch (error) {
      if (isMissing(error)) return { value: undefined, why: 'missing' };
      throw error;
    }
  }
}
