import { t } from '@vscode/l10n';
import type { Dream, DreamOutcome, DreamPhase } from '../memory/dream.js';
import type { GitStore } from '../memory/gitStore.js';
import type { MemoryCommit } from '../memory/memoryCommit.js';
import { reasonOf } from '../platform/reason.js';
import { counts } from '../tools/support/counts.js';
import { unifiedDiff } from '../tools/support/diff.js';
import type { Conversation } from './conversation.js';
import type { RunningTurns } from './runningTurns.js';

/** Id of the notice that shows a Dream while it goes on and how it ended. */
const NOTICE = 'dream';
/** Commits that are listed, and those that are looked through for them. */
const LISTED = 10;
const LOOKED_AT = 100;
/** Characters of a diff that a notice shows. */
const MAX_DIFF = 12_000;

export interface DreamingDeps {
  dream: Pick<Dream, 'run' | 'restore'>;
  git: Pick<GitStore, 'log' | 'show'>;
  turns: RunningTurns;
  /** What has to be said of the model that made a commit. */
  byline(commit: MemoryCommit): string | undefined;
}

interface Work {
  controller: AbortController;
  done: Promise<boolean>;
}

/**
 * What people start with /dream, /dream-log and /dream-restore. The command answers at once and the work goes on, shown by one notice that
 * changes; a process that was started for it waits with `settled`.
 */
export class Dreaming {
  private readonly asked = new Map<string, Work>();

  constructor(private readonly deps: DreamingDeps) {}

  /** Begins a Dream and shows in this conversation how it goes on. */
  dream(conversation: Conversation): void {
    this.begin(conversation, async (signal) => {
      const waits = this.deps.turns.any()
        ? t('Dream begins when the running turn has ended.')
        : t('Dream looks for what is new.');
      conversation.notice(NOTICE, 'info', waits);
      const onPhase = (phase: DreamPhase) => {
        if (phase !== 'idle') conversation.notice(NOTICE, 'info', phaseWords(phase));
      };
      return this.show(conversation, await this.deps.dream.run({ asked: true, signal, onPhase }));
    });
  }

  /** Shows what a Dream changed: the one named, or the newest with a list of those before it. */
  log(conversation: Conversation, sha: string): void {
    this.begin(conversation, async () => {
      const listed = (await this.deps.git.log(LOOKED_AT)).filter(({ kind }) => kind === 'dream').slice(0, LISTED);
      const wanted = sha === '' ? listed[0]?.sha : sha;
      if (wanted === undefined) {
        conversation.notice(NOTICE, 'info', t('There is no Dream yet. /dream runs one.'));
        return true;
      }
      const earlier =
        sha === '' && listed.length > 1
          ? ['', t('Earlier ones:'), ...listed.slice(1).map((one) => this.line(one))]
          : [];
      conversation.notice(NOTICE, 'info', [...(await this.changes(wanted)), ...earlier].join('\n'));
      return true;
    });
  }

  /** Takes back what one Dream changed; without a name it lists what can be taken back. */
  restore(conversation: Conversation, sha: string): void {
    this.begin(conversation, async () => {
      if (sha === '') return this.offer(conversation);
      const { commit, conflicts, cursor } = await this.deps.dream.restore(sha);
      const paths = conflicts.map(({ path }) => path).join(', ');
      const conflict = t(
        '{0} was edited later in the same lines, so it was left as it is. Open it and take out what you do not want.',
        paths,
      );
      if (!commit) {
        const words = conflicts.length > 0 ? conflict : t('Nothing of it is left to take back.');
        conversation.notice(NOTICE, 'warning', words);
        return conflicts.length === 0;
      }
      const again =
        cursor === undefined ? '' : t(' The entries it had read count as new, and what you took back stays out.');
      const files = commit.files.join(', ');
      const reverse = t(' /dream-restore {0} reverses this.', short(commit));
      const done = t('Done: {0} ({1}).', commit.message, files) + again + reverse;
      conversation.notice(
        NOTICE,
        conflicts.length > 0 ? 'warning' : 'info',
        conflicts.length > 0 ? `${done}\n${conflict}` : done,
      );
      return conflicts.length === 0;
    });
  }

  /** Resolves when what a person started in this session is over: with false where it failed. */
  async settled(key: string): Promise<boolean> {
    return (await this.asked.get(key)?.done) ?? true;
  }

  /** Ends what was started in this session. */
  stop(key: string): void {
    this.asked.get(key)?.controller.abort();
  }

  /** Ends everything, and resolves when it is over. */
  async close(): Promise<void> {
    const all = [...this.asked.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ done }) => done));
    this.deps.turns.dispose();
  }

  private begin(conversation: Conversation, work: (signal: AbortSignal) => Promise<boolean>): void {
    const { key } = conversation;
    const controller = new AbortController();
    const former = this.asked.get(key)?.done ?? Promise.resolve(true);
    const done = former
      .then(() => work(controller.signal))
      .catch((cause: unknown) => {
        conversation.notice(NOTICE, 'error', reasonOf(cause), ['openLog']);
        return false;
      });
    this.asked.set(key, { controller, done });
  }

  /** True where it did what was asked. */
  private show(conversation: Conversation, outcome: DreamOutcome): boolean {
    const say = conversation.notice.bind(conversation, NOTICE);
    switch (outcome.kind) {
      case 'learned':
        say('info', this.learned(outcome.commit, outcome.entries));
        return true;
      case 'skipped':
        say('info', t('Dream read {0} and found nothing worth keeping.', counts.entries(outcome.entries)));
        return true;
      case 'nothing':
        say('info', t('There is nothing new to read.'));
        return true;
      case 'cancelled':
        say('info', t('Dream was stopped. Nothing was changed.'));
        return false;
      case 'busy':
        say('warning', outcome.reason);
        return false;
      case 'failed':
        // Retry in a chat is about its last answer.
        say(
          'error',
          outcome.reason,
          outcome.next.filter((step) => step !== 'retry'),
        );
        return false;
    }
  }

  private learned(commit: MemoryCommit, read: number): string {
    const by = this.deps.byline(commit);
    const who = by === undefined ? 'Dream' : t('Dream ({0})', by);
    const what = [who, commit.changes, counts.entries(read), commit.files.join(', ')] as const;
    const learned =
      commit.changes === 1
        ? t('{0} learned {1} thing from {2}: {3}.', ...what)
        : t('{0} learned {1} things from {2}: {3}.', ...what);
    return `${learned}\n${t('/dream-log {0} shows the changes, /dream-restore {0} takes them back.', short(commit))}`;
  }

  private async offer(conversation: Conversation): Promise<boolean> {
    const found = (await this.deps.git.log(LOOKED_AT)).filter(({ kind }) => kind === 'dream' || kind === 'restore');
    const lines = found.slice(0, LISTED).map((commit) => this.line(commit));
    const text =
      lines.length > 0
        ? [t('Which one? /dream-restore and the first letters:'), ...lines].join('\n')
        : t('There is no Dream yet.');
    conversation.notice(NOTICE, 'info', text);
    return true;
  }

  private async changes(sha: string): Promise<string[]> {
    const { commit, files } = await this.deps.git.show(sha);
    const diff = files
      .map(({ path, before, after, binary }) =>
        binary ? `${t('{0} (not a text)', path)}\n` : unifiedDiff(path, before, after),
      )
      .join('\n');
    const cut = diff.length > MAX_DIFF ? `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n${t('… (cut)')}` : diff;
    return [this.line(commit), '', cut.trimEnd()];
  }

  private line(commit: MemoryCommit): string {
    const by = this.deps.byline(commit);
    return `${short(commit)}  ${commit.message}${by === undefined ? '' : ` (${by})`}: ${commit.files.join(', ')}`;
  }
}

function phaseWords(phase: Exclude<DreamPhase, 'idle'>): string {
  if (phase === 'noting') return t('Dream notes what was said just now.');
  return phase === 'reading' ? t('Dream reads what is new.') : t('Dream writes down what it learned.');
}

function short({ sha }: MemoryCommit): string {
  return sha.slice(0, 7);
}
