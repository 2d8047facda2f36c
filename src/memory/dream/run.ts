import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { localDate, localWeekday } from '../../platform/localTime.js';
import { reasonOf } from '../../platform/reason.js';
import EDIT from '../../templates/dreamEdit.md';
import READ from '../../templates/dreamRead.md';
import type { DreamOutcome } from '../dream.js';
import type { HistoryEntry } from '../historyEntry.js';
import type { Rejection } from '../undone.js';
import { batchText, FETCHED } from './batch.js';
import { lineOf, MEMORY_FILES, parseFindings, type Finding } from './findings.js';
import { finish, giveUp, MAX_STRIKES, strike } from './finish.js';
import { readHomeFile, type HomeFile } from './homeFiles.js';
import { runPhase, type PhaseResult, type PhaseSpec } from './phase.js';
import { CONDENSE_FROM, editingWords, readingWords } from './prompts.js';
import { allRejected, sift } from './trust.js';
import { entriesOf, prepareWork, type RunContext, type Work } from './work.js';
import { Workbench } from './workbench.js';

const READ_STEPS = 2;
const EDIT_STEPS = 10;

/**
 * Reads one batch and keeps what is worth keeping, in a home where no former run was cut off. Everything is changed in one step at the end or not at all. Throws `Blocked` where
 * something is in the way that is not the batch's fault, the signal's reason when aborted, and the disk's errors.
 */
export async function dreamOnce(run: RunContext): Promise<DreamOutcome> {
  const { git, history } = run;
  await run.prepareHome();
  await git.ensure();
  const unsaved = await settleEditors(run);
  if (unsaved !== undefined) return { kind: 'busy', reason: unsaved };
  const files = await memoryFiles(run);
  await git.commitByHand();
  const cursor = await history.dreamCursor();
  const entries = await history.after(cursor, FETCHED);
  const rejections = await git.rejections();
  if (entries.length === 0) return { kind: 'nothing', entries: 0 };
  if (!run.asked && (await onlyRejected(run, entries, rejections))) return { kind: 'nothing', entries: entries.length };
  const work = await prepareWork(run, { cursor, entries, rejections, files });
  const strikes = await run.record.strikes();
  // A process that was killed after the third failure has not set the batch aside yet.
  if (strikes && strikes.from === work.batch.from && strikes.count >= MAX_STRIKES)
    return giveUp(run, work, strikes.reason);
  return digest(run, work, files);
}

async function digest(run: RunContext, work: Work, files: readonly HomeFile[]): Promise<DreamOutcome> {
  run.onPhase('reading');
  const findings = await read(run, work, files);
  if (!Array.isArray(findings)) return findings;
  if (findings.length === 0) return finish(run, work, undefined);
  run.onPhase('editing');
  return edit(run, work, findings);
}

/** Asked for, unsaved changes are saved, so that they are committed as the person's; by itself Dream waits. */
async function settleEditors({ editors, home, asked, notice }: RunContext): Promise<string | undefined> {
  const paths = MEMORY_FILES.map((file) => join(home, file));
  const unsaved = await editors.unsaved(paths);
  if (unsaved.length === 0) return undefined;
  const names = unsaved.map((path) => path.slice(home.length + 1)).join(', ');
  if (!asked) return t('{0} has unsaved changes. Dream runs once they are saved.', names);
  try {
    await editors.save(unsaved);
  } catch (cause) {
    return t(
      '{0} has unsaved changes that could not be saved ({1}). Save or discard them, then run Dream again.',
      names,
      reasonOf(cause),
    );
  }
  notice(t('{0} had unsaved changes. They were saved and committed as yours before Dream began.', names));
  return undefined;
}

function memoryFiles(run: RunContext): Promise<HomeFile[]> {
  return Promise.all(MEMORY_FILES.map((file) => readHomeFile(run, file)));
}

/** Entries whose Dream the person undid wait for newer ones, or for the person. */
async function onlyRejected(
  run: RunContext,
  entries: readonly HistoryEntry[],
  rejections: readonly Rejection[],
): Promise<boolean> {
  return allRejected(entries, rejections) && (await run.history.undigested()) <= entries.length;
}

/** The first phase: what is worth keeping, or how the run ended. */
async function read(run: RunContext, work: Work, files: readonly HomeFile[]): Promise<Finding[] | DreamOutcome> {
  const { batch, headings, skills, rejections } = work;
  const words = readingWords({
    today: today(run),
    files,
    skills,
    rejections,
    entries: batchText(batch, headings, work.maxTokens),
  });
  const result = await phase(
    run,
    work,
    { system: READ.trim(), words, tools: [], maxIterations: READ_STEPS },
    run.signal,
  );
  if (result.status !== 'done') return notDone(run, work, result);
  const parsed = parseFindings(result.text);
  if (parsed.kind === 'unusable') {
    const unusable = t("The model's answer about {0} could not be used: {1}.", entriesOf(batch), parsed.reason);
    return strike(run, work, unusable);
  }
  const { kept, quoted, rejected } = sift(parsed.kind === 'findings' ? parsed.findings : [], batch.entries, rejections);
  for (const finding of quoted) run.log.warn(`Dream left out what only quoted text says: ${lineOf(finding)}`);
  for (const finding of rejected) run.log.info(`Dream left out what you rejected before: ${lineOf(finding)}`);
  return kept;
}

/** The second phase, on copies of the files. */
async function edit(run: RunContext, work: Work, findings: readonly Finding[]): Promise<DreamOutcome> {
  const ended = new AbortController();
  const memory = await readHomeFile(run, 'memory/MEMORY.md');
  const plan = { findings, condense: memory.text.length > CONDENSE_FROM };
  const bench = await Workbench.open(run, plan, () => {
    ended.abort();
  });
  const words = editingWords({
    today: today(run),
    files: MEMORY_FILES.map((path) => ({ path, text: bench.text(path) })),
    skills: work.skills,
    findings,
    projects: [...work.headings.values()],
  });
  const spec = { system: EDIT.trim(), words, tools: run.tools(bench), maxIterations: EDIT_STEPS };
  const result = await phase(run, work, spec, AbortSignal.any([run.signal, ended.signal]));
  if (bench.blocked) throw bench.blocked;
  if (result.status !== 'done') return notDone(run, work, result);
  if ((await bench.changes()).length === 0 && !/^\W*\[SKIP\]/im.test(result.text)) {
    const entries = entriesOf(work.batch);
    const idle =
      findings.length === 1
        ? t('The model found 1 finding in {0} and wrote nothing.', entries)
        : t('The model found {0} findings in {1} and wrote nothing.', findings.length, entries);
    return strike(run, work, idle);
  }
  return finish(run, work, bench);
}

async function phase(run: RunContext, work: Work, spec: PhaseSpec, signal: AbortSignal): Promise<PhaseResult> {
  const { model, clock, newId, record } = run;
  const before = work.budget.used;
  try {
    return await runPhase({ model, clock, newId, signal, budget: work.budget }, spec);
  } finally {
    await record.addTokens(work.budget.used - before);
  }
}

async function notDone(
  run: RunContext,
  work: Work,
  result: Exclude<PhaseResult, { status: 'done' }>,
): Promise<DreamOutcome> {
  if (result.status === 'aborted') return { kind: 'cancelled' };
  if (result.ofTheBatch)
    return strike(run, work, t('Dream failed on {0}: {1}', entriesOf(work.batch), result.error.message));
  return { kind: 'failed', reason: result.error.message, next: result.error.next };
}

function today({ clock }: RunContext): string {
  const now = clock.now();
  return `${localDate(clock, now)}, ${localWeekday(clock, now)}`;
}
