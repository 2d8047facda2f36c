import { codeOf } from '../platform/fileErrors.js';
import { reasonOf } from '../platform/reason.js';

/** Another process writes this session: nothing was saved. `by` is its holder id. */
export class SessionBusy extends Error {
  override readonly name = 'SessionBusy';
  constructor(
    readonly key: string,
    readonly by: string,
  ) {
    super(`The chat ${key} is open for writing in another window. Choose "Continue here" to write in this one.`);
  }
}

/** The lease was ours and is no longer: another process took it while this one slept, or was given it. Nothing was saved. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  constructor(readonly key: string) {
    super(`The chat ${key} is now written by another window. Choose "Continue here" to go on in this one.`);
  }
}

/** The session was deleted while somebody still held it. */
export class SessionRemoved extends Error {
  override readonly name = 'SessionRemoved';
  constructor(readonly key: string) {
    super(`The chat ${key} was deleted. Start a new one.`);
  }
}

/** A write failed; the file holds what it held before. `code` is Node's, such as `ENOSPC`. */
export class SaveFailed extends Error {
  override readonly name = 'SaveFailed';
  readonly code: string | undefined;
  constructor(path: string, cause: unknown) {
    const code = codeOf(cause);
    super(`Could not save the chat to ${path}: ${reason(code, cause)}. What was saved before is intact.`, { cause });
    this.code = code;
  }
}

function reason(code: string | undefined, cause: unknown): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full; free some space and send again';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be written; check who owns the file and its folder';
  if (code === 'EROFS') return 'the disk is read-only; choose another home in the settings';
  return reasonOf(cause);
}
