import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { stepCommand } from '../channels/stepCommands.js';
import type { DreamOutcome } from '../memory/dream.js';
import { plain } from '../platform/plainText.js';
import type { NextStep } from '../protocol/message.js';
import { nextLabel } from '../protocol/nextSteps.js';
import { commitView, listed, undoneIn } from './commitWords.js';
import { capitalised, momentWords } from './dates.js';
import { outcomeWords, phaseWords } from './dreamWords.js';
import type { MemoryDeps } from './memoryCommands.js';
import { restoreCommit, showChanges } from './restore.js';

type DreamDeps = Pick<MemoryDeps, 'app' | 'tree' | 'documents' | 'merges' | 'turns'>;

/** Commits offered to choose from. */
const OFFERED = 100;

/** Runs Dream because a person wants it, shows how far it is, and says what came of it. */
export async function runDream(deps: DreamDeps): Promise<void> {
  const options = { location: vscode.ProgressLocation.Notification, title: 'Dream', cancellable: true };
  const outcome = await vscode.window.withProgress(options, (progress, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => {
      progress.report({ message: t('Stopping…') });
      controller.abort();
    });
    progress.report({ message: phaseWords('idle', deps.turns.any()) });
    return deps.app.dream.run({
      asked: true,
      signal: controller.signal,
      onPhase: (phase) => {
        if (phase !== 'idle') progress.report({ message: phaseWords(phase) });
      },
    });
  });
  await tellOutcome(deps, outcome);
}

async function tellOutcome(deps: DreamDeps, outcome: DreamOutcome): Promise<void> {
  const words = outcomeWords(outcome);
  if (outcome.kind === 'learned') {
    const [show, undo] = [t('Show changes'), t('Undo')];
    const chosen = await vscode.window.showInformationMessage(plain(words), show, undo);
    if (chosen === show) await showChanges(deps, outcome.commit.sha);
    if (chosen === undo) await restoreCommit(deps, outcome.commit.sha, { ask: false });
  } else if (outcome.kind === 'failed') {
    const labels = outcome.next.map((step) => nextLabel(step));
    const chosen = await vscode.window.showErrorMessage(plain(words), ...labels);
    const step = outcome.next.find((candidate) => nextLabel(candidate) === chosen);
    if (step === 'retry') await runDream(deps);
    else if (step) await takeStep(step);
  } else {
    void vscode.window.showInformationMessage(plain(words));
  }
}

/** Takes a step that a failure offered. Trying again is the caller's. */
export async function takeStep(step: NextStep): Promise<void> {
  const command = stepCommand(step, 'nanobot.dream');
  if (command) await vscode.commands.executeCommand(...command);
}

/** Shows what a commit changed: the one that is named (its sha may be shortened), or one that a person chooses. */
export async function dreamLog(deps: DreamDeps, given: unknown): Promise<void> {
  const placeHolder = t('What was learned, newest first. Choose one to see what changed.');
  const sha = shaIn(given) ?? (await chooseCommit(deps, placeHolder));
  if (sha !== undefined) await showChanges(deps, sha);
}

/** Takes back what a commit changed, after a question: the one that is named, or one that a person chooses. */
export async function dreamRestore(deps: DreamDeps, given: unknown): Promise<void> {
  const placeHolder = t('Choose what to take back. What was changed later stays.');
  const sha = shaIn(given) ?? (await chooseCommit(deps, placeHolder, { restorable: true }));
  if (sha !== undefined) await restoreCommit(deps, sha, { ask: true });
}

function shaIn(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

async function chooseCommit(
  { app }: DreamDeps,
  placeHolder: string,
  { restorable = false }: { restorable?: boolean } = {},
): Promise<string | undefined> {
  const commits = await app.git.log(OFFERED);
  const undone = undoneIn(commits);
  const items = commits
    .map((commit) => ({ commit, view: commitView(commit, undone.has(commit.sha)) }))
    .filter(({ view }) => !restorable || view.canRestore)
    .map(({ commit, view }) => ({
      label: `$(${view.icon}) ${capitalised(momentWords(commit.time, { now: app.clock.now(), zone: app.clock.zone() }))}`,
      description: view.description,
      detail: listed(commit.files),
      sha: commit.sha,
    }));
  if (items.length === 0) {
    const words = restorable
      ? t('There is nothing to take back yet.')
      : t('There are no Dreams yet: nothing was learned so far.');
    void vscode.window.showInformationMessage(plain(words));
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.sha;
}
