import { t } from '@vscode/l10n';

/** What a person is told of lines of the history that could not be used; `first` is the number of the first, where it is known. */
export function brokenWords(path: string, count: number, first: number | undefined): string {
  if (count === 1)
    return first === undefined
      ? t(
          'One line of {0} could not be used (cut off, or a cursor that is missing, no whole number, or used before). The rest is complete; mend or delete them by hand.',
          path,
        )
      : t(
          'One line of {0} could not be used (cut off, or a cursor that is missing, no whole number, or used before, line {1}). The rest is complete; mend or delete them by hand.',
          path,
          first,
        );
  return first === undefined
    ? t(
        '{0} lines of {1} could not be used (cut off, or a cursor that is missing, no whole number, or used before). The rest is complete; mend or delete them by hand.',
        count,
        path,
      )
    : t(
        '{0} lines of {1} could not be used (cut off, or a cursor that is missing, no whole number, or used before, the first is line {2}). The rest is complete; mend or delete them by hand.',
        count,
        path,
        first,
      );
}
