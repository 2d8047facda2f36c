import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Completion } from '../agent/complete.js';
import type { App } from '../app.js';
import { plain } from '../platform/plainText.js';
import type { ErrorInfo } from '../protocol/message.js';
import { nextLabel } from '../protocol/nextSteps.js';
import { whyNot } from '../skills/skill.js';
import { stagedFiles, workingFiles } from './changedFiles.js';
import { cleanMessage, commitPrompt, commitSystem, type CommitFacts } from './commitPrompt.js';
import { takeStep } from './dreamCommands.js';
import { chooseRepository, type GitRepository } from './gitApi.js';

/** Commits whose first lines show the style. */
const EARLIER = 10;
/** Tokens of an answer: a message is short, but some models think aloud before it. */
const MAX_TOKENS = 4_000;

type CommitApp = Pick<App, 'complete' | 'skills' | 'log'>;

/** Repositories a message is being written for, by their root: a second click does not begin another. */
type Busy = Set<string>;

/** The command: writes a message for what is staged, or for all changes, into the commit's box. */
export function commitMessageCommand(app: CommitApp): (args: unknown[]) => Promise<void> {
  const busy: Busy = new Set();
  return async ([clicked]) => {
    const repository = await chooseRepository(clicked);
    if (repository) await writeMessage(app, repository, busy);
  };
}

async function writeMessage(app: CommitApp, repository: GitRepository, busy: Busy): Promise<void> {
  const root = repository.rootUri.toString();
  if (busy.has(root)) {
    void vscode.window.showInformationMessage(plain(t('Nanobot is writing a message for this repository already.')));
    return;
  }
  busy.add(root);
  // What is said afterwards may stay on the screen for long; another message can be written meanwhile.
  const outcome = await ask(app, repository).finally(() => busy.delete(root));
  if (outcome === 'cancelled') return;
  if (outcome === 'unchanged') {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there are no changes to write a message for.')));
    return;
  }
  const message = 'error' in outcome ? '' : cleanMessage(outcome.text);
  if (!('error' in outcome) && message !== '') return putMessage(repository, message, outcome.byline);
  const error = 'error' in outcome ? outcome.error : blank();
  if (await retryAfter(error)) await writeMessage(app, repository, busy);
}

function blank(): ErrorInfo {
  return { code: 'blank', message: t('The model answered without a message.'), next: ['retry'] };
}

function ask(
  app: CommitApp,
  repository: GitRepository,
): Promise<Completion | { error: ErrorInfo } | 'cancelled' | 'unchanged'> {
  return withCancel(t('Nanobot: Commit message'), async (signal, report) => {
    report(t('Reading the changes…'));
    const facts = await readFacts(repository, repository.inputBox.value);
    if (facts.files.length === 0) return 'unchanged';
    const system = commitSystem(await advice(app));
    if (signal.aborted) return 'cancelled';
    report(t('Writing…'));
    return app.complete({
      system,
      prompt: (room) => commitPrompt(facts, room),
      maxTokens: MAX_TOKENS,
      signal,
      onWait: (reason) => {
        report(t('Trying again: {0}', reason));
      },
    });
  });
}

/** Runs with a notification that can be cancelled, and a bar in the view of source control. Rejects as the work does; after Cancel with 'cancelled'. */
async function withCancel<T>(
  title: string,
  work: (signal: AbortSignal, report: (message: string) => void) => Promise<T>,
): Promise<T | 'cancelled'> {
  const controller = new AbortController();
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    token.onCancellationRequested(() => {
      controller.abort();
    });
    const done = work(controller.signal, (message) => {
      progress.report({ message: plain(message) });
    });
    void vscode.window.withProgress({ location: vscode.ProgressLocation.SourceControl }, () =>
      done.then(
        () => undefined,
        // Its failure is told by the caller, who waits for the same work.
        () => undefined,
      ),
    );
    const outcome = await done;
    return controller.signal.aborted ? 'cancelled' : outcome;
  });
}

async function readFacts(repository: GitRepository, hint: string): Promise<CommitFacts> {
  await repository.status();
  const { state } = repository;
  const staged = await stagedFiles(repository);
  const isStaged = staged.length > 0;
  const files = isStaged ? staged : await workingFiles(repository);
  // A repository without a commit has no log, and says so with an error.
  const commits = state.HEAD?.commit === undefined ? [] : await repository.log({ maxEntries: EARLIER });
  return {
    files,
    staged: isStaged,
    branch: state.HEAD?.name,
    subjects: commits.map(({ message }) => message.split('\n', 1)[0] ?? '').filter(Boolean),
    hint,
  };
}

/** The text of the skill for commits, if it may be used: the built-in one, or the person's own in its place. */
async function advice({ skills, log }: CommitApp): Promise<string> {
  try {
    const skill = await skills.find('commit');
    return skill && whyNot(skill) === undefined ? await skills.body(skill) : '';
  } catch (cause) {
    log.warn(`The skill commit could not be read: ${String(cause)}`);
    return '';
  }
}

/** Puts the message into the box. What a person typed there, before or meanwhile, can be had back. */
async function putMessage(repository: GitRepository, message: string, byline: string | undefined): Promise<void> {
  const { inputBox } = repository;
  const typed = inputBox.value;
  inputBox.value = message;
  if (typed.trim() === '') {
    if (byline !== undefined) void vscode.window.showInformationMessage(plain(writtenWords(byline)));
    return;
  }
  if ((await vscode.window.showInformationMessage(plain(hintedWords(byline)), t('Undo'))) === undefined) return;
  const isUntouched = inputBox.value.trim() === message;
  // What was typed since stays as well.
  inputBox.value = isUntouched ? typed : `${typed}\n\n${inputBox.value}`;
}

function writtenWords(byline: string): string {
  return t(
    'Nanobot: the commit message is written. The {0} model made it from the names of the files: it cannot read a diff.',
    byline,
  );
}

function hintedWords(byline: string | undefined): string {
  if (byline === undefined) return t('Nanobot: the commit message is written, with what you had typed as a hint.');
  return t(
    'Nanobot: the commit message is written, with what you had typed as a hint. The {0} model made it from the names of the files: it cannot read a diff.',
    byline,
  );
}

/** Says what went wrong, and takes the step a person chooses. True where it is to be tried again, which is the caller's. */
async function retryAfter({ message, next }: ErrorInfo): Promise<boolean> {
  const steps = next.filter((step) => step !== 'newChat' && step !== 'resume');
  const labels = steps.map((step) => nextLabel(step));
  const words = t('Nanobot could not write the commit message: {0}', message);
  const chosen = await vscode.window.showErrorMessage(plain(words), ...labels);
  const step = steps.find((candidate) => nextLabel(candidate) === chosen);
  if (step && step !== 'retry') await takeStep(step);
  return step === 'retry';
}
