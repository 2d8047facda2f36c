import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Cron } from '../agent/cronSetup.js';
import type { Settings } from '../config/schema.js';
import { outcomeText, type Outcome } from '../cron/outcomeWords.js';
import { plain } from '../platform/plainText.js';
import type { Clock, Disposable, Log } from '../platform/ports.js';
import type { SessionRow } from '../protocol/wire.js';
import type { Dream } from '../memory/dream.js';
import type { ChatController } from './chat/chatController.js';
import type { CronCommandId } from './commandIds.js';
import { createCronCommands } from './cronCommands.js';
import { CronTree } from './cronTree.js';
import type { EarlyCron } from './lazyCron.js';

/** What the surfaces of schedules need of the app. */
export interface CronApp {
  clock: Clock;
  log: Log;
  cron: Pick<Cron, 'service' | 'heartbeat' | 'onOutcome'>;
  dream: Pick<Dream, 'state' | 'onChange'>;
  settings(): Settings;
  listSessions(query: string): Promise<SessionRow[]>;
}

export interface CronSurfaces extends Disposable {
  tree: CronTree;
  commands: Record<CronCommandId, (args: unknown[]) => Promise<void>>;
}

/** Fills the Schedules view, tells what runs came to, and lets schedules and heartbeat run by themselves. */
export function createCronSurfaces(
  early: EarlyCron,
  { app, showChat }: { app: CronApp; showChat(): Promise<ChatController> },
): CronSurfaces {
  early.loaded();
  const tree = new CronTree(app, early.view);
  const commands = createCronCommands({ app, tree, view: early.view, showChat });
  const outcomes = app.cron.onOutcome((outcome) => {
    void tell(outcome);
  });
  app.cron.service.start();
  app.cron.heartbeat.start();
  return {
    tree,
    commands,
    dispose: () => {
      outcomes.dispose();
      tree.dispose();
    },
  };
}

async function tell(outcome: Outcome): Promise<void> {
  const told = outcomeText(outcome);
  if (!told) return;
  const words = t('Nanobot: {0}', told.text);
  const open = t('Open');
  const chosen =
    told.level === 'info'
      ? await vscode.window.showInformationMessage(plain(words), open)
      : await vscode.window.showWarningMessage(plain(words), open);
  if (chosen === open) {
    const node = { kind: 'run', owner: outcome.id, run: outcome.record };
    await vscode.commands.executeCommand('nanobot.cron.openRun', node);
  }
}
