import { t } from '@vscode/l10n';

/** Counts for people. */
export const counts = {
  lines: (count: number): string => (count === 1 ? t('1 line') : t('{0} lines', count)),
  files: (count: number): string => (count === 1 ? t('1 file') : t('{0} files', count)),
  places: (count: number): string => (count === 1 ? t('1 place') : t('{0} places', count)),
  entries: (count: number): string => (count === 1 ? t('1 entry') : t('{0} entries', count)),
  edits: (count: number): string => (count === 1 ? t('1 edit') : t('{0} edits', count)),
  matches: (count: number): string => (count === 1 ? t('1 match') : t('{0} matches', count)),
  hits: (count: number): string => (count === 1 ? t('1 hit') : t('{0} hits', count)),
  inFiles: (what: string, files: number): string =>
    t({ message: '{0} in {1}', args: [what, counts.files(files)], comment: 'a count in a number of files' }),
  symbols: (count: number): string => (count === 1 ? t('1 symbol') : t('{0} symbols', count)),
};
