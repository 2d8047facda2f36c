import { basename, dirname } from 'node:path';

/** In the names of kept attachments and long results that somebody else than the person wrote. */
export const OUTSIDE_MARK = '.outside.';

/** The folders of the home in which such files are kept. */
const FOLDERS = ['attachments', 'results'];

/** Whether a file is a kept attachment or result that somebody else than the person wrote, such as a page: its text is data. Says so by the name alone. */
export function isOutsideName(path: string): boolean {
  return mayBeOutside(path) && FOLDERS.includes(basename(dirname(path)).toLowerCase());
}

/** Whether a file has such a name, wherever it seems to lie: a link may lead to one. Some disks know a file by its name in any case. */
export function mayBeOutside(path: string): boolean {
  return basename(path).toLowerCase().includes(OUTSIDE_MARK);
}
