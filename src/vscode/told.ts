import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import type { Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';

export type Run = (args: unknown[]) => Promise<void>;

/** Commands whose failures are told and go no further. */
export function told<Id extends string>(
  commands: Record<Id, Run>,
  tell: (cause: unknown) => Promise<void>,
): Record<Id, Run> {
  const each = Object.entries<Run>(commands).map(([id, run]) => [id, (args: unknown[]) => run(args).catch(tell)]);
  return Object.fromEntries(each) as Record<Id, Run>;
}

/** Says why a command of something ("skills") failed, with the log at hand. */
export async function tellReason(log: Log, what: string, cause: unknown): Promise<void> {
  log.error(`A command of ${what} failed.`, cause);
  const chosen = await vscode.window.showErrorMessage(plain(t('Nanobot: {0}', reasonOf(cause))), t('Open log'));
  if (chosen) await vscode.commands.executeCommand('nanobot.openLog');
}
