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
    throw new DamagedHistory(`${what} cannot be read (${why.split('\n', 1)[0] ?? ''})`, { cause: error });
  }
}

/** Whether an error says that nothing is there, or not what should be: an answer, where one asks whether something is. */
export function isAbsent(error: unknown): boolean {
  return isMissing(error) || codeOf(error) === 'EISDIR';
}

/** The error of a write for people: what was not kept, why, and what to do. */
export function historyError(error: unknown, home: string): Error {
  const code = codeOf(error);
  const why =
    code === 'EROFS' || code === 'EACCES' || code === 'EPERM'
      ? `${home} cannot be written (${code}). Check who owns it, or choose another folder with nanobot.home.`
      : code === 'ENOSPC' || code === 'EDQUOT'
        ? `the disk is full (${code}). Free some space and try again.`
        : undefined;
  if (why === undefined) return error instanceof Error ? error : new Error(String(error));
  return new Error(`The history of the memory was not written: ${why}`, { cause: error });
}

function refusedByDisk(error: unknown): boolean {
  return typeof (error as { syscall?: unknown }).syscall === 'string' && !isAbsent(error);
}
