import { HEARTBEAT_ID } from '../../cron/jobSession.js';
import type { MessageBus } from '../../bus/bus.js';
import type { Disposable } from '../../platform/ports.js';
import type { AgentEvent, SessionEvent } from '../../protocol/event.js';
import type { ActiveSession } from '../../protocol/wire.js';

/** What is known of a session in which something happened. */
interface Known {
  title: string;
  running: boolean;
  approvals: Set<string>;
  questions: Set<string>;
  /** How its last turn ended, until somebody looks. */
  ended?: 'finished' | 'failed';
}

/** Sessions whose end a person is told elsewhere: by a card, a notification, or the editor's own chat. */
const TOLD_ELSEWHERE = /^(?:cron|participant):/;
const SUBAGENTS = /^subagent:/;

/**
 * In which sessions of this window something runs, waits for the person, or has ended where nobody looked. Told from the events on the bus, so it knows
 * what began after it was made. What a subagent does belongs to the session it works for.
 */
export class SessionActivity implements Disposable {
  private readonly sessions = new Map<string, Known>();
  private readonly subscription: Disposable;

  constructor(
    bus: Pick<MessageBus, 'subscribe'>,
    private readonly deps: {
      /** Whether a page that can be seen shows this session. */
      isSeen(key: string): boolean;
      /** Called after the list or a title in it changed. */
      changed(): void;
    },
  ) {
    this.subscription = bus.subscribe((event) => {
      this.hear(event);
    });
  }

  /** Those that need the person first. */
  list(): ActiveSession[] {
    const listed = [...this.sessions].flatMap(([key, known]) => {
      const state = stateOf(known);
      return state === undefined ? [] : [{ key, title: known.title, state }];
    });
    return listed.sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  }

  /** Approvals and questions that wait for the person, in whatever session: a turn that waits elsewhere must not be forgotten. */
  waitingForPerson(): number {
    return [...this.sessions.values()].reduce((sum, known) => sum + known.approvals.size + known.questions.size, 0);
  }

  /** The person has a session before them. */
  saw(key: string): void {
    const known = this.sessions.get(key);
    if (!known?.ended) return;
    delete known.ended;
    this.deps.changed();
  }

  /** The session is gone. */
  forget(key: string): void {
    if (this.sessions.delete(key)) this.deps.changed();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private hear({ sessionKey: key, event }: SessionEvent): void {
    if (SUBAGENTS.test(key)) return;
    const known = this.sessions.get(key) ?? newlyKnown();
    if (!this.take(key, known, event)) return;
    this.sessions.set(key, known);
    this.deps.changed();
  }

  /** Whether the event changes what is told. */
  private take(key: string, known: Known, event: AgentEvent): boolean {
    switch (event.type) {
      case 'turn_start':
        known.running = true;
        delete known.ended;
        return true;
      case 'turn_end':
        known.running = false;
        known.approvals.clear();
        known.questions.clear();
        if (event.status !== 'aborted' && !this.deps.isSeen(key) && !isToldElsewhere(key))
          known.ended = event.status === 'error' ? 'failed' : 'finished';
        return true;
      case 'approval_start':
        known.approvals.add(event.approval.id);
        return true;
      case 'approval_end':
        return known.approvals.delete(event.id);
      case 'question_start':
        known.questions.add(event.question.id);
        return true;
      case 'question_end':
        return known.questions.delete(event.id);
      case 'session': {
        if (known.title === event.title) return false;
        known.title = event.title;
        return true;
      }
      default:
        return false;
    }
  }
}

const ORDER: ActiveSession['state'][] = ['waiting', 'asks', 'failed', 'finished', 'running'];

function newlyKnown(): Known {
  return { title: '', running: false, approvals: new Set(), questions: new Set() };
}

function isToldElsewhere(key: string): boolean {
  return TOLD_ELSEWHERE.test(key) || key === HEARTBEAT_ID;
}

function stateOf({ approvals, questions, running, ended }: Known): ActiveSession['state'] | undefined {
  if (approvals.size > 0) return 'waiting';
  if (questions.size > 0) return 'asks';
  return running ? 'running' : ended;
}
