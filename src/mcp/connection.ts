import { t } from '@vscode/l10n';
import { english, englishReason, translated, WordsError, type Words } from '../platform/words.js';
import { reasonOf } from '../platform/reason.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import * as z from 'zod';
import type { Disposable } from '../platform/ports.js';
import { ToolError, type ToolContext } from '../runner/tool.js';
import { CallTimer } from './callTimer.js';
import { describeTarget, type McpServer } from './config.js';
import { openServer, SignInNeeded, statusOf, type ConnectDeps, type Opened } from './connect.js';
import { elicit } from './elicit.js';
import { withheldWords } from './envFile.js';
import { LogRing } from './logRing.js';
import { readPrompts, type ServerPrompt } from './prompts.js';
import { TOO_LONG } from './limitedFetch.js';

/** Milliseconds before each further try after a server was lost; after the last one it stays away until it is asked for. */
const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 60_000];
/** A connection that lasted so long was a good one: the pauses begin anew. */
const STEADY_MS = 60_000;
/** The protocol's package wants a limit of its own; ours is `CallTimer`. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** Milliseconds for one page of a list. */
const LIST_MS = 15_000;
/** Pages of a list that are read. */
const MOST_PAGES = 50;

/** A tool as a server tells of it, as far as it can be understood. */
export interface ServerTool {
  name: string;
  description: string;
  inputSchema: unknown;
  readOnly: boolean;
}

export type McpState =
  | { kind: 'idle' }
  | { kind: 'connecting' }
  | { kind: 'ready'; resources: boolean; prompts: boolean }
  /** Lost; tried again at `at`, epoch milliseconds. */
  | { kind: 'waiting'; reason: string; at: number }
  | { kind: 'failed'; reason: string; at: number; signIn: boolean };

type Context = Pick<ToolContext, 'signal' | 'watched' | 'ask' | 'update'>;

const anything = z.looseObject({});
const toolShape = z.looseObject({
  name: z.string().min(1),
  description: z.string().catch(''),
  inputSchema: z.unknown().optional(),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().catch(false).optional() })
    .optional()
    .catch(undefined),
});

/**
 * One server from its first connection to its end: connected when it is first wanted, again with growing pauses after it was lost, and at once when it
 * is called meanwhile. Its failures are a state with a reason and never reject but from `request`.
 */
export class McpConnection {
  state: McpState = { kind: 'idle' };
  tools: ServerTool[] = [];
  prompts: ServerPrompt[] = [];
  readonly log: LogRing;
  private opened: Opened | undefined;
  private connecting: Promise<void> | undefined;
  private leaving = new AbortController();
  private retry: Disposable | undefined;
  private losses = 0;
  /** Why it is not there, where its state says so. */
  private reason: Words | undefined;
  private readySince = 0;
  private readonly active = new Set<{ context: Context; timer: CallTimer }>();

  constructor(
    readonly server: McpServer,
    private readonly deps: ConnectDeps,
    /** Called after the state or the tools changed. */
    private readonly changed: (connection: McpConnection) => void,
  ) {
    this.log = new LogRing(deps.clock);
  }

  /** Connects unless that is done or under way. Resolves when it is known how it went; never rejects. */
  connect(): Promise<void> {
    if (this.state.kind === 'ready') return Promise.resolve();
    this.retry?.dispose();
    this.connecting ??= this.open().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  /** Ends the connection, whatever its state, and begins anew. */
  async restart(): Promise<void> {
    await this.close();
    this.leaving = new AbortController();
    this.losses = 0;
    await this.connect();
  }

  /** Ends the connection and the server's process with all it started. */
  async close(): Promise<void> {
    this.leaving.abort(new Error('It is being ended.'));
    this.retry?.dispose();
    await this.connecting;
    const { opened } = this;
    this.opened = undefined;
    this.set({ kind: 'idle' });
    await opened?.close().catch(() => undefined);
  }

  /**
   * Asks the server something on behalf of a call. Connects first where that is needed. Rejects with a `ToolError` in words for the model: stopped, no
   * news within the time limit, lost, refused.
   */
  async request(method: string, params: Record<string, unknown>, context: Context): Promise<unknown> {
    await this.connect();
    try {
      return await this.requestOnce(method, params, context);
    } catch (cause) {
      // The server has forgotten us, as after its restart: the request was not taken.
      if (statusOf(cause) !== 404 || context.signal.aborted) throw this.inWords(cause, context);
      this.lost((t) => t('It no longer knows this session.'));
      await this.connect();
      return await this.requestOnce(method, params, context).catch((again: unknown) => {
        throw this.inWords(again, context);
      });
    }
  }

  private async requestOnce(method: string, params: Record<string, unknown>, context: Context): Promise<unknown> {
    const { opened, server } = this;
    if (!opened) throw new ToolError(this.notThere());
    const seconds = String(server.timeoutMs / 1000);
    const timer = new CallTimer(
      this.deps.clock,
      server.timeoutMs,
      `The MCP server ${server.name} gave no answer within ${seconds} seconds; the call was cancelled. "toolTimeout" sets another limit.`,
    );
    const call = { context, timer };
    this.active.add(call);
    // Of its own for each call: the protocol's package cancels a request at an abort even after its answer came.
    const ended = new AbortController();
    const end = () => {
      ended.abort(timer.signal.reason);
    };
    for (const signal of [context.signal, timer.signal]) signal.addEventListener('abort', end, { once: true });
    if (context.signal.aborted) end();
    const options: RequestOptions = {
      signal: ended.signal,
      timeout: NO_LIMIT_MS,
      onprogress: ({ progress, total, message }) => {
        timer.touch();
        context.update(
          `${total === undefined ? String(progress) : t({ message: '{0} of {1}', args: [progress, total], comment: 'progress' })}${message ? ` ${message}` : ''}`,
        );
      },
    };
    try {
      return await opened.client.request({ method, params }, anything, options);
    } catch (cause) {
      throw timer.signal.aborted ? new ToolError((timer.signal.reason as Error).message) : cause;
    } finally {
      for (const signal of [context.signal, timer.signal]) signal.removeEventListener('abort', end);
      timer.dispose();
      this.active.delete(call);
    }
  }

  private async open(): Promise<void> {
    this.set({ kind: 'connecting' });
    this.log.begin();
    this.log.add(`connecting: ${describeTarget(this.server)}`);
    if (this.server.withheld) this.log.add(withheldWords(this.server.withheld));
    const { signal } = this.leaving;
    try {
      const opened = await openServer(this.server, this.deps, this.events(), signal);
      this.opened = opened;
      this.tools = await this.listTools(opened);
      this.prompts = await this.listPrompts(opened);
      if (this.opened !== opened) throw new WordsError((t) => t('It ended while its tools were listed.'));
      this.readySince = this.deps.clock.now();
      const { resources, prompts } = opened.client.getServerCapabilities() ?? {};
      this.log.add(`ready, ${String(this.tools.length)} tools`);
      this.set({ kind: 'ready', resources: resources !== undefined, prompts: prompts !== undefined });
    } catch (cause) {
      await this.opened?.close().catch(() => undefined);
      this.opened = undefined;
      const [words, tail] = [wordsOf(cause), this.tail()];
      const reason: Words = (t) => words(t) + tail(t);
      this.log.add(`failed: ${words(english)}`);
      if (signal.aborted) return;
      if (this.losses > 0 && !(cause instanceof SignInNeeded)) this.tryLater(reason);
      else this.fail(reason, cause instanceof SignInNeeded);
    }
  }

  private events() {
    return {
      closed: () => {
        this.lost((t) => t('It ended.'));
      },
      failed: (error: Error) => {
        this.log.add(`error: ${englishReason(error)}`);
        if (error.message.includes(TOO_LONG)) for (const { timer } of this.active) timer.fail(TOO_LONG);
      },
      heard: (line: string) => {
        this.log.add(line);
      },
      toolsChanged: () => void this.relist(),
      promptsChanged: () => void this.relistPrompts(),
      elicit: async (params: Parameters<typeof elicit>[1]) => {
        const call = [...this.active].at(-1);
        const asking = elicit(this.server.name, params, call?.context);
        return call ? call.timer.pausedFor(asking) : asking;
      },
    };
  }

  private lost(reason: Words): void {
    const { opened } = this;
    if (!opened) return;
    this.opened = undefined;
    void opened.close().catch(() => undefined);
    if (this.leaving.signal.aborted || this.connecting) return;
    if (this.deps.clock.now() - this.readySince > STEADY_MS) this.losses = 0;
    const tail = this.tail();
    this.tryLater((t) => reason(t) + tail(t));
  }

  private tryLater(reason: Words): void {
    const pause = PAUSES_MS[this.losses++];
    if (pause === undefined) {
      this.fail(reason, false);
      return;
    }
    this.reason = reason;
    this.set({ kind: 'waiting', reason: reason(translated), at: this.deps.clock.now() + pause });
    this.retry = this.deps.clock.after(pause, () => void this.connect());
  }

  private fail(reason: Words, signIn: boolean): void {
    this.reason = reason;
    this.set({ kind: 'failed', reason: reason(translated), at: this.deps.clock.now(), signIn });
  }

  /** The last words as they are now. */
  private tail(): Words {
    const [shown, told] = [this.log.tail(translated), this.log.tail(english)];
    return (t) => (t === english ? told : shown);
  }

  private async relist(): Promise<void> {
    const { opened } = this;
    if (!opened) return;
    try {
      this.tools = await this.listTools(opened);
      this.log.add(`its tools changed: ${String(this.tools.length)} now`);
      this.changed(this);
    } catch (cause) {
      this.log.add(`its tools could not be listed again: ${englishReason(cause)}`);
    }
  }

  private async relistPrompts(): Promise<void> {
    if (!this.opened) return;
    this.prompts = await this.listPrompts(this.opened);
    this.changed(this);
  }

  /** A list that fails costs the server its prompts and nothing else. */
  private async listPrompts({ client }: Opened): Promise<ServerPrompt[]> {
    if (!client.getServerCapabilities()?.prompts) return [];
    try {
      const answer = await client.request({ method: 'prompts/list', params: {} }, anything, { timeout: LIST_MS });
      return readPrompts(this.server.name, answer);
    } catch (cause) {
      this.log.add(`its prompts could not be listed: ${englishReason(cause)}`);
      return [];
    }
  }

  private async listTools({ client }: Opened): Promise<ServerTool[]> {
    if (!client.getServerCapabilities()?.tools) return [];
    const found: ServerTool[] = [];
    let cursor: unknown;
    for (let page = 0; page < MOST_PAGES; page++) {
      const params = typeof cursor === 'string' ? { cursor } : {};
      const answer = await client.request({ method: 'tools/list', params }, anything, { timeout: LIST_MS });
      const listed = Array.isArray(answer['tools']) ? (answer['tools'] as unknown[]) : [];
      found.push(...listed.flatMap((tool) => this.readTool(tool)));
      cursor = answer['nextCursor'];
      if (typeof cursor !== 'string') break;
    }
    return found.filter((tool, at) => found.findIndex((other) => other.name === tool.name) === at);
  }

  private readTool(value: unknown): ServerTool[] {
    const { data } = toolShape.safeParse(value);
    if (!data) {
      this.log.add(`a tool without a name was left out: ${JSON.stringify(value).slice(0, 200)}`);
      return [];
    }
    const { name, description, inputSchema, annotations } = data;
    return [{ name, description, inputSchema, readOnly: annotations?.readOnlyHint ?? false }];
  }

  private inWords(cause: unknown, context: Context): ToolError {
    if (cause instanceof ToolError) return cause;
    if (context.signal.aborted) return new ToolError('Stopped before the server answered.');
    const { name } = this.server;
    if (cause instanceof TypeError && cause.message === 'fetch failed') this.lost((t) => t('It could not be reached.'));
    if (!this.opened) {
      return new ToolError(
        `The MCP server ${name} was lost during this call, whose effect is unknown.${this.log.tail(english)} It is being connected again.`,
      );
    }
    return new ToolError(`The MCP server ${name} answered with an error: ${englishReason(cause)}`);
  }

  private notThere(): string {
    const { state, server } = this;
    const reason = 'reason' in state && this.reason ? ` ${this.reason(english)}` : '';
    return `The MCP server ${server.name} is not connected.${reason} Go on without it, and tell the person: "Nanobot: MCP Servers" shows its log and restarts it.`;
  }

  private set(state: McpState): void {
    this.state = state;
    this.changed(this);
  }
}

function wordsOf(cause: unknown): Words {
  const [shown, told] = [reasonOf(cause), englishReason(cause)];
  return (t) => (t === english ? told : shown);
}
