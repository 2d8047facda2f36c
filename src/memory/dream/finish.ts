import { t } from '@vscode/l10n';
import { join } from 'node:path';
import { localMinute } from '../../platform/localTime.js';
import { reasonOf } from '../../platform/reason.js';
import type { DreamOutcome } from '../dream.js';
import type { MemoryCommit } from '../memoryCommit.js';
import { Blocked } from './blocked.js';
import { MEMORY_FILES } from './findings.js';
import { setAside } from './quarantine.js';
import { entriesOf, type RunContext, type Work } from './work.js';
import type { StagedChange, Workbench } from './workbench.js';

/** Dream's lease: one run a home at a time. */
export const DREAM_LEASE = 'dream';
/** Failures of one batch after which it is set aside. */
export const MAX_STRIKES = 3;

/** Makes the changes, moves the cursor and commits: when no turn runs, and nothing is in the way. */
export async function finish(run: RunContext, work: Work, bench: Workbench | undefined): Promise<DreamOutcome> {
  const { git, turns, signal } = run;
  await turns.quiet(signal);
  await requireOurs(run, work);
  if (bench) await requireSaved(run);
  await git.commitByHand();
  const changes = bench ? await bench.changes() : [];
  signal.throwIfAborted();
  const commit = await complete(run, work, changes);
  await forgetStrikes(run);
  const entries = work.batch.entries.length;
  return commit && commit.changes > 0 ? { kind: 'learned', commit, entries } : { kind: 'skipped', entries };
}

/** While the model worked the machine may have slept, and a person may have undone a Dream. */
async function requireOurs({ leases, history }: RunContext, { cursor }: Work): Promise<void> {
  if (!(await leases.confirm(DREAM_LEASE))) {
    throw new Blocked((t) =>
      t('Another window took over while this one was asleep. What it found here was not written.'),
    );
  }
  if ((await history.dreamCursor()) !== cursor) {
    throw new Blocked((t) =>
      t('A Dream was undone while this one worked, so what it found was not written. Run it again.'),
    );
  }
}

/** The person began to edit while Dream worked: their text may not be overtaken by one on the disk. */
async function requireSaved({ editors, home }: RunContext): Promise<void> {
  const [unsaved] = await editors.unsaved(MEMORY_FILES.map((file) => join(home, file)));
  if (unsaved === undefined) return;
  const name = unsaved.slice(home.length + 1);
  throw new Blocked((t) =>
    t(
      '{0} was edited while Dream worked and has unsaved changes. Save it; Dream then reads the same entries again.',
      name,
    ),
  );
}

function complete(run: RunContext, work: Work, changes: readonly StagedChange[]): Promise<MemoryCommit | undefined> {
  const { batch, cursor } = work;
  return run.journal.complete({
    changes,
    cursorBefore: cursor,
    cursorTo: batch.to,
    facts: { ...run.model.mark, at: localMinute(run.clock), cursors: batch.entries.map((entry) => entry.cursor) },
  });
}

/** Counts a failure that is the batch's. At the third it is set aside, so that the entries behind it are read. */
export async function strike(run: RunContext, work: Work, reason: string): Promise<DreamOutcome> {
  const { record } = run;
  const { from, to } = work.batch;
  const former = await record.strikes();
  const count = former?.from === from ? former.count + 1 : 1;
  await record.setStrikes({ from, to, count, reason });
  if (count >= MAX_STRIKES) return giveUp(run, work, reason);
  return {
    kind: 'failed',
    reason:
      count === 1
        ? t('{0} Nothing was changed; it is tried twice more.', reason)
        : t('{0} Nothing was changed; it is tried once more.', reason),
    next: ['retry', 'switchModel'],
  };
}

/** Sets a batch aside and moves on, with a notice. */
export async function giveUp(run: RunContext, work: Work, reason: string): Promise<DreamOutcome> {
  await requireOurs(run, work);
  const path = await setAside(run, work.batch, reason);
  await complete(run, work, []);
  await forgetStrikes(run);
  const entries = entriesOf(work.batch);
  const text =
    work.batch.from === work.batch.to
      ? t(
          '{0} That was the third time, so {1} was set aside in {2}. Dream goes on with the next ones.',
          reason,
          entries,
          path,
        )
      : t(
          '{0} That was the third time, so {1} were set aside in {2}. Dream goes on with the next ones.',
          reason,
          entries,
          path,
        );
  run.notice(text);
  return { kind: 'failed', reason: text, next: ['switchModel', 'openLog'] };
}

/** Strikes name their batch, so old ones that cannot be taken away do no harm. */
async function forgetStrikes({ record, log }: RunContext): Promise<void> {
  try {
    if (await record.strikes()) await record.setStrikes(undefined);
  } catch (cause) {
    log.warn(`The failures of a batch could not be forgotten: ${reasonOf(cause)}`);
  }
}
