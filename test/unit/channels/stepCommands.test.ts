import { expect, it } from 'vitest';
import { stepCommand } from '../../../src/channels/stepCommands.js';

it('names the command of a step, the settings at the place that is asked for, and none for what only the caller can do', () => {
  expect(stepCommand('setKey', 'nanobot.dream')).toEqual(['nanobot.setApiKey']);
  expect(stepCommand('openSettings')).toEqual(['workbench.action.openSettings']);
  expect(stepCommand('openSettings', 'nanobot.dream')).toEqual(['workbench.action.openSettings', 'nanobot.dream']);
  expect(stepCommand('retry')).toBeUndefined();
  expect(stepCommand('continue')).toBeUndefined();
});
