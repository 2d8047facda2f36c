import type { NextStep } from './message.js';

/** What the button of a step that leads on is called, in the page and in VS Code's own dialogs. */
export const NEXT_LABELS: Record<NextStep, string> = {
  retry: 'Retry',
  continue: 'Continue',
  setKey: 'Set key',
  switchModel: 'Switch model',
  openLog: 'Open log',
  openSettings: 'Open settings',
  resume: 'Resume',
  newChat: 'New chat',
  openFolder: 'Open folder',
  continueHere: 'Continue here',
  undoRestore: 'Undo restore',
};
