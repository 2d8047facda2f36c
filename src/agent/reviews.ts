import { t } from '@vscode/l10n';
import type { MessageBus } from '../bus/bus.js';
import type { Clock, Disposable, Log, Workspace } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import { hunksOf, linesOf, mergedText } from '../platform/textLines.js';
import type { SessionEvent } from '../protocol/event.js';
import type { FileChange } from '../protocol/message.js';
import { reviewHunks, sameHunk, withHunk, withoutHunk, type ReviewHunk } from '../tools/support/reviewHunks.js';
import { keptMs } from '../tools/support/snapshotStore.js';
import { fileBytes, rawText, readFileText, type FileText } from '../tools/support/text.js';
import type { FileChanges } from './fileChanges.js';
import { KeptTexts, type ContentStore } from './keptTexts.js';

/** Files under review at most; the oldest give way. */
const MAX_PENDING = 500;

/** A file that turns changed and the person has not decided on. */
export interface PendingReview {
  path: string;
  /** The turns whose changes are in it, the oldest first. `path` is where a turn left it, if a later one (`moved`) moved it from there. */
  turns: { sessionKey: string; turnId: string; path?: string; moved?: true }[];
  /** Under which name the content is kept that counts as decided on: what was before, with what the person kept since. Null where a turn created the file. */
  before: string | null;
  /** Under which name the content is kept that the person's own edits are told by. */
  made: string;
  /** Some of it was kept. */
  kept?: true;
  /** Epoch milliseconds of the newest turn in it. */
  at: number;
}

/** Where reviews outlive the process. */
export interface ReviewStorage {
  load(): PendingReview[];
  save(pending: PendingReview[]): void;
}

/** What keeps the contents. */
export interface ReviewContents extends ContentStore {
  original(turnId: string, path: string): Promise<Uint8Array | undefined>;
  made(turnId: string, path: string): Promise<Uint8Array | undefined>;
}

export interface ReviewDeps {
  bus: MessageBus;
  contents: ReviewContents;
  changes: FileChanges;
  workspace: Workspace;
  storage: ReviewStorage;
  clock: Clock;
  log: Log;
}

/** A file's text with the one it is compared with, which has the person's own edits in it. */
interface Compared {
  entry: PendingReview;
  text: FileText;
  before: string;
  hunks: ReviewHunk[];
}

/**
 * What turns changed and the person has still to look at, hunk by hunk. A person's own edits beside it are no part of a review; where they touch
 * the same lines the hunk is shown with them. What is decided here settles the turns' change lists.
 */
export class Reviews {
  private pending: PendingReview[];
  private readonly listeners = new Set<() => void>();
  private readonly texts: KeptTexts;
  private readonly subscription: Disposable;
  private work: Promise<void> = Promise.resolve();

  constructor(private readonly deps: ReviewDeps) {
    this.texts = new KeptTexts(deps.contents);
    // An older one has nothing to compare with.
    const oldest = deps.clock.now() - keptMs;
    this.pending = deps.storage.load().filter(({ at }) => at > oldest);
    this.subscription = deps.bus.subscribe((event) => {
      this.heard(event);
    });
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Paths of the files under review, the newest last. */
  paths(): string[] {
    return this.pending.map(({ path }) => path);
  }

  isPending(path: string): boolean {
    return this.pending.some((entry) => entry.path === path);
  }

  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Takes files out of the review that are not there any more. */
  forgetGone(): Promise<void> {
    return this.inOrder(async () => {
      for (const entry of this.pending) {
        const there = await this.deps.workspace.stat(entry.path).catch(() => undefined);
        if (!there) this.drop(entry);
      }
    });
  }

  /** Resolves when everything that happened so far is taken in. */
  settled(): Promise<void> {
    return this.work;
  }

  /** The hunks of a text that stands in an editor. Empty for a file that is not under review, is no text, or too long to compare quickly. */
  async hunksIn(path: string, now: string): Promise<ReviewHunk[]> {
    const entry = this.entryOf(path);
    const before = entry && (await this.beforeWith(entry, now));
    return before === undefined ? [] : reviewHunks(before, now);
  }

  /** What a file's hunks are told from: the text before, with the person's own edits; empty for a file that was created. */
  async before(path: string): Promise<string> {
    return (await this.compared(path)).before;
  }

  /** Keeps one hunk. Rejects in plain words where it is not there any more. */
  keepHunk(path: string, hunk: ReviewHunk): Promise<void> {
    return this.inOrder(async () => {
      const { entry, text, before, hunks } = await this.compared(path);
      const found = foundIn(hunks, hunk);
      if (hunks.length === 1) return this.settle(entry, 'kept');
      const kept = { ...entry, kept: true as const };
      await this.replace(entry, kept, { before: withHunk(before, text.raw, found), made: text.raw });
    });
  }

  /** Puts the lines back that a hunk replaced: saved, unless the file has unsaved changes. Rejects in plain words where it is not there any more. */
  undoHunk(path: string, hunk: ReviewHunk): Promise<void> {
    return this.inOrder(async () => {
      const { entry, text, before, hunks } = await this.compared(path);
      const found = foundIn(hunks, hunk);
      if (hunks.length === 1 && isNew(entry)) return void (await this.undoWhole(entry));
      const made = withoutHunk(before, text.raw, found);
      await this.write(path, text, made);
      // Where it was moved to it stays.
      if (hunks.length === 1) await this.settle(entry, entry.kept || isMoved(entry) ? 'kept' : 'undone');
      else await this.replace(entry, entry, { before, made });
    });
  }

  /** Keeps what is left of a file's review. */
  keepFile(path: string): Promise<void> {
    return this.inOrder(async () => {
      const entry = this.entryOf(path);
      if (entry) await this.settle(entry, 'kept');
    });
  }

  /**
   * Takes back what is left of a file's review, the person's own edits kept: a hunk that they changed is left under review, and said in plain words by
   * rejecting. A file that was created goes unless somebody changed it. One that was moved goes back; where somebody changed it, or it cannot, it stays
   * where it is.
   */
  undoFile(path: string): Promise<void> {
    return this.inOrder(async () => {
      const entry = this.entryOf(path);
      if (!entry) return;
      if (isNew(entry)) return void (await this.undoWhole(entry));
      const { text, before, hunks } = await this.compared(path);
      const goesBack = isMoved(entry) && !entry.kept && text.raw === (await this.texts.of(entry.made));
      if (goesBack && (await this.undoWhole(entry))) return;
      const touched = await this.touchedByPerson(entry, text.raw, hunks);
      const own = hunks.filter((hunk) => !touched.has(hunk));
      // From the last to the first, so that the lines of those before stay where they are.
      const made = own.reduceRight((now, hunk) => withoutHunk(before, now, hunk), text.raw);
      if (own.length > 0) await this.write(path, text, made);
      if (touched.size === 0) return this.settle(entry, entry.kept || isMoved(entry) ? 'kept' : 'undone');
      await this.replace(entry, entry, { before, made });
      const label = this.deps.workspace.label(path);
      throw new Error(
        touched.size === 1
          ? t('{0}: 1 change that you edited yourself was left. Keep or undo it where it stands.', label)
          : t(
              '{0}: {1} changes that you edited yourself were left. Keep or undo it where it stands.',
              label,
              touched.size,
            ),
      );
    });
  }

  /** The hunks that hold lines which the person wrote after the agent. */
  private async touchedByPerson(
    { made }: PendingReview,
    now: string,
    hunks: readonly ReviewHunk[],
  ): Promise<ReadonlySet<ReviewHunk>> {
    const left = (await this.texts.of(made)) ?? '';
    const edits = hunksOf(linesOf(left), linesOf(now)).map(({ at, lines }) => ({ start: at, end: at + lines.length }));
    const touches = (hunk: ReviewHunk) =>
      edits.some(({ start, end }) =>
        start === end ? start > hunk.start && start < hunk.end : start < hunk.end && end > hunk.start,
      );
    return new Set(hunks.filter(touches));
  }

  /** Resolves with whether any of it went back. */
  private async undoWhole(entry: PendingReview): Promise<boolean> {
    const done: PendingReview['turns'] = [];
    for (const turn of entry.turns.toReversed()) {
      const { restored } = await this.deps.changes.undo(turn.sessionKey, turn.turnId, [turn.path ?? entry.path]);
      if (restored.length === 0) break;
      done.push(turn);
    }
    // What was changed since is left, and the chat says so.
    if (done.length === entry.turns.length) this.drop(entry);
    return done.length > 0;
  }

  private async settle(entry: PendingReview, outcome: 'kept' | 'undone'): Promise<void> {
    this.drop(entry);
    for (const { sessionKey, turnId, path } of entry.turns) {
      await this.deps.changes.settle(sessionKey, turnId, outcome, [path ?? entry.path]);
    }
  }

  private async write(path: string, { format }: FileText, text: string): Promise<void> {
    const { workspace } = this.deps;
    await workspace.write(path, fileBytes(text, format, workspace.label(path)));
  }

  private async compared(path: string): Promise<Compared> {
    const { workspace } = this.deps;
    const entry = this.entryOf(path);
    const text = entry && readFileText((await workspace.read(path)).bytes);
    const before = entry && text && (await this.beforeWith(entry, text.raw));
    if (!entry || !text || before === undefined) {
      if (entry) this.drop(entry);
      throw new Error(t('{0} is not under review any more.', workspace.label(path)));
    }
    return { entry, text, before, hunks: reviewHunks(before, text.raw) };
  }

  /** The text before, with the edits of the person since the agent's last. Undefined where it is not kept any more, or cannot be compared. */
  private async beforeWith({ before, made }: PendingReview, now: string): Promise<string | undefined> {
    const [old, left] = [before === null ? '' : await this.texts.of(before), await this.texts.of(made)];
    if (old === undefined || left === undefined) return undefined;
    return mergedText({ base: left, ours: old, theirs: now, like: before === null ? now : old });
  }

  private heard({ sessionKey, event }: SessionEvent): void {
    if (event.type === 'turn_end' && event.changes) {
      const { turnId, changes } = event;
      void this.inOrder(() => this.takeIn({ sessionKey, turnId }, changes)).catch((cause: unknown) => {
        this.deps.log.warn(`The changes of a turn could not be put under review: ${reasonOf(cause)}`);
      });
    }
    if (event.type === 'changes_settled') {
      const { turnId, outcome, paths } = event;
      void this.afterwards(() => this.takeOut(turnId, outcome, paths));
    }
  }

  private async takeIn(turn: PendingReview['turns'][number], changes: readonly FileChange[]): Promise<void> {
    for (const { path, kind, from } of changes) {
      const its = from === undefined ? turn : { ...turn, moved: true as const };
      if (from !== undefined) this.follow(from, path);
      const entry = this.entryOf(path);
      if (entry && kind === 'deleted') this.drop(entry);
      if (kind === 'deleted') continue;
      const [original, made] = await Promise.all([
        this.deps.contents.original(turn.turnId, path),
        this.deps.contents.made(turn.turnId, path),
      ]);
      const texts = [original, made].map(rawText);
      if (made === undefined || texts[1] === undefined) continue;
      // Moved as it was, there is nothing to look at.
      if (!entry && from !== undefined && texts[0] === texts[1]) continue;
      const madeName = await this.deps.contents.keepContent(made);
      if (!entry) {
        const before = kind === 'created' || !original ? null : await this.deps.contents.keepContent(original);
        this.change([...this.pending, { path, turns: [its], before, made: madeName, at: this.deps.clock.now() }]);
        continue;
      }
      const former = texts[0] === undefined ? undefined : await this.beforeWith(entry, texts[0]);
      const before = entry.before === null || former === undefined ? entry.before : await this.texts.keep(former);
      const at = this.deps.clock.now();
      this.swap(entry, { ...entry, turns: [...entry.turns, its], before, made: madeName, at });
    }
  }

  /** A turn moved a file that is under review. */
  private follow(from: string, path: string): void {
    const entry = this.entryOf(from);
    const replaced = this.entryOf(path);
    if (replaced) this.drop(replaced);
    const turns = entry?.turns.map((turn) => ({ ...turn, path: turn.path ?? from }));
    if (entry && turns) this.swap(entry, { ...entry, path, turns });
  }

  /** A turn was decided on elsewhere: its part leaves the review. */
  private async takeOut(
    turnId: string,
    outcome: 'kept' | 'undone',
    paths: readonly string[] | undefined,
  ): Promise<void> {
    for (const entry of this.pending) {
      const turns = entry.turns.filter(
        (turn) => turn.turnId !== turnId || (paths && !paths.includes(turn.path ?? entry.path)),
      );
      if (turns.length === entry.turns.length) continue;
      if (turns.length === 0) this.drop(entry);
      else if (outcome === 'kept')
        this.swap(entry, { ...entry, turns, kept: true, ...(await this.keptOf(entry, turnId)) });
      else {
        // If it was moved by that turn, it is where the others left it.
        const path = turns.at(-1)?.path ?? entry.path;
        this.swap(entry, { ...entry, path, turns, ...(await this.standingOf(path)) });
      }
    }
  }

  private async keptOf(entry: PendingReview, turnId: string): Promise<Partial<PendingReview>> {
    const { contents } = this.deps;
    const path = entry.turns.find((turn) => turn.turnId === turnId)?.path ?? entry.path;
    const [original, made] = [await contents.original(turnId, path), await contents.made(turnId, path)];
    const before = entry.before === null ? '' : await this.texts.of(entry.before);
    const [base = '', theirs = ''] = [original, made].map(rawText);
    const merged = before === undefined ? undefined : mergedText({ base, ours: before, theirs, like: theirs });
    return merged === undefined ? {} : { before: await this.texts.keep(merged) };
  }

  private async standingOf(path: string): Promise<Partial<PendingReview>> {
    const file = await this.deps.workspace.read(path).catch(() => undefined);
    return file ? { made: await this.deps.contents.keepContent(file.bytes) } : {};
  }

  private async replace(
    entry: PendingReview,
    changed: PendingReview,
    { before, made }: { before: string; made: string },
  ): Promise<void> {
    this.swap(entry, { ...changed, before: await this.texts.keep(before), made: await this.texts.keep(made) });
  }

  private entryOf(path: string): PendingReview | undefined {
    return this.pending.find((entry) => entry.path === path);
  }

  private drop(entry: PendingReview): void {
    this.change(this.pending.filter(({ path }) => path !== entry.path));
  }

  private swap(entry: PendingReview, next: PendingReview): void {
    this.change(this.pending.map((other) => (other.path === entry.path ? next : other)));
  }

  private change(pending: PendingReview[]): void {
    this.pending = pending.slice(-MAX_PENDING);
    this.deps.storage.save(this.pending);
    for (const listener of this.listeners) listener();
  }

  private inOrder(work: () => Promise<void>): Promise<void> {
    const done = this.work.then(work);
    this.work = done.catch(() => undefined);
    return done;
  }

  private afterwards(work: () => Promise<void>): Promise<void> {
    return this.inOrder(work).catch((cause: unknown) => {
      this.deps.log.warn(`A review could not follow what was decided: ${reasonOf(cause)}`);
    });
  }
}

/** All of it is the agent's, and to take it back is to remove it. */
function isNew({ before, kept }: PendingReview): boolean {
  return before === null && !kept;
}

/** Its old place is part of what can be taken back, as long as all of it is. */
function isMoved({ turns }: PendingReview): boolean {
  return turns.some(({ moved }) => moved);
}

function foundIn(hunks: readonly ReviewHunk[], hunk: ReviewHunk): ReviewHunk {
  const found = sameHunk(hunks, hunk);
  if (!found) throw new Error(t('The text has changed since. Decide on the places that are shown now.'));
  return found;
}
