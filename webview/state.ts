import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { isClosed, type ChatState } from '../src/protocol/chatState.js';
import type { AgentEvent, Subagent } from '../src/protocol/event.js';
import type { Attachment, NextStep } from '../src/protocol/message.js';
import {
  MAX_PROMPT,
  type HostMessage,
  type PageMessage,
  type PageSetup,
  type RestorePlan,
} from '../src/protocol/wire.js';
import { createAnnouncer } from './announcer.js';
import { createAttaching, type Attaching } from './composer/attaching.js';
import { createComposer, type ComposerState } from './composer/composerState.js';
import { createContextDetails, type ContextDetails } from './composer/contextDetails.js';
import { createMentions, type MentionState } from './composer/mentionState.js';
import { createFeed } from './feed.js';
import { createFind, type FindState } from './find/findState.js';
import { createSessions, type SessionsState } from './header/sessionsState.js';
import { createHostWatch, type HostWatch } from './hostWatch.js';
import { createPending, type PendingPrompt } from './pending.js';
import type { PagePorts } from './ports.js';
import { strings } from './strings.js';
import { mergeLoaded, reachesEnd } from './window.js';

/** Where the transcript is to scroll next; a new object each time. */
export type ScrollTarget = { to: 'end' } | { to: 'message'; id: string; mark?: string };

/** What the components see of the page. */
export interface Page {
  ports: PagePorts;
  chat: ReadonlySignal<ChatState>;
  /** Parts of the conversation that cards show: no change while an answer streams. */
  subagents: ReadonlySignal<Subagent[]>;
  isReadOnly: ReadonlySignal<boolean>;
  /** Null until the first snapshot. */
  setup: ReadonlySignal<PageSetup | null>;
  pending: ReadonlySignal<PendingPrompt[]>;
  host: HostWatch;
  /** How many snapshots have come. */
  snapshots: ReadonlySignal<number>;
  composer: ComposerState;
  attaching: Attaching;
  contextDetails: ContextDetails;
  mentions: MentionState;
  find: FindState;
  sessions: SessionsState;
  /** Said to screen readers. */
  announcement: ReadonlySignal<string>;
  /** Epoch milliseconds, moving once a second while something runs that shows its time. */
  clock: ReadonlySignal<number>;
  /** Id of the message whose text is being edited. */
  editing: Signal<string | null>;
  /** What going back to before a message would do, while the person is asked. */
  restorePlan: Signal<RestorePlan | null>;
  /** The same for the message that is being edited. */
  editPlan: ReadonlySignal<RestorePlan | null>;
  scrollTarget: ReadonlySignal<ScrollTarget | null>;
  /** The dialog that is open. */
  dialog: Signal<'keys' | 'usage' | null>;
  /** A refusal that belongs to the composer, such as "The queue is full". */
  refusal: Signal<string>;
  post(message: PageMessage): void;
  /** Tells screen readers. */
  say(words: string): void;
  /** Sends what is in the composer, if anything is. */
  send(): void;
  sendText(text: string, attachments: Attachment[]): void;
  /** Sends a message of the person anew with another text, `withFiles` after its files were put back. */
  resend(messageId: string, text: string, withFiles: boolean): void;
  /** Stops the running turn, if one runs. */
  stop(): void;
  loadMore(direction: 'older' | 'newer'): void;
  goToEnd(): void;
  /** A button of an error (`messageId`) or of a notice. */
  next(step: NextStep, from: { messageId?: string; noticeId?: string }): void;
  receive(message: HostMessage): void;
}

/** The page without its picture: everything between the host's messages and the components. */
export function createPage(ports: PagePorts): Page {
  const feed = createFeed(ports, mergeLoaded);
  const chat = feed.drawn;
  const setup = signal<PageSetup | null>(null);
  const pending = createPending();
  const host = createHostWatch(ports);
  const snapshots = signal(0);
  const composer = createComposer(ports);
  const announcer = createAnnouncer();
  const scrollTarget = signal<ScrollTarget | null>(null);
  const refusal = signal('');
  const editing = signal<string | null>(null);
  const restorePlan = signal<RestorePlan | null>(null);
  const editPlan = signal<RestorePlan | null>(null);
  const dialog = signal<'keys' | 'usage' | null>(null);
  const loading = createLoading(ports, feed.latest);
  const find = createFind(ports, (hit) => {
    if (feed.latest().messages.some((message) => message.id === hit.messageId)) {
      scrollTarget.value = { to: 'message', id: hit.messageId, mark: find.query.value };
    } else ports.post({ type: 'goTo', index: hit.index });
  });
  const mentions = createMentions(ports, () => setup.value?.commands ?? []);
  const sessions = createSessions(ports);
  const contextDetails = createContextDetails(ports);

  const goToEnd = () => {
    scrollTarget.value = { to: 'end' };
    const state = feed.latest();
    if (!reachesEnd(state)) ports.post({ type: 'goTo', index: state.total - 1 });
  };
  /** The chat that something is said in. */
  const spokenIn = () => {
    const { key } = feed.latest().session;
    return key === '' ? {} : { session: key };
  };
  const sendText = (text: string, attachments: Attachment[]) => {
    const prompt = { id: ports.newId(), text, attachments };
    refusal.value = '';
    pending.add(prompt);
    ports.post({ type: 'prompt', ...prompt, ...spokenIn() });
    host.sent(() => pending.prompts.value.some(({ id }) => id === prompt.id));
    goToEnd();
  };
  const send = () => {
    const text = composer.text.value.trim();
    const attachments = composer.attachments.value;
    const isEmpty = text === '' && attachments.length === 0 && attaching.busy.value.length === 0;
    if (isEmpty || isClosed(feed.latest().session)) return;
    if (text.length > MAX_PROMPT) {
      refusal.value = strings.notSent(strings.tooLong);
      return;
    }
    if (attaching.awaitBusy()) return;
    composer.clear();
    sendText(text, attachments);
  };
  const attaching = createAttaching(ports, composer, (reason) => void (refusal.value = reason), send);
  const onEvent = (event: AgentEvent) => {
    pending.confirm(event);
    announcer.hear(event, feed.latest());
  };
  const onSnapshot = (message: Extract<HostMessage, { type: 'snapshot' }>) => {
    const before = feed.latest();
    pending.compare(before, message.state);
    if (before.session.key !== message.state.session.key) {
      editing.value = restorePlan.value = null;
      // What waits to be sent was meant for the chat that was shown: its words stay in the box.
      attaching.forgetAwaited();
    }
    // Only a page that has just opened takes the host's draft: a later one may be older than what was typed or sent since.
    if (setup.value === null) {
      composer.takeDraft(message.setup.draft, message.setup.draftAt);
      attaching.measureAll();
    }
    setup.value = message.setup;
    ports.rememberSession(message.state.session.key);
    loading.end();
    feed.snapshot(message.n, message.state);
    snapshots.value++;
  };
  const onLoaded = (message: Extract<HostMessage, { type: 'loaded' }>) => {
    loading.end();
    feed.loaded(message);
    if (message.direction !== 'around' || message.focus === undefined) return;
    const focused = message.messages[message.focus - message.first];
    const isEnd = message.focus === message.total - 1 && !find.isOpen.value;
    if (isEnd) scrollTarget.value = { to: 'end' };
    else if (focused) scrollTarget.value = { to: 'message', id: focused.id, mark: find.query.value };
  };
  const onRejected = ({ id, reason, words }: Extract<HostMessage, { type: 'rejected' }>) => {
    const prompt = pending.take(id) ?? words;
    // Without a reason it was a command: it has been carried out and is no message.
    if (reason === '') return;
    if (prompt) composer.giveBack(prompt.text, prompt.attachments);
    refusal.value = strings.notSent(reason);
  };
  const onActivity = (message: Extract<HostMessage, { type: 'activity' }>) => {
    const news = sessions.activity(message).find(({ key }) => key !== feed.latest().session.key);
    if (news) announcer.say(strings.announceSession(news.title, news.state));
  };
  const receive = (message: HostMessage) => {
    switch (message.type) {
      case 'snapshot':
        return onSnapshot(message);
      case 'frame':
        if (feed.frame(message.n, message.events)) message.events.forEach(onEvent);
        return;
      case 'loaded':
        return onLoaded(message);
      case 'found':
        return find.found(message);
      case 'sessions':
        return sessions.listed(message);
      case 'activity':
        return onActivity(message);
      case 'mentions':
        return mentions.mentions(message);
      case 'commands':
        if (setup.value) setup.value = { ...setup.value, commands: message.items };
        return;
      case 'attached':
      case 'taken':
      case 'notTaken':
      case 'measured':
      case 'shrink':
      case 'selection':
        return attaching.receive(message);
      case 'pieces':
        return contextDetails.listed(message);
      case 'send':
        return sendText(message.text, message.attachments);
      case 'insert':
        composer.setText(joined(composer.text.value, message.text));
        return composer.focus();
      case 'restorePlan':
        if (message.for === 'restore') restorePlan.value = message.plan;
        else if (editing.value === message.plan.messageId) editPlan.value = message.plan;
        return;
      case 'focus':
        return composer.focus();
      case 'keys':
        dialog.value = 'keys';
        return;
      case 'rejected':
        return onRejected(message);
    }
  };

  return {
    ports,
    chat,
    subagents: computed(() => chat.value.subagents),
    isReadOnly: computed(() => chat.value.session.readOnly),
    setup,
    pending: pending.prompts,
    host,
    snapshots,
    composer,
    attaching,
    contextDetails,
    mentions,
    find,
    sessions,
    announcement: announcer.text,
    clock: createClock(ports, chat),
    editing,
    restorePlan,
    editPlan,
    scrollTarget,
    dialog,
    refusal,
    post: ports.post,
    say: announcer.say,
    send,
    sendText,
    resend: (messageId, text, withFiles) =>
      ports.post({ type: 'resend', messageId, text, ...(withFiles ? { files: true } : {}), ...spokenIn() }),
    stop: () => {
      if (feed.latest().turn) ports.post({ type: 'stop' });
    },
    loadMore: loading.start,
    goToEnd,
    next: (step, from) => {
      // Both take out the message that says why it ended, and go on from there.
      if ((step === 'retry' || step === 'continue') && from.messageId)
        ports.post({ type: 'retry', messageId: from.messageId });
      else ports.post({ type: 'next', step, ...(from.noticeId ? { noticeId: from.noticeId } : {}) });
    },
    receive: (message) =>
      batch(() => {
        host.heard();
        receive(message);
      }),
  };
}

/** Asks for more messages once; the next question waits for the answer. */
function createLoading(ports: PagePorts, latest: () => ChatState) {
  let isLoading = false;
  return {
    end: () => void (isLoading = false),
    start: (direction: 'older' | 'newer') => {
      const { first, messages } = latest();
      const isNeeded = direction === 'older' ? first > 0 : !reachesEnd(latest());
      if (isLoading || !isNeeded) return;
      isLoading = true;
      ports.post({ type: 'load', direction, at: direction === 'older' ? first : first + messages.length });
    },
  };
}

/** Ticks only while a turn or a subagent runs or a retry waits, so that an idle page wakes nobody. */
function createClock(ports: PagePorts, chat: ReadonlySignal<ChatState>): ReadonlySignal<number> {
  const clock = signal(ports.now());
  const isNeeded = computed(() => {
    const { turn, retry, subagents } = chat.value;
    return turn !== null || retry !== null || subagents.some(({ status }) => status === 'running');
  });
  let stop = () => {};
  isNeeded.subscribe((needed) => {
    stop();
    stop = () => {};
    if (!needed) return;
    clock.value = ports.now();
    stop = ports.every(1000, () => void (clock.value = ports.now()));
  });
  return clock;
}

function joined(text: string, more: string): string {
  return text === '' || /\s$/.test(text) ? text + more : `${text}\n${more}`;
}
