import { t } from '@vscode/l10n';
import { join } from 'node:path';
import type { Files } from '../platform/ports.js';
import { CursorFile } from './cursorFile.js';

/**
 * Up to where Dream has read: memory/.dream_cursor, which people may edit and restores move back. Beside it, out of their way, stands what was last
 * written, so that a lost or broken file does not make Dream learn everything twice.
 */
export class DreamCursor {
  private readonly file: CursorFile;
  private readonly last: CursorFile;
  private told = false;

  constructor(private readonly deps: { files: Files; home: string; notice(text: string): void }) {
    this.file = new CursorFile(deps.files, join(deps.home, 'memory', '.dream_cursor'));
    this.last = new CursorFile(deps.files, join(deps.home, '.nanobot', 'dream_cursor'));
  }

  get path(): string {
    return this.file.path;
  }

  /** As the file says; where it is missing or holds no number, as last written, else 0, and the person is told once. */
  async read(): Promise<number> {
    const found = await this.file.read();
    if (found.value !== undefined) return found.value;
    const last = (await this.last.read()).value;
    if (found.why === 'broken' || last !== undefined) this.tell(found.why, last);
    return last ?? 0;
  }

  async write(cursor: number): Promise<void> {
    await this.file.write(cursor);
    await this.last.write(cursor);
  }

  private tell(why: 'missing' | 'broken', last: number | undefined): void {
    if (this.told) return;
    this.told = true;
    const what = why === 'missing' ? t('{0} is missing', this.path) : t('{0} holds no number', this.path);
    this.deps.notice(
      last === undefined
        ? t(
            "{0}, so Dream begins with the oldest entry of history.jsonl. If it has read them already, write the last entry's cursor into that file.",
            what,
          )
        : t(
            '{0}, so Dream goes on after entry {1} of history.jsonl, where it was last. To have everything read again, write 0 into that file.',
            what,
            last,
          ),
    );
  }
}
