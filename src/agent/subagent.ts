import { t } from '@vscode/l10n';
import type { MessageBus } from '../bus/bus.js';
import type { RunResult } from '../cron/ports.js';
import type { Clock, Disposable, Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { Subagent, SubagentStatus } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import { ToolError } from '../runner/tool.js';
import type { Spill } from '../runner/toolCalls.js';
import { SessionBusy } from '../session/errors.js';
import type { Session } from '../session/session.js';
import type { SessionStore } from '../session/store.js';
import type { Spawned, Spawner, SpawnEnd, SpawnRequest } from '../tools/spawn.js';
import { Throttle } from '../tools/support/throttle.js';
import type { AgentLoop } from './loop.js';
import { handOn } from './subagentResult.js';
import {
  cardOf,
  endedRecord,
  resultsInARow,
  isHandedOn,
  metadataFor,
  noteStarted,
  recordIn,
  startedBy,
  subagentOf,
  subagentSession,
  type SubagentRecord,
} from './subagentRecord.js';
import { endOf, runSubagent } from './subagentTurn.js';
import type { ReadyModel } from './readyModel.js';
import { SharedBudget } from './turnBudget.js';

/** Subagents that run at once, over all sessions, and that may wait for their turn. */
const MAX_RUNNING = 4;
const MAX_WAITING = 50;
/** Results in a row, without a word of the person in between, after which none is started: work that feeds itself must end. */
const MAX_RESULTS = 30;
/** Milliseconds between two updates of a card. */
const UPDATE_MS = 300;

export interface SubagentDeps {
  bus: MessageBus;
  sessions: SessionStore;
  clock: Clock;
  log: Log;
  newId(): string;
  /** The loop, which is made after the tools. */
  loop(): AgentLoop;
  resolveModel(options: { watched: boolean; model?: string }): Promise<ReadyModel | { error: ErrorInfo }>;
  /** The ids of models there are, for an error. */
  models(): Promise<string[]>;
  spill: Spill;
  /** Ends what a session's commands left running. */
  endCommands(sessionKey: string): Promise<void>;
  /** For a person, outside of any chat. */
  notice(text: string): void;
}

/** A subagent that has not ended, in this process. */
interface Live {
  id: string;
  record: SubagentRecord;
  session: Session;
  controller: AbortController;
  cards: Throttle;
  news(line: string): void;
  end: Promise<SpawnEnd>;
  settle(end: SpawnEnd): void;
  /** The session it came from is gone: nobody is to be told anything. */
  orphaned?: true;
}

/**
 * SubagentManager: the subagents of all sessions. Four run at once, in the order in which they were asked for. What one is and how it stands is in its
 * own session, so that a process that is gone leaves it to be seen as interrupted and to be gone on with; the session it came from knows its id.
 */
export class SubagentManager implements Spawner {
  private readonly live = new Map<string, Live>();
  private readonly line: Live[] = [];
  private running = 0;
  private spawning: Promise<unknown> = Promise.resolve();
  /** What is under way for a session: work, and results on their way to it. */
  private readonly work = new Map<string, Set<Promise<unknown>>>();
  /** Those whose results are on their way. */
  private readonly handingOn = new Set<string>();
  private readonly budget = new SharedBudget();
  private closing = false;

  constructor(private readonly deps: SubagentDeps) {}

  /** One after the other, so that the calls of one answer begin, and are shown, in their order. */
  spawn(request: SpawnRequest, news: (line: string) => void): Promise<Spawned> {
    const spawned = this.spawning.then(() => this.begin(request, news));
    this.spawning = spawned.catch(() => undefined);
    return spawned;
  }

  /** Ends one, running or waiting. What it has done stays. */
  stop(id: string): void {
    const live = this.live.get(id);
    // The process ends: whoever waits for it ends as well, and nothing is written of that.
    if (this.closing) live?.settle({ status: 'stopped', text: '', untrusted: false });
    if (!live || this.closing) return;
    const at = this.line.indexOf(live);
    live.controller.abort();
    if (at < 0) return;
    this.line.splice(at, 1);
    void this.ended(live, { status: 'error', text: '', tokens: 0, denied: [], stopped: true });
  }

  /** Ends all that a session started. */
  stopOf(parent: string): void {
    for (const live of this.of(parent)) this.stop(live.id);
  }

  /**
   * Goes on with one that was interrupted; its result comes as a message. False, with nothing done, where its result was handed on already. Throws
   * `SessionBusy` where another window runs it.
   */
  async resume(id: string): Promise<boolean> {
    if (this.live.has(id) || this.closing) return true;
    const key = subagentSession(id);
    const session = await this.deps.sessions.open(key);
    const lease = await session.acquire();
    if (lease !== 'held') throw new SessionBusy(key, lease.by);
    const record = recordIn(session.metadata.metadata);
    if (!record) throw new Error(t('There is no such subagent any more: its transcript is gone.'));
    if (record.endedAt !== undefined && isHandedOn(await this.deps.sessions.open(record.parent), id, record))
      return false;
    const { endedAt: _ended, error: _error, ...rest } = record;
    if (this.live.has(id)) return true;
    this.add(
      id,
      { ...rest, wait: false, status: 'queued', startedAt: this.deps.clock.now() },
      session,
      () => undefined,
    );
    return true;
  }

  /** Those of a session as they are now: what no process runs any more, or never reached the session, is interrupted. */
  async cards(parent: Session): Promise<Subagent[]> {
    const ids = startedBy(parent);
    if (ids.length === 0) return [];
    const stored = new Map<string, Subagent>();
    for (const id of ids) {
      const found = this.live.has(id) ? undefined : await this.deps.sessions.peek(subagentSession(id));
      const record = found && recordIn(found.metadata);
      if (!record) continue;
      const isOver = record.status !== 'queued' && record.status !== 'running';
      const isLost =
        !found.busy &&
        !this.handingOn.has(id) &&
        (!isOver || (record.status !== 'stopped' && !isHandedOn(parent, id, record)));
      const card = cardOf(id, record, isLost ? 'interrupted' : record.status);
      stored.set(id, found.busy ? { ...card, elsewhere: true } : card);
    }
    return ids.flatMap((id) => {
      const live = this.live.get(id);
      const card = live ? cardOf(id, live.record) : stored.get(id);
      return card ? [card] : [];
    });
  }

  count(parent: string): { running: number; queued: number } {
    const all = this.of(parent);
    const queued = all.filter((live) => this.line.includes(live)).length;
    return { running: all.length - queued, queued };
  }

  /** Whether the session is that of a subagent which has not ended here, or gets the result of one: it must stay with this window. */
  isLive(sessionKey: string): boolean {
    const id = subagentOf(sessionKey);
    return id === undefined ? this.of(sessionKey).length > 0 : this.live.has(id);
  }

  /** Resolves when none of a session's runs or waits any more, and their results are where they belong. */
  async settled(parent: string): Promise<void> {
    for (let work = this.work.get(parent); work && work.size > 0; work = this.work.get(parent)) await Promise.all(work);
  }

  /** Ends what a session started that is being deleted, and resolves with the sessions it leaves. */
  async forget(parent: string): Promise<string[]> {
    const all = this.of(parent);
    for (const live of all) {
      live.orphaned = true;
      this.stop(live.id);
    }
    await this.settled(parent);
    const session = await this.deps.sessions.open(parent);
    return startedBy(session).map(subagentSession);
  }

  /** From now on nothing is told or stored: what runs is cut off with the process, and can be gone on with. */
  close(): void {
    this.closing = true;
    for (const live of this.live.values()) live.cards.dispose();
  }

  private async begin(request: SpawnRequest, news: (line: string) => void): Promise<Spawned> {
    const { sessions, clock, newId } = this.deps;
    const { parent: parentKey, turnId, callId, task, label = '', wait, watched } = request;
    if (this.closing) throw new ToolError('Nanobot is shutting down; no subagent can be started.');
    if (subagentOf(parentKey) !== undefined) throw new ToolError('A subagent cannot start subagents. Do it yourself.');
    if (this.line.length >= MAX_WAITING)
      throw new ToolError(`${String(MAX_WAITING)} subagents wait already. Go on when some of them have ended.`);
    const parent = await this.deps.loop().conversation(parentKey);
    if (resultsInARow(parent.session) >= MAX_RESULTS)
      throw new ToolError(
        `${String(MAX_RESULTS)} results have come since the person last wrote. Tell them how it stands and let them decide.`,
      );
    const model = await this.modelFor(request.model, parent.state.model?.id);
    const allowance = watched ? undefined : this.budget.grant(turnId);
    if (!watched && allowance === undefined)
      throw new ToolError(
        'The subagents of this turn have used the tokens they may use together. Do the rest yourself.',
      );
    const id = newId();
    const record: SubagentRecord = {
      ...{ parent: parentKey, turnId, callId, label, task, wait, watched },
      ...(model === undefined ? {} : { model }),
      ...(allowance === undefined ? {} : { allowance }),
      ...(request.untrusted ? { untrusted: true } : {}),
      ...{ status: 'queued', startedAt: clock.now(), steps: 0 },
    };
    const session = await sessions.open(subagentSession(id));
    await session.setMetadata(metadataFor(record, parent.choice), { flush: true });
    await noteStarted(parent.session, id);
    const live = this.add(id, record, session, news);
    if (allowance !== undefined)
      void live.end.then(() => {
        this.budget.settle(turnId, allowance, live.record.tokens ?? 0);
      });
    return { id, label, queued: live.record.status === 'queued', end: live.end };
  }

  private of(parent: string): Live[] {
    return [...this.live.values()].filter((live) => live.record.parent === parent);
  }

  /** `provider/model` as asked for, else the one that the conversation uses. */
  private async modelFor(asked: string | undefined, ofParent: string | undefined): Promise<string | undefined> {
    if (asked === undefined) return ofParent;
    const found = await this.deps.resolveModel({ watched: false, model: asked });
    if (!('error' in found)) return asked;
    const there = await this.deps.models();
    const list = there.length > 0 ? ` There are: ${there.slice(0, 20).join(', ')}.` : '';
    throw new ToolError(`${found.error.message}${list} Leave model out for the one of this conversation.`);
  }

  private add(id: string, record: SubagentRecord, session: Session, news: Live['news']): Live {
    let settle: Live['settle'] = () => undefined;
    const end = new Promise<SpawnEnd>((resolve) => (settle = resolve));
    const cards = new Throttle(this.deps.clock, UPDATE_MS, () => {
      this.show(live);
    });
    const live: Live = { id, record, session, news, end, settle, cards, controller: new AbortController() };
    this.live.set(id, live);
    this.line.push(live);
    this.busyWith(record.parent, end);
    this.next();
    if (live.record.status === 'queued') this.show(live);
    return live;
  }

  private next(): void {
    while (this.running < MAX_RUNNING && !this.closing) {
      const live = this.line.shift();
      if (!live) return;
      this.running++;
      live.record = { ...live.record, status: 'running', startedAt: this.deps.clock.now() };
      this.show(live);
      void this.run(live).finally(() => {
        this.running--;
        this.next();
      });
    }
  }

  private async run(live: Live): Promise<void> {
    const { bus, clock, log, newId } = this.deps;
    const following = this.follow(live);
    let result: RunResult;
    try {
      await this.store(live);
      const deps = { bus, loop: this.deps.loop(), clock, log, newId };
      result = await runSubagent(deps, live.session, live.record, live.controller.signal);
    } catch (cause) {
      log.error(`The subagent ${live.id} could not be run.`, cause);
      result = { status: 'error', text: '', error: reasonOf(cause), tokens: 0, denied: [] };
    } finally {
      following.dispose();
    }
    await this.ended(live, result);
  }

  /** Its steps and what it does, from the events of its session. */
  private follow(live: Live): Disposable {
    const key = subagentSession(live.id);
    return this.deps.bus.subscribe(({ sessionKey, event }) => {
      if (sessionKey !== key || this.closing) return;
      if (event.type === 'turn_step') {
        live.record = { ...live.record, steps: event.steps };
        live.cards.poke();
        live.news(t('Step {0}', event.steps));
      }
      if (event.type === 'tool_start' && event.args !== '') {
        live.news(t('Step {0}: {1} {2}', live.record.steps, event.name, event.summary));
      }
    });
  }

  /** Stores how it ended, tells who waits, and sends the result on its way. Must not reject. */
  private async ended(live: Live, result: RunResult): Promise<void> {
    live.cards.dispose();
    if (this.closing) return;
    const { log, endCommands, notice } = this.deps;
    const { label } = live.record;
    await endCommands(live.session.key).catch((cause: unknown) => {
      log.warn(`Commands of the subagent ${live.id} could not be ended: ${String(cause)}`);
    });
    const end = endOf(live.session, result);
    live.record = endedRecord(live.record, end, { tokens: result.tokens, endedAt: this.deps.clock.now() });
    const isStored = await this.store(live).then(
      () => true,
      (cause: unknown) => {
        log.warn(`How the subagent ${live.id} ended could not be stored: ${String(cause)}`);
        return false;
      },
    );
    if (result.denied.length > 0 && !live.orphaned) {
      notice(t('Nobody watches the subagent "{0}", so it was denied: {1}.', label, result.denied.join('; ')));
    }
    this.live.delete(live.id);
    // A session that another process took over was not stopped by anybody.
    this.show(live, end.status === 'stopped' && !isStored ? 'interrupted' : live.record.status);
    if (!live.record.wait && !live.orphaned && end.status !== 'stopped') {
      this.busyWith(live.record.parent, this.handOn(live, end));
    }
    live.settle(end);
    await this.deps
      .loop()
      .release(live.session.key)
      .catch((cause: unknown) => {
        log.warn(`${live.session.key} could not be given back: ${String(cause)}`);
      });
  }

  private async handOn(live: Live, end: SpawnEnd): Promise<void> {
    const { id, record } = live;
    this.handingOn.add(id);
    const problem = await handOn(this.deps, { id, record, end });
    this.handingOn.delete(id);
    if (problem === undefined || this.closing) return;
    this.show(live, 'interrupted');
    const parent = await this.deps.loop().conversation(record.parent);
    const words = t(
      'The result of the subagent "{0}" could not be handed on: {1} It is in its transcript; Resume on its card hands it on.',
      record.label,
      problem,
    );
    parent.notice(`subagent-${id}`, 'warning', words);
  }

  private store({ session, record }: Live): Promise<void> {
    return session.setMetadata({ subagent: record }, { flush: true });
  }

  private show(live: Live, status: SubagentStatus = live.record.status): void {
    if (this.closing || live.orphaned) return;
    const card = cardOf(live.id, live.record, status);
    this.deps
      .loop()
      .conversation(live.record.parent)
      .then(
        (parent) => {
          parent.emit({ type: 'subagent', ...card });
        },
        (cause: unknown) => {
          this.deps.log.warn(`The chat of the subagent ${live.id} cannot be read: ${String(cause)}`);
        },
      );
  }

  private busyWith(parent: string, work: Promise<unknown>): void {
    const all = this.work.get(parent) ?? new Set();
    this.work.set(parent, all);
    const done = work
      .catch((cause: unknown) => {
        this.deps.log.warn(`A result could not be handed on: ${String(cause)}`);
      })
      .finally(() => {
        all.delete(done);
        if (all.size === 0) this.work.delete(parent);
      });
    all.add(done);
  }
}
