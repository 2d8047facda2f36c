import { basename, dirname } from 'node:path';

/** In the names of kept attachments that somebody else than the person wrote. */
export const OUTSIDE_MARK = '.outside.';

/** Whether a file is a kept attachment that somebody else than the person wrote, such as a page: its text is data. Says so by the name alone. */
export function isOutsideName(path: string): boolean {
  return mayBeOutside(path) && basename(dirname(path)) === 'attachments';
}

/** Whether a file has such a name, wherever it seems to lie: a link may lead to one. */
export function mayBeOutside(path: string): boolean {
  return basename(path).includes(OUTSIDE_MARK);
}
