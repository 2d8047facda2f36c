import { t } from '@vscode/l10n';
import type { InboundMessage, MessageBus } from '../bus/bus.js';
import type { RunResult } from '../cron/ports.js';
import type { Clock, Log } from '../platform/ports.js';
import { UNTITLED } from '../protocol/chatTitle.js';
import type { AgentEvent } from '../protocol/event.js';
import type { ErrorInfo, FileChange, Sender, Usage } from '../protocol/message.js';
import { tokensIn } from '../runner/usage.js';
import type { AgentLoop } from './loop.js';

/** Milliseconds after which a turn that nobody watches is ended. */
const LONGEST_MS = 30 * 60_000;
/** Milliseconds another window is waited for that has the session open. */
const HANDOVER_MS = 60_000;
/** Failures that asking again soon does not mend. */
const FINAL = new Set(['turn_budget', 'loop', 'no_model', 'auth', 'payment', 'quota', 'refused', 'not_found']);

export interface UnwatchedDeps {
  bus: MessageBus;
  loop: Pick<AgentLoop, 'conversation' | 'stop' | 'idle' | 'isBusy' | 'release' | 'resume'>;
  clock: Clock;
  log: Log;
  newId(): string;
}

export interface UnwatchedTurn {
  sessionKey: string;
  channel: string;
  /** The session's title where it has none yet. */
  title: string;
  text: string;
  /** Where that is not a schedule. */
  sender?: Sender;
  /** Text from outside is in it. */
  untrusted?: true;
  /** Goes on with the session's interrupted turn in place of a message; it must have one. */
  resume?: true;
}

/**
 * Runs one turn that nobody watches: through the bus, in a session of its own, so that it can be read later. What would have been asked is denied, and
 * comes back in `denied`. Rejects only where the session cannot be had.
 */
export async function runUnwatched(deps: UnwatchedDeps, turn: UnwatchedTurn, signal: AbortSignal): Promise<RunResult> {
  const { bus, loop, clock, log } = deps;
  const { sessionKey } = turn;
  if (signal.aborted) return stopped();
  await takeSession(deps, turn, signal);
  const limited = new AbortController();
  const limit = clock.after(LONGEST_MS, () => {
    limited.abort();
  });
  const end = AbortSignal.any([signal, limited.signal]);
  const stop = () => {
    loop.stop(sessionKey);
  };
  const id = deps.newId();
  const watch = watchTurn(bus, sessionKey, turn.resume ? undefined : id);
  try {
    // A message that joined a person's turn might never begin.
    const ended = aborted(end);
    do await Promise.race([loop.idle(sessionKey), ended]);
    while (!end.aborted && loop.isBusy(sessionKey));
    if (signal.aborted) return stopped();
    if (end.aborted) return failed(t('Another turn of its session did not end in time.'));
    end.addEventListener('abort', stop, { once: true });
    const ways = [watch.result, ended.then(() => whenQuiet(loop, sessionKey))];
    if (turn.resume) {
      await loop.resume(sessionKey, { channel: turn.channel, watched: false });
      ways.push(
        loop.idle(sessionKey).then(() => failed(t('Its turn could not be gone on with; its session says why.'))),
      );
    } else if (bus.publish(messageOf(turn, id))) return failed(t('Too many messages wait already.'));
    const result = await Promise.race(ways);
    const isLate = result.stopped === true && limited.signal.aborted && !signal.aborted;
    return isLate ? { ...result, error: tooLong(), stopped: false } : result;
  } finally {
    limit.dispose();
    end.removeEventListener('abort', stop);
    watch.dispose();
    // Another window may run the next one.
    loop.release(sessionKey).catch((cause: unknown) => {
      log.warn(`${sessionKey} could not be given back: ${String(cause)}`);
    });
  }
}

function messageOf(turn: UnwatchedTurn, id: string): InboundMessage {
  const { channel, sessionKey, text, sender, untrusted } = turn;
  return {
    ...{ id, channel, sessionKey, text, attachments: [], watched: false, scheduled: true },
    ...(sender ? { sender } : {}),
    ...(untrusted ? { untrusted } : {}),
  };
}

/** Where another window shows the session, it hands it over. */
async function takeSession({ loop }: UnwatchedDeps, turn: UnwatchedTurn, signal: AbortSignal): Promise<void> {
  const conversation = await loop.conversation(turn.sessionKey);
  const { session } = conversation;
  if ((await session.acquire()) !== 'held') {
    await session.requestHandover(AbortSignal.any([signal, AbortSignal.timeout(HANDOVER_MS)]));
    await conversation.refresh();
  }
  if (conversation.title() === UNTITLED) await session.setMetadata({ title: turn.title });
}

/** After a stop the message may never have begun: then the session falls quiet without an end of its turn. */
async function whenQuiet(loop: UnwatchedDeps['loop'], sessionKey: string): Promise<RunResult> {
  await loop.idle(sessionKey);
  return stopped();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function watchTurn(
  bus: MessageBus,
  key: string,
  id: string | undefined,
): { result: Promise<RunResult>; dispose(): void } {
  let settle: (result: RunResult) => void = () => undefined;
  const result = new Promise<RunResult>((resolve) => (settle = resolve));
  const reader = new TurnReader(id);
  const subscription = bus.subscribe(({ sessionKey, event }) => {
    if (sessionKey !== key) return;
    const end = reader.read(event);
    if (end) settle(end);
  });
  return { result, dispose: () => subscription.dispose() };
}

/** Follows one message from its arrival to the end of its turn; without one, the turn that begins next. */
class TurnReader {
  private begun = false;
  private text = '';
  private error: ErrorInfo | undefined;
  private readonly names = new Map<string, string>();
  private readonly denied: string[] = [];

  /** Tokens of the subagents that the turn waited for. */
  private readonly others = new Map<string, number>();

  constructor(private readonly id: string | undefined) {}

  read(event: AgentEvent): RunResult | undefined {
    if (this.id === undefined && event.type === 'turn_start') this.begun = true;
    if (event.type === 'rejected' && event.id === this.id) {
      // Without a reason it was a command, which was answered.
      return event.reason === '' ? { status: 'ok', text: '', tokens: 0, denied: [] } : failed(event.reason);
    }
    if (event.type === 'user_message' && event.id === this.id) this.begun = true;
    return this.begun ? this.follow(event) : undefined;
  }

  private follow(event: AgentEvent): RunResult | undefined {
    switch (event.type) {
      case 'message_start':
      case 'message_reset':
        this.text = '';
        return undefined;
      case 'text':
        this.text += event.text;
        return undefined;
      case 'message_end':
        this.error = event.error;
        return undefined;
      case 'tool_start':
        this.names.set(event.callId, event.name);
        return undefined;
      case 'tool_end':
        if (event.status === 'denied')
          this.denied.push(`${this.names.get(event.callId) ?? ''} ${event.summary}`.trim());
        return undefined;
      case 'subagent':
        if (event.tokens !== undefined) this.others.set(event.id, event.tokens);
        return undefined;
      case 'turn_end':
        return { ...this.end(event.status, event.usage), ...changedIn(event.changes) };
      default:
        return undefined;
    }
  }

  private end(status: 'done' | 'error' | 'aborted', usage: Usage | undefined): RunResult {
    const { text, error, denied } = this;
    const others = [...this.others.values()].reduce((sum, each) => sum + each, 0);
    const tokens = tokensIn(usage) + others;
    if (status === 'done') return { status: 'ok', text, tokens, denied };
    const reason = status === 'aborted' ? stoppedWords() : wordsOf(error);
    return {
      status: 'error',
      text,
      error: reason,
      tokens,
      denied,
      ...(status === 'aborted' ? { stopped: true } : {}),
      ...(status === 'aborted' || FINAL.has(error?.code ?? '') ? { final: true } : {}),
    };
  }
}

function changedIn(changes: FileChange[] = []): Pick<RunResult, 'changed'> {
  return changes.length === 0 ? {} : { changed: changes.map(({ label }) => label) };
}

function stoppedWords(): string {
  return t('It was stopped before it had ended.');
}

function tooLong(): string {
  return t('It had not ended after {0} minutes. Make its task smaller.', LONGEST_MS / 60_000);
}

function wordsOf(error: ErrorInfo | undefined): string {
  if (error?.code === 'turn_budget')
    return t('It used all the tokens of one run before it was done. Make its task smaller.');
  return error?.message ?? t('The turn failed; its session says why.');
}

function stopped(): RunResult {
  return { status: 'error', text: '', error: stoppedWords(), tokens: 0, denied: [], final: true, stopped: true };
}

function failed(error: string): RunResult {
  return { status: 'error', text: '', error, tokens: 0, denied: [] };
}
