import { t } from '@vscode/l10n';
import type { NextStep } from './message.js';

/** What the button of a step that leads on is called, in the page and in VS Code's own dialogs, in the person's language. */
export function nextLabel(step: NextStep): string {
  const labels: Record<NextStep, string> = {
    retry: t('Retry'),
    continue: t('Continue'),
    setKey: t('Set key'),
    switchModel: t('Switch model'),
    openLog: t('Open log'),
    openSettings: t('Open settings'),
    resume: t('Resume'),
    newChat: t('New chat'),
    openFolder: t('Open folder'),
    continueHere: t('Continue here'),
    undoRestore: t('Undo restore'),
  };
  return labels[step];
}
