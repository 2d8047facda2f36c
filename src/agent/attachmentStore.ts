import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { t } from '@vscode/l10n';
import { isOutsideName, OUTSIDE_MARK } from '../platform/outsideName.js';
import type { Files } from '../platform/ports.js';
import type { Attachment } from '../protocol/message.js';

/** Where what was attached and is no file of the person's is kept, below the home. */
export const ATTACHMENTS_FOLDER = '.nanobot/attachments';

/**
 * What was attached and is no file of the person's: pasted images and texts, pages, terminal output. Files named by their content, so that a chip means
 * the same after a reload and what is attached twice is kept once. A file that nobody attached again for 30 days may be deleted.
 */
export class AttachmentStore {
  private readonly folder: string;

  constructor(private readonly deps: { files: Files; home: string }) {
    this.folder = join(deps.home, ATTACHMENTS_FOLDER);
  }

  /** Keeps something under an ending such as `png`, and resolves with its path. `outside`: somebody else wrote it, which its name says from then on. */
  async put(data: Uint8Array | string, ending: string, options: { outside?: boolean } = {}): Promise<string> {
    const digest = createHash('sha256').update(data).digest('hex').slice(0, 24);
    const path = join(this.folder, `${digest}${options.outside ? OUTSIDE_MARK : '.'}${ending}`);
    // Written anew also where it is there: what is in use stays young.
    await this.deps.files.writeAtomic(path, data);
    return path;
  }

  /** Whether a path is that of one of these files. */
  owns(path: string): boolean {
    return dirname(path) === this.folder;
  }

  /** The text of one of these files. Rejects for every other path. */
  async text(path: string): Promise<string> {
    if (!this.owns(path)) throw new Error(t('Only a pasted text can be put back.'));
    return new TextDecoder().decode(await this.deps.files.read(path));
  }
}

/** Whether somebody else than the person wrote what is attached: it is data, and the turn has read text from outside. */
export function isFromOutside({ kind, path }: Pick<Attachment, 'kind' | 'path'>): boolean {
  return kind === 'url' || isOutsideName(path);
}
