import { t } from '@vscode/l10n';
import type { DreamDeps, DreamPhase } from '../dream.js';
import type { HistoryEntry } from '../historyEntry.js';
import { estimateText } from '../tokens.js';
import type { Rejection } from '../undone.js';
import { chooseBatch, MAX_BATCH_TOKENS, type Batch } from './batch.js';
import { Blocked } from './blocked.js';
import type { HomeFile } from './homeFiles.js';
import type { RunJournal } from './journal.js';
import { Budget, RUN_TOKENS } from './phase.js';
import type { DreamModel } from './ports.js';
import type { SkillLine } from './prompts.js';
import type { DreamRecord } from './record.js';
import { skillsOf } from './skillList.js';

/** Tokens below which a run is not worth beginning. */
const LEAST_TOKENS = 4_000;
/** Tokens of a prompt beside the batch and the files, at most about. */
const INSTRUCTIONS = 4_000;
/** Tokens of one file as a prompt shows it, at most about. */
const SHOWN_FILE = 12_000;

/** One run, which holds the lease. */
export interface RunContext extends Omit<DreamDeps, 'model'> {
  record: DreamRecord;
  journal: RunJournal;
  model: DreamModel;
  asked: boolean;
  signal: AbortSignal;
  onPhase(phase: DreamPhase): void;
}

/** What one run works on. */
export interface Work {
  batch: Batch;
  /** The Dream cursor before. */
  cursor: number;
  budget: Budget;
  /** Tokens the batch may have in the prompt. */
  maxTokens: number;
  rejections: Rejection[];
  skills: SkillLine[];
  /** Names under which the batch's projects stand in MEMORY.md. */
  headings: ReadonlyMap<string, string>;
}

/** What a run begins with. */
export interface Found {
  cursor: number;
  /** Unread entries, oldest first; at least one. */
  entries: readonly HistoryEntry[];
  rejections: Rejection[];
  files: readonly HomeFile[];
}

/** Chooses the batch and what it may cost. Throws `Blocked` where the tokens of the day are used up. */
export async function prepareWork(run: RunContext, about: Found): Promise<Work> {
  const { record, model } = run;
  const budget = await budgetOf(run);
  const remembered = about.files.reduce((sum, file) => sum + Math.min(estimateText(file.text), SHOWN_FILE), 0);
  const room = model.contextWindow - model.maxTokens - remembered - INSTRUCTIONS;
  const maxTokens = Math.max(1_000, Math.min(MAX_BATCH_TOKENS, room, Math.floor(budget.left / 2)));
  const strikes = await record.strikes();
  const first = about.entries[0]?.cursor;
  const batch = chooseBatch(about.entries, { maxTokens, upTo: strikes?.from === first ? strikes?.to : undefined });
  if (!batch) throw new Blocked((t) => t('There is nothing to read.'));
  const projects = new Set(batch.entries.flatMap(({ project }) => project ?? []));
  return {
    batch,
    cursor: about.cursor,
    budget,
    maxTokens,
    rejections: about.rejections,
    skills: await skillsOf(run.files, run.home),
    headings: await record.headings([...projects]),
  };
}

async function budgetOf({ record, settings }: RunContext): Promise<Budget> {
  const { maxTokensPerDay } = settings();
  if (maxTokensPerDay === 0) return new Budget(RUN_TOKENS);
  const left = maxTokensPerDay - (await record.tokensToday());
  if (left >= LEAST_TOKENS) return new Budget(Math.min(RUN_TOKENS, left));
  throw new Blocked(
    (t) =>
      t(
        'Dream has used the {0} tokens it has for a day (nanobot.dream.maxTokensPerDay). It goes on tomorrow.',
        maxTokensPerDay,
      ),
    ['openSettings'],
  );
}

/** The batch in words. */
export function entriesOf({ from, to }: Batch): string {
  return from === to ? t('entry {0}', from) : t('entries {0} to {1}', from, to);
}
