import { t } from '@vscode/l10n';
import type { ToolResult } from '../../runner/tool.js';
import { commandLine, durationText, endingText } from './commandText.js';
import type { KillReason, RunningCommand } from './runningCommand.js';

const KILLED: Readonly<Record<KillReason, string>> = {
  stop: 'Stopped by the person',
  timeout: 'Killed at its time limit, because nobody watches this turn; give it a longer timeout, or background: true',
  silence: 'Killed after 30 minutes without a poll',
  request: 'Killed as asked',
  dispose: 'Killed because its session ended',
};

const LATE_IN_TERMINAL =
  "Ended at its time limit: in the person's terminal nothing goes on in the background. Give it a longer timeout, or background: true, which runs it outside";

/**
 * Where a command stands and what it wrote since the model was last told, as a tool's result. `notes` are sentences for the model that stand
 * below. A status other than 0, a signal or an end that nobody saw is a failure, unless the model itself asked for the end.
 */
export async function commandReport(command: RunningCommand, notes: string[] = []): Promise<ToolResult> {
  const output = await command.takeOutput();
  const state = await stateText(command);
  return {
    text: [`${state}.`, output === '' ? nothing(command) : output, ...notes].join('\n\n'),
    summary: `${commandLine(command.command)}: ${shortState(command)}`,
    ...(hasFailed(command) ? { failed: true } : {}),
  };
}

async function stateText(command: RunningCommand): Promise<string> {
  const { ending, handle, killedFor } = command;
  const duration = durationText(command.ms);
  if (!ending)
    return `Still running after ${duration}${handle === undefined ? '' : `, in the background as ${handle}`}`;
  const end = `${endingText(ending)} (${duration})`;
  if (killedFor)
    return `${killedFor === 'timeout' && command.inTerminal ? LATE_IN_TERMINAL : KILLED[killedFor]}. ${end}`;
  return handle !== undefined && (await command.isLive()) ? `${end}. What it started still runs, as ${handle}` : end;
}

function nothing(command: RunningCommand): string {
  if (command.hasWritten && command.handle !== undefined) return '(nothing new)';
  return command.ending ? '(no output)' : '(no output yet)';
}

function shortState({ ending, killedFor, handle }: RunningCommand): string {
  if (killedFor === 'stop') return t({ message: 'stopped', comment: 'a command' });
  if (!ending)
    return handle === undefined
      ? t({ message: 'running', comment: 'a command' })
      : t('in the background as {0}', handle);
  if (ending.kind === 'unknown') return t('its end is not known');
  return ending.kind === 'signal' ? t('ended by {0}', ending.signal) : t('exit status {0}', ending.code);
}

function hasFailed(command: RunningCommand): boolean {
  if (!command.ending) return false;
  if (command.killedFor) return command.killedFor !== 'request';
  return command.ending.kind !== 'status' || command.ending.code !== 0;
}
