import { config, t } from '@vscode/l10n';

declare global {
  /** What the page says in the person's language, by what it says in English: set by a script before this one where there is a translation. */
  var nanobotTexts: Record<string, string> | undefined;
}

if (globalThis.nanobotTexts) config({ contents: globalThis.nanobotTexts });

export { t };
