import { t } from '@vscode/l10n';
import type { Clock } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { Subagent } from '../protocol/event.js';
import { wordsOf, type Attachment, type StoredMessage } from '../protocol/message.js';
import type { RestorePlan, RestoreWhat } from '../protocol/wire.js';
import type { Session } from '../session/session.js';
import type { SessionStore } from '../session/store.js';
import type { WayBack } from '../tools/support/snapshots.js';
import { choiceIn } from './modelChoice.js';
import type { Conversation } from './conversation.js';
import { shownTitle } from '../protocol/chatTitle.js';
import { recordIn } from './subagentRecord.js';
import { undoableIn, type UndoableRestore } from './undoableRestore.js';

export interface CheckpointDeps {
  loop: {
    conversation(key: string): Promise<Conversation>;
    act(key: string, work: (conversation: Conversation) => Promise<void>): Promise<void>;
    takeOut(conversation: Conversation, from: number): Promise<void>;
  };
  snapshots: {
    groups(turnIds: readonly string[]): Promise<string[][]>;
    wayBack(turnIds: readonly string[]): Promise<WayBack[]>;
    undo(
      turn: string | readonly string[],
      options: { overwrite?: boolean; undoId?: string },
    ): Promise<{ restored: string[]; conflicts: string[] }>;
  };
  sessions: Pick<SessionStore, 'open' | 'peek'>;
  /** The subagents of a session as they are now. */
  subagents: { cards(session: Session): Promise<Subagent[]> };
  clock: Pick<Clock, 'now'>;
  newId(): string;
}

/** A message's words, to be put into the composer again. */
export interface Words {
  text: string;
  attachments: Attachment[];
}

/**
 * Goes back to before a person's message: files, conversation or both; and forks a conversation. Files go back whatever was done to them since,
 * which is why a plan says so first; all of it can be taken back until the next message, the files for as long as they are kept.
 */
export class Checkpoints {
  /** What is in the sessions' metadata as well, where those could be written. */
  private readonly undoable = new Map<string, UndoableRestore>();

  constructor(private readonly deps: CheckpointDeps) {}

  /** What going back to before a message would do; undefined where there is no such message. */
  async plan(key: string, messageId: string): Promise<RestorePlan | undefined> {
    const conversation = await this.deps.loop.conversation(key);
    const from = indexOf(conversation, messageId);
    if (from < 0) return undefined;
    const { messages } = conversation.session;
    const visible = new Set(conversation.session.visible());
    const gone = messages.filter((message, at) => at >= from && message.role !== 'tool' && visible.has(message));
    const files = await this.filesFrom(conversation, messageId);
    return {
      messageId,
      messages: gone.length,
      files: files.map(({ path, label, kind, changedSince }) => ({ path, label, kind, changedSince })),
    };
  }

  /** The files that would go back, with the turn that knows what each was. */
  async files(key: string, messageId: string): Promise<WayBack[]> {
    return this.filesFrom(await this.deps.loop.conversation(key), messageId);
  }

  /**
   * Goes back. Resolves with the message's words where it left the conversation, to be written anew. Refused, with a notice, while a turn runs, or a
   * subagent that one of the turns started: it would go on changing files, and its result would come into a conversation that knows nothing of it. A
   * failure is told as well; where only files were to go back, it counts as refused.
   */
  async restore(key: string, messageId: string, what: RestoreWhat): Promise<Words | 'refused' | undefined> {
    let words: Words | 'refused' | undefined = 'refused';
    await this.deps.loop.act(key, async (conversation) => {
      const from = indexOf(conversation, messageId);
      const refusal = await this.refusal(conversation, messageId);
      if (refusal !== undefined) {
        // Beside the notice of an earlier restore, which can still be undone.
        conversation.notice('restore_refused', 'warning', refusal);
        return;
      }
      conversation.endNotices('restore_refused');
      const { session } = conversation;
      const undoId = what === 'conversation' ? undefined : `restore-${this.deps.newId()}`;
      const hidden = what === 'files' ? undefined : { before: session.metadata.metadata['hidden'] };
      // First of all: a file that went back can then be had again, whatever fails after it.
      await this.keep(session, { undoId, hidden, stored: session.messages.length, at: this.deps.clock.now() });
      if (hidden) {
        words = writtenIn(session.messages[from]);
        // It needs the session's lease: without it nothing is touched.
        await this.deps.loop.takeOut(conversation, from);
      }
      const told = undoId === undefined ? '' : await this.restoreFiles(conversation, messageId, undoId);
      if (!hidden) words = undefined;
      const text = restoredWords(what) + told;
      conversation.notice('restore', told === '' ? 'info' : 'warning', text, ['undoRestore']);
    });
    return words;
  }

  /** Takes the newest restore of a conversation back: the files as they stood, the messages where nothing was said since. */
  undoRestore(key: string): Promise<void> {
    return this.deps.loop.act(key, async (conversation) => {
      const { session } = conversation;
      const last = this.undoable.get(key) ?? undoableIn(session, this.deps.clock.now());
      conversation.endNotices('restore');
      if (conversation.running && last) {
        const why = t('Stop the running turn first, then undo the restore.');
        conversation.notice('restore', 'warning', why, ['undoRestore']);
        return;
      }
      if (!last) {
        conversation.notice('restore', 'info', t('There is no restore to undo.'));
        return;
      }
      if (last.undoId !== undefined) {
        const { conflicts } = await this.deps.snapshots.undo(last.undoId, {});
        if (conflicts.length > 0)
          conversation.notice(
            'restore',
            'warning',
            t('Changed since, so left as they are: {0}.', conflicts.join(', ')),
          );
      }
      if (!last.hidden) return this.letGo(session);
      if (session.messages.length !== last.stored) {
        conversation.notice('restore', 'info', t('The conversation has gone on, so its messages stay as they are.'));
        return this.letGo(session);
      }
      // One write: where it fails, the rest can still be undone.
      await session.setMetadata({ hidden: last.hidden.before, restore: undefined }, { flush: true });
      this.undoable.delete(key);
      conversation.forgetReads();
      await conversation.refresh();
    });
  }

  /** The person does not want the newest restore of a conversation offered for undoing any more. */
  async dismissed(key: string): Promise<void> {
    await this.letGo((await this.deps.loop.conversation(key)).session);
  }

  /** Where the session cannot be written, files that go back can be had again as long as this window stands. */
  private async keep(session: Session, restore: UndoableRestore): Promise<void> {
    this.undoable.set(session.key, restore);
    await session.setMetadata({ restore }, { flush: true }).catch(() => undefined);
  }

  private async letGo(session: Session): Promise<void> {
    this.undoable.delete(session.key);
    if (session.metadata.metadata['restore'] === undefined) return;
    await session.setMetadata({ restore: undefined }).catch(() => undefined);
  }

  /**
   * Makes a new chat of the messages up to and with an answer, or before a person's message, whose words then are to be written anew. Resolves with
   * its key. What a compaction summarised stays summarised, unless the fork begins inside of that.
   */
  async fork(key: string, messageId: string): Promise<{ key: string; words: Words | undefined }> {
    const conversation = await this.deps.loop.conversation(key);
    const { session } = conversation;
    const at = session.messages.findIndex((message) => message.id === messageId);
    const found = session.messages[at];
    if (!found) throw new Error(t('That message is not there any more.'));
    const end = found.role === 'user' ? at : endOfAnswer(session.messages, at);
    const visible = new Set(session.visible());
    const kept = session.messages.slice(0, end).filter((message) => visible.has(message));
    const forked = await this.deps.sessions.open(`vscode:${this.deps.newId()}`);
    if (kept.length > 0)
      await forked.append(
        kept.map((message) => ({ ...message })),
        { flush: true },
      );
    const { last_consolidated, metadata } = session.metadata;
    const summarised = session.messages.slice(0, last_consolidated).filter((message) => visible.has(message)).length;
    const isWhole = last_consolidated <= end;
    await forked.setMetadata(
      {
        title: t('{0} (fork)', shownTitle(conversation.title())),
        // In the same folder, and no looser than where it comes from.
        workspace: metadata['workspace'],
        ...choiceIn(metadata),
        // Their facts are noted, or will be, by the chat they come from.
        archivedTo: kept.length,
        ...(isWhole ? { working_summary: metadata['working_summary'], compaction: metadata['compaction'] } : {}),
      },
      isWhole ? { lastConsolidated: summarised, flush: true } : { flush: true },
    );
    return { key: forked.key, words: found.role === 'user' ? writtenIn(found) : undefined };
  }

  private async refusal(conversation: Conversation, messageId: string): Promise<string | undefined> {
    if (indexOf(conversation, messageId) < 0) return t('That message is not there any more.');
    if (conversation.running) return t('Stop the running turn first, then restore.');
    const atWork = (await this.subagentsFrom(conversation, messageId)).filter(
      ({ status }) => status === 'running' || status === 'queued',
    );
    if (atWork.length === 0) return undefined;
    const names = atWork.map(({ label }) => label).join(', ');
    return t(
      'Subagents that were started after that message are still at work: {0}. Stop them first, then restore.',
      names,
    );
  }

  private async filesFrom(conversation: Conversation, messageId: string): Promise<WayBack[]> {
    const turns = await this.turnsFrom(conversation, messageId);
    return this.deps.snapshots.wayBack([...turns.keys()]);
  }

  /**
   * The turns from a message on that may have changed files, with their sessions: those of the conversation, also where their messages were taken out
   * of it (their files are still there), and those of the subagents they started.
   */
  private async turnsFrom(conversation: Conversation, messageId: string): Promise<Map<string, string>> {
    const keys = new Map(turnsFrom(conversation, messageId).map((turnId) => [turnId, conversation.key]));
    for (const { sessionKey } of await this.subagentsFrom(conversation, messageId)) {
      const { messages } = await this.deps.sessions.open(sessionKey);
      for (const { turn_id } of messages)
        if (turn_id !== undefined && !keys.has(turn_id)) keys.set(turn_id, sessionKey);
    }
    return keys;
  }

  /** The subagents that turns from a message on started. */
  private async subagentsFrom(conversation: Conversation, messageId: string): Promise<Subagent[]> {
    const turns = new Set(turnsFrom(conversation, messageId));
    const found: Subagent[] = [];
    for (const card of await this.deps.subagents.cards(conversation.session)) {
      const metadata = (await this.deps.sessions.peek(card.sessionKey))?.metadata;
      const turnId = metadata && recordIn(metadata)?.turnId;
      if (turnId !== undefined && turns.has(turnId)) found.push(card);
    }
    return found;
  }

  /** Resolves with what could not be put back, in words. */
  private async restoreFiles(conversation: Conversation, messageId: string, undoId: string): Promise<string> {
    const turns = await this.turnsFrom(conversation, messageId);
    const conflicts = new Set<string>();
    const groups = await this.deps.snapshots.groups([...turns.keys()]);
    for (const group of groups.toReversed()) {
      const outcome = await this.deps.snapshots
        .undo(group, { overwrite: true, undoId })
        .catch((cause: unknown) => ({ restored: [], conflicts: [reasonOf(cause)] }));
      for (const conflict of outcome.conflicts) conflicts.add(conflict);
      if (outcome.restored.length === 0) continue;
      for (const turnId of group) {
        const key = turns.get(turnId) ?? conversation.key;
        const its = key === conversation.key ? conversation : await this.deps.loop.conversation(key);
        its.emit({ type: 'changes_settled', turnId, outcome: 'undone' });
      }
    }
    return conflicts.size === 0 ? '' : t(' These could not be put back: {0}.', [...conflicts].join(', '));
  }
}

function restoredWords(what: RestoreWhat): string {
  if (what === 'files') return t('Restored the files to before that message.');
  if (what === 'conversation') return t('Restored the conversation to before that message.');
  return t('Restored files and conversation to before that message.');
}

function indexOf({ session }: Conversation, messageId: string): number {
  return session.messages.findIndex((message) => message.id === messageId && message.role === 'user');
}

/** The turns from a message on, the oldest first; those whose messages were taken out of the conversation, too: their files are still there. */
function turnsFrom(conversation: Conversation, messageId: string): string[] {
  const from = indexOf(conversation, messageId);
  if (from < 0) return [];
  const { messages } = conversation.session;
  // A message that joined a running turn leaves what that turn had done before it: it is one turn, and goes back as one.
  return [...new Set(messages.slice(from).flatMap(({ turn_id }) => turn_id ?? []))];
}

function endOfAnswer(messages: readonly StoredMessage[], at: number): number {
  const next = messages.findIndex((message, index) => index > at && message.role !== 'tool');
  return next < 0 ? messages.length : next;
}

function writtenIn(message: StoredMessage | undefined): Words | undefined {
  return message && { text: wordsOf(message), attachments: message.attachments ?? [] };
}
