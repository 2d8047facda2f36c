import { t } from '@vscode/l10n';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { decodeText, encodeText } from '../../platform/encoding.js';
import type { Files, Log } from '../../platform/ports.js';
import { reasonOf } from '../../platform/reason.js';
import { sameBytes } from '../../platform/sameBytes.js';
import { dreamMessage, type DreamFacts, type MemoryCommit } from '../memoryCommit.js';
import { Blocked } from './blocked.js';
import { mergeTexts } from './merge.js';
import type { DreamGit, DreamHistory } from './ports.js';
import type { StagedChange } from './workbench.js';

const count = z.number().int().nonnegative();
const fileSchema = z.object({
  version: z.literal(1),
  /** The newest commit before the run. */
  head: z.string().nullable(),
  cursorBefore: count,
  cursorTo: count,
  /** What the commit's message tells. */
  facts: z.looseObject({ at: z.string(), cursors: z.array(count) }),
  /** Bytes in base64; null where there was no file. */
  files: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string() })),
});
type JournalFile = z.output<typeof fileSchema>;

/** What a finished Dream is to leave behind. */
export interface Completion {
  changes: readonly StagedChange[];
  cursorBefore: number;
  cursorTo: number;
  facts: Omit<DreamFacts, 'changes'>;
}

export interface JournalDeps {
  files: Files;
  log: Log;
  /** The agent's home. */
  home: string;
  history: Pick<DreamHistory, 'dreamCursor' | 'setDreamCursor'>;
  git: Pick<DreamGit, 'commit' | 'log'>;
  /** Tells the person something. */
  notice(text: string): void;
}

/** What became of a run that was cut off; `commit` is the one that was missing. */
interface Healed {
  kind: 'nothing' | 'takenBack' | 'finished';
  commit?: MemoryCommit | undefined;
}

/**
 * Makes the changes of a Dream, its cursor and its commit one step, also where the process is killed between any two writes. The journal
 * `.nanobot/dream-run.json` holds the files as they were and as they are to be. It is written first and removed last; files come before the
 * cursor, the cursor before the commit. One that is found later is of a run that was cut off: with the cursor moved all files are written and
 * its commit is made, otherwise the files go back to what they were and the entries are read again.
 */
export class RunJournal {
  private readonly path: string;

  constructor(private readonly deps: JournalDeps) {
    this.path = join(deps.home, '.nanobot', 'dream-run.json');
  }

  /** Whether a run was cut off. */
  async pending(): Promise<boolean> {
    return (await this.deps.files.stat(this.path)) !== undefined;
  }

  /**
   * Writes the files, moves the cursor and commits. Resolves with the commit; undefined where no file differs. Where the files or the cursor
   * cannot be written all of it is taken back and the error passed on; where only the commit cannot be made, `Blocked` says so.
   */
  async complete({ changes, cursorBefore, cursorTo, facts }: Completion): Promise<MemoryCommit | undefined> {
    const { git, history, files } = this.deps;
    const [newest] = await git.log(1);
    const entry = ({ path, before, after }: StagedChange) => {
      return { path, before: before ? base64(before) : null, after: base64(after) };
    };
    const head = newest?.sha ?? null;
    const journal = { version: 1, head, cursorBefore, cursorTo, facts, files: changes.map(entry) };
    await files.writeAtomic(this.path, JSON.stringify(journal));
    try {
      for (const change of changes) await this.write(change);
      await history.setDreamCursor(cursorTo);
    } catch (cause) {
      const healed = await this.afterFailure();
      if (healed?.kind !== 'finished') throw cause;
      return healed.commit;
    }
    return this.commit(facts);
  }

  /** Finishes or takes back a run that was cut off. To be called under Dream's lease, before anything is read. */
  async heal(): Promise<Healed> {
    const { files, log, history } = this.deps;
    if (!(await this.pending())) return { kind: 'nothing' };
    const journal = await this.read();
    if (!journal) {
      // It is written whole before anything else is: one that cannot be read was damaged later, and tells nothing.
      await files.rename(this.path, `${this.path}.corrupt`);
      log.warn(`${this.path} could not be understood and was set aside.`);
      return { kind: 'nothing' };
    }
    if (await this.committed(journal)) {
      await files.remove(this.path);
      return { kind: 'nothing' };
    }
    if ((await history.dreamCursor()) === journal.cursorTo) {
      return { kind: 'finished', commit: await this.commit(journal.facts) };
    }
    for (const file of journal.files) await this.putBack(file);
    await files.remove(this.path);
    log.info('A Dream that was cut off was taken back; its entries are read again.');
    return { kind: 'takenBack' };
  }

  private async commit(facts: Completion['facts']): Promise<MemoryCommit | undefined> {
    const { git, files, log } = this.deps;
    let commit: MemoryCommit | undefined;
    try {
      commit = await git.commit((changes) => dreamMessage({ ...facts, changes }));
    } catch (cause) {
      throw new Blocked(
        (t) =>
          t(
            'What Dream learned stands in the files, but its commit could not be made ({0}). The next run makes it.',
            reasonOf(cause),
          ),
        ['openLog'],
      );
    }
    await files.remove(this.path).catch((cause: unknown) => {
      // The next run sees that the commit was made.
      log.warn(`${this.path} could not be removed: ${reasonOf(cause)}`);
    });
    return commit;
  }

  private async afterFailure(): Promise<Healed | undefined> {
    try {
      return await this.heal();
    } catch (cause) {
      this.deps.log.error('A Dream that failed could not be put right; the next run does it.', cause);
      return undefined;
    }
  }

  private async write({ path, before, after }: StagedChange): Promise<void> {
    const { files, home } = this.deps;
    const absolute = join(home, path);
    if (before === undefined) {
      if (await files.createExclusive(absolute, after, { flush: true })) return;
    } else if (sameBytes(await this.bytes(path), before)) {
      await files.writeAtomic(absolute, after);
      return;
    }
    throw new Blocked((t) =>
      t(
        '{0} was changed at the moment Dream wrote it. That change stands; Dream reads the same entries again later.',
        path,
      ),
    );
  }

  private async committed({ head, cursorTo }: JournalFile): Promise<boolean> {
    for (const commit of await this.deps.git.log(100)) {
      if (commit.sha === head) return false;
      if (commit.kind === 'dream' && commit.cursors?.includes(cursorTo)) return true;
    }
    return false;
  }

  /** Puts a file back as it was. What a person changed in it since stays; where that cannot be told apart the file stays as it is. */
  private async putBack({ path, before, after }: JournalFile['files'][number]): Promise<void> {
    const { files, home, notice } = this.deps;
    const absolute = join(home, path);
    const now = await this.bytes(path);
    const was = before === null ? undefined : Buffer.from(before, 'base64');
    const written = Buffer.from(after, 'base64');
    if (now === undefined && was === undefined) return this.removeNew(absolute);
    if (now === undefined || sameBytes(now, was)) return;
    if (sameBytes(now, written)) {
      if (was) await files.writeAtomic(absolute, was);
      else await this.removeNew(absolute);
      return;
    }
    const merged = was && mergeBytes(written, now, was);
    if (merged) await files.writeAtomic(absolute, merged);
    else
      notice(
        t(
          'A Dream was cut off, and {0} was edited since in the same lines. It was left as it is: please look at it.',
          path,
        ),
      );
  }

  /** Takes a new skill away with its folder, unless a person put something beside it. A kill may have left the file half written under another name. */
  private async removeNew(absolute: string): Promise<void> {
    const { files } = this.deps;
    await files.remove(absolute);
    const folder = dirname(absolute);
    const others = (await files.list(folder)).filter(({ name }) => !/^SKILL\.md\.\w+\.tmp$/.test(name));
    if (others.length === 0) await files.remove(folder);
  }

  private async bytes(path: string): Promise<Uint8Array | undefined> {
    const { files, home } = this.deps;
    const absolute = join(home, path);
    return (await files.stat(absolute)) ? files.read(absolute) : undefined;
  }

  private async read(): Promise<JournalFile | undefined> {
    try {
      const text = new TextDecoder().decode(await this.deps.files.read(this.path));
      return fileSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined; // No JSON: the caller sets it aside.
    }
  }
}

function mergeBytes(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | undefined {
  const [from, now, wanted] = [decodeText(base), decodeText(ours), decodeText(theirs)];
  if (!from || !now || !wanted) return undefined;
  const merged = mergeTexts(from.text, now.text, wanted.text);
  return merged === undefined ? undefined : encodeText(merged, now);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
