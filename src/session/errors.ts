import { t } from '@vscode/l10n';
import { codeOf } from '../platform/fileErrors.js';
import { reasonOf } from '../platform/reason.js';

/** Another process writes this session: nothing was saved. `by` is its holder id. */
export class SessionBusy extends Error {
  override readonly name = 'SessionBusy';
  constructor(
    readonly key: string,
    readonly by: string,
  ) {
    super(t('The chat {0} is open for writing in another window. Choose "Continue here" to write in this one.', key));
  }
}

/** The lease was ours and is no longer: another process took it while this one slept, or was given it. Nothing was saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(readonly key: string) {
    super(t('The chat {0} is now written by another window. Choose "Continue here" to go on in this one.', key));
  }
}

/** The session was deleted while somebody still held it. */
export class SessionRemoved extends Error {
  override readonly name = 'SessionRemoved';
  constructor(readonly key: string) {
    super(t('The chat {0} was deleted. Start a new one.', key));
  }
}

/** A write failed; the file holds what it held before. `code` is Node's, such as `ENOSPC`. */
export class SaveFailed extends Error {
  override readonly name = 'SaveFailed';
  readonly code: string | undefined;
  constructor(path: string, cause: unknown) {
    const code = codeOf(cause);
    super(t('Could not save the chat to {0}: {1}. What was saved before is intact.', path, reason(code, cause)), {
      cause,
    });
    this.code = code;
  }
}

function reason(code: string | undefined, cause: unknown): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return t('the disk is full; free some space and send again');
  if (code === 'EACCES' || code === 'EPERM') return t('it may not be written; check who owns the file and its folder');
  if (code === 'EROFS') return t('the disk is read-only; choose another home in the settings');
  return reasonOf(cause);
}
