import { basename } from 'node:path';
import { t } from '@vscode/l10n';
import type { InboundMessage, MessageBus } from '../bus/bus.js';
import type { AgentEvent, ApprovalRequest, Question, QueuedMessage } from '../protocol/event.js';
import type { Attachment, ErrorInfo, NextStep } from '../protocol/message.js';
import { nextLabel } from '../protocol/nextSteps.js';
import { fenced } from '../platform/fenced.js';
import { reasonOf } from '../platform/reason.js';
import { statusWord } from '../agent/statusWord.js';
import { stepCommand } from './stepCommands.js';

/** Where an answer goes: a response in the editor's own chat. */
export interface ResponseStream {
  /** Goes on with the answer. */
  markdown(text: string): void;
  /** A line that says what happens now. */
  progress(text: string): void;
  /** A file the answer rests on; `line` is 1-based. */
  reference(path: string, line?: number): void;
  button(title: string, command: string, ...args: unknown[]): void;
}

/** What a person asked in the editor's own chat. */
export interface ParticipantRequest {
  text: string;
  /** The slash command in front of the text, without its slash. */
  command?: string | undefined;
  attachments: Attachment[];
  /** Texts from outside that came with it, under a heading that says so: never the person's own words. */
  quoted?: string | undefined;
  /** The session that an earlier answer of the same chat came from. */
  sessionKey?: string | undefined;
}

export interface ParticipantDeps {
  bus: Pick<MessageBus, 'publish' | 'subscribe'>;
  loop: {
    stop(key: string): void;
    idle(key: string): Promise<void>;
    release(key: string): Promise<void>;
    conversation(key: string): Promise<{ removeQueued(ids: string[]): Promise<void> }>;
  };
  /** Resolves when no subagent of a session runs any more, and what they found has begun a turn or joined one. */
  subagents: { settled(sessionKey: string): Promise<void> };
  newId(): string;
  /** Resolves when what a command began in a session is over. */
  settled(sessionKey: string): Promise<void>;
  /** Notes the person's own words. */
  remember(text: string): Promise<{ path: string }>;
  recall(query: string, signal: AbortSignal): Promise<{ text: string; files?: { path: string; line?: number }[] }>;
  /** Shows a session in Nanobot's own chat, where it can be answered. */
  reveal(sessionKey: string): Promise<void>;
  /** True where only a stand-in would answer, since no model is set. */
  lacksModel(): Promise<boolean>;
}

/** Where the chat goes on, and what went wrong in words with the next step. */
export interface ParticipantResult {
  sessionKey: string;
  error?: string;
}

/** References of one answer at most. */
const MOST_REFERENCES = 20;

/** Those that lead on from outside of Nanobot's chat. */
const OFFERED: readonly NextStep[] = ['setKey', 'switchModel', 'openLog', 'openSettings', 'openFolder'];

/**
 * Answers a request of the editor's own chat: a turn of the loop in a session of its own, drawn on the response as it goes. What needs the person is
 * asked in Nanobot's chat view, which is brought up. `signal` stops the turn, and denies what waits. Never rejects: a failure is in the result.
 */
export async function answerRequest(
  deps: ParticipantDeps,
  request: ParticipantRequest,
  stream: ResponseStream,
  signal: AbortSignal,
): Promise<ParticipantResult> {
  const sessionKey = request.sessionKey ?? `participant:${deps.newId()}`;
  try {
    if (request.command === 'remember') return { sessionKey, ...(await remember(deps, request, stream)) };
    if (request.command === 'recall') return { sessionKey, ...(await recall(deps, request, stream, signal)) };
    const error = await runTurn(deps, sessionKey, request, stream, signal);
    return { sessionKey, ...(error === undefined ? {} : { error }) };
  } catch (cause) {
    return { sessionKey, error: reasonOf(cause) };
  }
}

async function remember(deps: ParticipantDeps, { text, quoted }: ParticipantRequest, stream: ResponseStream) {
  if (text.trim() === '') return { error: t('Say what to remember: @nanobot /remember we release on Thursdays') };
  if (quoted !== undefined) stream.progress(t('Attached texts are not noted: only your own words are.'));
  const { path } = await deps.remember(text);
  stream.markdown(t('Noted for later chats, in memory/{0}.', basename(path)));
  stream.reference(path);
  return {};
}

async function recall(
  deps: ParticipantDeps,
  { text }: ParticipantRequest,
  stream: ResponseStream,
  signal: AbortSignal,
) {
  const { text: found, files = [] } = await deps.recall(text, signal);
  stream.markdown(found);
  for (const { path, line } of files) stream.reference(path, line);
  return {};
}

async function runTurn(
  deps: ParticipantDeps,
  sessionKey: string,
  request: ParticipantRequest,
  stream: ResponseStream,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const { bus, loop } = deps;
  const id = deps.newId();
  const drawing = new Drawing(id, sessionKey, stream, deps);
  const subscription = bus.subscribe((event) => {
    if (event.sessionKey === sessionKey) drawing.happened(event.event);
  });
  const stop = () => loop.stop(sessionKey);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const lacksModel = request.command === undefined && (await deps.lacksModel());
    // What is quoted waits in no queue.
    if (request.quoted !== undefined) await loop.idle(sessionKey);
    if (signal.aborted) return undefined;
    const message: InboundMessage = {
      id,
      channel: 'participant',
      sessionKey,
      text: request.command === undefined ? request.text : `/${request.command} ${request.text}`.trim(),
      attachments: request.attachments,
      watched: true,
      ...(request.quoted === undefined ? {} : { quoted: request.quoted }),
    };
    if (bus.publish(message)) return t('Too many messages wait already. Send it again in a moment.');
    const whole = drawing.ended.then(() => resultsDrawn(deps, sessionKey, drawing));
    await Promise.race([whole, stoppedQuietly(deps, sessionKey, signal)]);
    if (lacksModel) {
      stream.markdown(`\n\n${t('No model is set up for Nanobot, so a stand-in without a network answered.')}`);
      stream.button(t('Select model'), 'nanobot.selectModel');
    }
    return signal.aborted ? undefined : drawing.error;
  } finally {
    signal.removeEventListener('abort', stop);
    subscription.dispose();
    // The next request, of this window or another, takes it again.
    await loop.release(sessionKey).catch(() => undefined);
  }
}

/** Each result of a subagent begins a turn, which may start more of them: over is what a look at both finds without another turn. */
async function resultsDrawn({ loop, subagents }: ParticipantDeps, sessionKey: string, drawing: Drawing): Promise<void> {
  let turns: number;
  do {
    turns = drawing.turns;
    await subagents.settled(sessionKey);
    await loop.idle(sessionKey);
  } while (drawing.turns !== turns);
}

/** After a stop the message may never have begun: then the session falls quiet without an end of its turn. */
function stoppedQuietly({ loop, subagents }: ParticipantDeps, sessionKey: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const quiet = () =>
      void loop
        .idle(sessionKey)
        .then(() => subagents.settled(sessionKey))
        .then(resolve, resolve);
    signal.addEventListener('abort', quiet, { once: true });
  });
}

/** Draws the turn of one request on its response, and those that its subagents' results begin. What the model thinks is left out. */
class Drawing {
  /** The request's own turn is over, or there is none. */
  readonly ended: Promise<void>;
  /** Turns of the session so far. */
  turns = 0;
  /** What went wrong, with the next step, once it has ended. */
  error: string | undefined;
  private end: () => void = () => undefined;
  /** Whether the request's own message has become one of the conversation. */
  private arrived = false;
  /** Whether the turn that runs is one to draw: others of the session are a person's in Nanobot's chat. */
  private begun = false;
  /** Whether text stands in the answer that the next paragraph has to be parted from. */
  private written = false;
  private notice: string | undefined;
  private readonly names = new Map<string, string>();
  private readonly referenced = new Set<string>();

  constructor(
    private readonly id: string,
    private readonly sessionKey: string,
    private readonly stream: ResponseStream,
    private readonly deps: Pick<ParticipantDeps, 'settled' | 'reveal' | 'loop'>,
  ) {
    this.ended = new Promise((resolve) => (this.end = resolve));
  }

  happened(event: AgentEvent): void {
    if (event.type === 'rejected' && event.id === this.id) {
      void this.notTaken(event.reason);
      return;
    }
    if (event.type === 'notice') {
      this.noticed(event.notice.level, event.notice.text);
      return;
    }
    if (event.type === 'turn_start') this.turns++;
    if (event.type === 'queue') this.queued(event.queue);
    if (event.type === 'user_message') {
      this.arrived ||= event.id === this.id;
      if (event.id === this.id || (this.arrived && event.sender?.kind === 'subagent')) this.begun = true;
    }
    if (this.begun) this.draw(event);
    if (event.type === 'turn_end') this.begun = false;
  }

  /** A message that was left behind by a turn which was stopped or failed would wait for a person elsewhere: it is taken back. */
  private queued(queue: readonly QueuedMessage[]): void {
    if (this.arrived || !queue.some(({ id, armed }) => id === this.id && !armed)) return;
    this.error = t('It was not begun: the turn before it was stopped in Nanobot’s chat, or failed there. Ask again.');
    void this.takenBack();
  }

  private async takenBack(): Promise<void> {
    try {
      await (await this.deps.loop.conversation(this.sessionKey)).removeQueued([this.id]);
    } catch (cause) {
      this.error = t('It was not begun, and waits in Nanobot’s chat: {0}', reasonOf(cause));
    }
    this.end();
  }

  private draw(event: AgentEvent): void {
    const { stream } = this;
    switch (event.type) {
      case 'message_start':
        if (this.written) this.paragraph('');
        return;
      case 'text':
        stream.markdown(event.text);
        this.written = true;
        return;
      case 'message_reset':
        if (this.written) this.paragraph(`*${t('The answer broke off and begins again:')}*\n\n`);
        return;
      case 'message_end':
        if (event.error) this.failed(event.error);
        return;
      case 'tool_start':
        this.names.set(event.callId, event.name);
        if (event.args !== '') stream.progress(`${event.name}: ${event.summary}`);
        return;
      case 'tool_end':
        this.toolEnded(event);
        return;
      case 'retry_wait':
        stream.progress(t('Waiting to try again: {0}', event.reason));
        return;
      case 'approval_start':
        this.ask(approvalWords(event.approval));
        return;
      case 'question_start':
        this.ask(questionWords(event.question));
        return;
      case 'turn_end':
        this.turnEnded(event);
        return;
      default:
    }
  }

  private toolEnded({ callId, status, summary, files = [] }: Extract<AgentEvent, { type: 'tool_end' }>): void {
    if (status !== 'ok') {
      this.stream.progress(t('{0} ({1}): {2}', this.names.get(callId) ?? t('A tool'), statusWord(status), summary));
      return;
    }
    for (const { path, line } of files) {
      if (this.referenced.has(path) || this.referenced.size >= MOST_REFERENCES) continue;
      this.referenced.add(path);
      this.stream.reference(path, line);
    }
  }

  private turnEnded({ turnId, status, changes = [] }: Extract<AgentEvent, { type: 'turn_end' }>): void {
    if (changes.length > 0) {
      const rows = changes.map(({ label, added, removed }) => `- ${label} +${String(added)} −${String(removed)}`);
      this.paragraph(`${t('Changed files:')}\n\n${rows.join('\n')}`);
      this.stream.button(t('Undo changes'), 'nanobot.undoTurn', this.sessionKey, turnId);
    }
    if (status === 'error') this.error ??= t('The turn failed; its session in Nanobot’s chat says why.');
    this.end();
  }

  private failed({ message, next }: ErrorInfo): void {
    const steps = next.flatMap((step) => {
      const command = OFFERED.includes(step) ? stepCommand(step, '@ext:nanobot.nanobot') : undefined;
      return command ? [[nextLabel(step), ...command] as const] : [];
    });
    for (const [title, command, ...args] of steps) this.stream.button(title, command, ...args);
    const labels = steps.map(([title]) => t('"{0}"', title));
    const next_ = labels.length > 0 ? t(' Next: {0}, then ask again.', labels.join(t(' or '))) : '';
    this.error = `${message}${next_}`;
  }

  /** Brings Nanobot's chat up, where the person can answer. */
  private ask(words: string): void {
    this.paragraph(words);
    this.stream.button(t('Answer in Nanobot'), 'nanobot.openSession', this.sessionKey);
    this.deps.reveal(this.sessionKey).catch((cause: unknown) => {
      this.paragraph(t('Nanobot’s chat could not be brought up ({0}): open it in the activity bar.', reasonOf(cause)));
    });
  }

  private noticed(level: 'info' | 'warning' | 'error', text: string): void {
    this.notice = text;
    if (this.begun && level !== 'info') this.paragraph(`**${levelWord(level)}** ${text}\n\n`);
    else if (!this.begun) this.stream.progress(text.split('\n')[0] ?? '');
  }

  /** With an empty reason it was a command: what that begins is waited for, and its last word is the answer. */
  private async notTaken(reason: string): Promise<void> {
    if (reason !== '') this.error = reason;
    else {
      await this.deps.settled(this.sessionKey).catch(() => undefined);
      if (this.notice !== undefined) this.stream.markdown(this.notice.replaceAll('\n', '  \n'));
    }
    this.end();
  }

  private paragraph(text: string): void {
    this.stream.markdown(this.written ? `\n\n${text}` : text);
    this.written = text !== '' && !text.endsWith('\n\n');
  }
}

function levelWord(level: 'warning' | 'error'): string {
  return level === 'warning'
    ? t({ message: 'warning:', comment: 'before what is said' })
    : t({ message: 'error:', comment: 'before what is said' });
}

function approvalWords({ title, detail, reasons }: ApprovalRequest): string {
  const why = reasons.map((reason) => `\n- ${reason}`).join('');
  return `**${t('Waits for your approval in Nanobot’s chat:')}** ${title}\n\n${fenced(detail)}${why}\n\n`;
}

function questionWords({ text, options }: Question): string {
  const choices = options.length > 0 ? ` (${options.join(' / ')})` : '';
  return `**${t('Asks you in Nanobot’s chat:')}** ${text}${choices}\n\n`;
}
