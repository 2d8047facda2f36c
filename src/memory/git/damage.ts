import { t } from '@vscode/l10n';
import { codeOf, isMissing } from '../../platform/fileErrors.js';
import { reasonOf } from '../../platform/reason.js';

/** A repository that cannot be understood: what is wrong, in plain words. What the disk itself refuses is never one of these. */
export class DamagedHistory extends Error {
  override readonly name = 'DamagedHistory';
}

/** Runs a read of the repository. What the library or its parsers throw becomes a `DamagedHistory`; an error of the disk stays what it is. */
export async function readingHistory<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DamagedHistory || refusedByDisk(error)) throw error;
    const why = reasonOf(error);
    throw new DamagedHistory(t('{0} cannot be read ({1})', what, why.split('\n', 1)[0] ?? ''), { cause: error });
  }
}

/** Whether an error says that nothing is there, or not what should be: an answer, where one asks whether something is. */
export function isAbsent(error: unknown): boolean {
  return isMissing(error) || codeOf(error) === 'EISDIR';
}

/** The error of a write for people: what was not kept, why, and what to do. */
export function historyError(error: unknown, home: string): Error {
  const code = codeOf(error);
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM')
    return new Error(
      t(
        'The history of the memory was not written: {0} cannot be written ({1}). Check who owns it, or choose another folder with nanobot.home.',
        home,
        code,
      ),
      { cause: error },
    );
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Error(
      t('The history of the memory was not written: the disk is full ({0}). Free some space and try again.', code),
      { cause: error },
    );
  return error instanceof Error ? error : new Error(String(error));
}

function refusedByDisk(error: unknown): boolean {
  return typeof (error as { syscall?: unknown }).syscall === 'string' && !isAbsent(error);
}
