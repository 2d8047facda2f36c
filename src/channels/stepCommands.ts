import type { NextStep } from '../protocol/message.js';

type StepCommand = [command: string, ...args: string[]];

/** The command of the editor that takes a step; undefined where the caller has to. `settings` is what the settings are to be opened at. */
export function stepCommand(step: NextStep, settings?: string): StepCommand | undefined {
  if (step === 'retry' || step === 'continue') return undefined;
  const command = COMMANDS[step];
  return step === 'openSettings' && settings !== undefined ? [command, settings] : [command];
}

const COMMANDS: Record<Exclude<NextStep, 'retry' | 'continue'>, string> = {
  setKey: 'nanobot.setApiKey',
  switchModel: 'nanobot.selectModel',
  openLog: 'nanobot.openLog',
  openSettings: 'workbench.action.openSettings',
  newChat: 'nanobot.newChat',
  openFolder: 'workbench.action.files.openFolder',
  resume: 'nanobot.openChat',
  continueHere: 'nanobot.openChat',
  undoRestore: 'nanobot.openChat',
};
