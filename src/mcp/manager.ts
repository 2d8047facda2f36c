import { t } from '@vscode/l10n';
import type { Clock, Disposable, Log, Secrets } from '../platform/ports.js';
import type { ToolRegistry } from '../runner/registry.js';
import { ToolError, type Tool } from '../runner/tool.js';
import { describeTarget, type McpEntry, type McpServer, type McpSource } from './config.js';
import { CONNECT_MS, type ConnectDeps } from './connect.js';
import { McpConnection, type McpState, type ServerTool } from './connection.js';
import { editorServerTools, type EditorServer, type EditorTools } from './editorServers.js';
import { signIn, type SignInPort } from './login.js';
import { ToolNames } from './names.js';
import { promptText, type ServerPrompt } from './prompts.js';
import { foldedTools, onConnection, promptsTool, resourcesTool, serverTool, type ToolServer } from './tools.js';

/** Tools of one server, and of all together, that are offered each by itself; a server with more is searched. Providers take 128 in all. */
const MOST_OF_ONE = 40;
const MOST_TOGETHER = 90;
/** Milliseconds the first turn waits for servers that are just starting, where somebody watches; a turn nobody watches waits as long as they may take. */
const PATIENCE_MS = 1_000;
/** Milliseconds after which a turn's begin tries a server again that could not be connected. */
const TRY_AGAIN_MS = 60_000;

export interface McpDeps extends ConnectDeps {
  clock: Clock;
  log: Log;
  registry: Pick<ToolRegistry, 'put'>;
  sources: McpSources;
  /** The person's browser; undefined where there is none. */
  browser: SignInPort | undefined;
  /** Tools of servers that the editor runs itself; undefined without an editor. */
  editorTools: EditorTools | undefined;
  secrets: Secrets;
  newId(): string;
}

/** Where the servers are written down. */
export interface McpSources {
  /** Every server that may be used now, and those that may not with the reason. Values are asked for only where somebody watches. Never rejects. */
  entries(options: { watched: boolean }): Promise<(McpEntry | EditorServer)[]>;
  /** Forgets the values that a person gave to a server. */
  forgetInputs(server: string): Promise<void>;
  dispose(): void;
}

/** One line for a person: a server and how it is. */
export interface McpStatus {
  name: string;
  source: McpSource;
  /** What is started or reached; absent where that is not known. */
  target?: string;
  state: McpState | { kind: 'off'; reason: string } | { kind: 'editor' };
  tools: number;
  log: string;
  /** It wants values that the person is asked for. */
  asks?: true;
  /** Variables of its envFile that it was not given. */
  withheld?: string[];
}

/**
 * The servers of this process: connected side by side when the first turn begins, their tools put into the registry as they come. A server that is
 * missing, hangs or crashes holds up no other and no turn.
 */
export class McpManager {
  private readonly connections = new Map<string, McpConnection>();
  private readonly offered = new Map<string, Set<string>>();
  private readonly names = new ToolNames();
  /** Servers that a turn has waited for: once is enough where somebody watches. */
  private readonly waitedFor = new WeakSet<McpConnection>();
  private off: Extract<McpEntry, { problem: string }>[] = [];
  private inEditor: EditorServer[] = [];
  private syncing: Promise<void> = Promise.resolve();
  private closed = false;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly deps: McpDeps) {}

  /**
   * Called as a turn begins. Takes changed settings over, begins to connect what is not connected, and waits a moment for servers that are starting for the
   * first time. Never rejects.
   */
  async prepare({ watched, signal }: { watched: boolean; signal: AbortSignal }): Promise<void> {
    await this.refresh({ watched });
    const starting = [...this.connections.values()]
      .filter(({ state }) => isStarting(state))
      .filter((connection) => {
        const isNew = !this.waitedFor.has(connection);
        this.waitedFor.add(connection);
        return isNew || !watched;
      });
    this.tryAgain();
    if (starting.length === 0) return;
    const all = Promise.all(starting.map((connection) => connection.connect()));
    const waiting = new AbortController();
    const patience = this.deps.clock.sleep(
      watched ? PATIENCE_MS : CONNECT_MS,
      AbortSignal.any([signal, waiting.signal]),
    );
    await Promise.race([all, patience.catch(() => undefined)]);
    waiting.abort();
  }

  /** Takes over which servers there are to be; the ones that are new begin to connect with the next turn. */
  refresh(options = { watched: true }): Promise<void> {
    this.syncing = this.syncing
      .then(() => this.sync(options))
      .catch((cause: unknown) => {
        this.deps.log.error('The MCP servers could not be set up.', cause);
      });
    return this.syncing;
  }

  /** Every server, by name. */
  status(): McpStatus[] {
    const running = [...this.connections.values()].map((connection): McpStatus => {
      const { server, state, tools, log } = connection;
      return {
        name: server.name,
        source: server.source,
        target: describeTarget(server),
        state,
        tools: tools.length,
        log: log.text(),
        ...(server.asks ? { asks: true } : {}),
        ...(server.withheld ? { withheld: server.withheld } : {}),
      };
    });
    const off = this.off.map(({ name, source, problem, asks }): McpStatus => {
      const rest = asks ? { asks } : {};
      return { name, source, state: { kind: 'off', reason: problem }, tools: 0, log: problem, ...rest };
    });
    const inEditor = this.inEditor.map(({ name, source, editorTools }): McpStatus => {
      return { name, source, state: { kind: 'editor' }, tools: editorTools.length, log: '' };
    });
    return [...running, ...off, ...inEditor].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** Called after servers came, went, or changed what they offer. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** The prompts of every server that is connected, by their commands. */
  prompts(): ServerPrompt[] {
    return [...this.connections.values()]
      .filter(({ state, server }) => state.kind === 'ready' && isEnabled(server, ['prompts']))
      .flatMap(({ prompts }) => prompts)
      .sort((left, right) => (left.command < right.command ? -1 : 1));
  }

  /** A prompt's text with its arguments filled in. Rejects in words. */
  async getPrompt({ server, prompt }: ServerPrompt, args: Record<string, string>): Promise<string> {
    const context = {
      signal: new AbortController().signal,
      watched: false,
      ask: () => Promise.reject(new Error('No turn runs.')),
      update: () => undefined,
    };
    const connection = this.serverOf(server).connection();
    return promptText(await connection.request('prompts/get', { name: prompt, arguments: args }, context));
  }

  /** Ends a server and connects it anew. Resolves when it is known how that went. */
  async restart(name: string): Promise<void> {
    await this.connections.get(name)?.restart();
  }

  /** Forgets the values that the person gave to a server, and asks for them again. */
  async askAgain(name: string): Promise<void> {
    await this.deps.sources.forgetInputs(name);
    await this.refresh();
  }

  /** Lets the person sign in to a server with their browser, then connects it. Rejects in plain words where that cannot be or fails. */
  async signIn(name: string, signal: AbortSignal): Promise<void> {
    const connection = this.connections.get(name);
    const { browser } = this.deps;
    if (connection?.server.target.kind !== 'http' || !browser)
      throw new Error(t('Nobody can sign in to {0} here.', name));
    await signIn(name, connection.server.target.url, await this.deps.sdk(), { ...this.deps, browser }, signal);
    await connection.restart();
  }

  /** Ends every server with all it started. */
  async close(): Promise<void> {
    this.closed = true;
    this.deps.sources.dispose();
    await this.syncing;
    await Promise.all([...this.connections.values()].map((connection) => connection.close()));
  }

  private async sync(options: { watched: boolean }): Promise<void> {
    if (this.closed) return;
    const entries = await this.deps.sources.entries(options);
    this.off = entries.filter((entry) => 'problem' in entry);
    const wanted = new Map(entries.flatMap((entry) => ('target' in entry ? [[entry.name, entry] as const] : [])));
    for (const [name, connection] of this.connections) {
      if (JSON.stringify(wanted.get(name)) === JSON.stringify(connection.server)) continue;
      this.connections.delete(name);
      this.offered.delete(name);
      void connection.close();
    }
    for (const server of wanted.values()) {
      if (!this.connections.has(server.name)) this.connections.set(server.name, this.open(server));
    }
    for (const { name } of this.inEditor) this.offered.delete(name);
    this.inEditor = entries.filter((entry) => 'editorTools' in entry);
    for (const server of this.inEditor) this.offerOfEditor(server);
  }

  private offerOfEditor(server: EditorServer): void {
    const { editorTools, registry } = this.deps;
    if (!editorTools) return;
    const name = (tool: string) => this.names.of(server.name, tool);
    const made = editorServerTools(server, editorTools, name, this.serverOf(server.name).offered);
    this.offered.set(server.name, new Set(made.map((tool) => tool.name)));
    for (const tool of made) registry.put(tool);
  }

  private open(server: McpServer): McpConnection {
    return new McpConnection(server, this.deps, (connection) => {
      if (this.connections.get(server.name) !== connection) return;
      this.offer(connection);
      for (const listener of this.listeners) listener();
    });
  }

  private tryAgain(): void {
    const now = this.deps.clock.now();
    for (const connection of this.connections.values()) {
      const { state } = connection;
      if (state.kind === 'failed' && !state.signIn && now - state.at > TRY_AGAIN_MS) void connection.connect();
    }
  }

  /** Puts a server's tools into the registry. Tools that are gone stay there for the sessions that know them, and say so when called. */
  private offer(connection: McpConnection): void {
    const { server, state } = connection;
    if (state.kind === 'failed') this.offered.delete(server.name);
    if (state.kind !== 'ready') return;
    const made = this.toolsOf(connection);
    this.offered.set(server.name, new Set(made.map(({ name }) => name)));
    for (const tool of made) this.deps.registry.put(tool);
  }

  private toolsOf(connection: McpConnection): Tool[] {
    const { server, state } = connection;
    const at = this.serverOf(server.name);
    const name = (tool: string) => this.names.of(server.name, tool);
    const ours = (tool: string) => this.names.of(server.name, tool, 'ours');
    const enabled = enabledTools(server, connection.tools, name);
    const made = this.isTooMany(server.name, enabled.length)
      ? foldedTools({ find: ours('find_tools'), call: ours('call_tool') }, at, () =>
          enabledTools(server, connection.tools, name),
        )
      : enabled.map((tool) => serverTool(name(tool.name), tool, onConnection(at, tool.name)));
    const isWanted = (tool: string) => isEnabled(server, [tool, ours(tool)]);
    if (state.kind === 'ready' && state.resources && isWanted('resources'))
      made.push(resourcesTool(ours('resources'), at));
    if (state.kind === 'ready' && state.prompts && isWanted('prompts')) made.push(promptsTool(ours('prompts'), at));
    return made;
  }

  private isTooMany(server: string, count: number): boolean {
    const others = [...this.offered]
      .filter(([name]) => name !== server)
      .reduce((sum, [, names]) => sum + names.size, 0);
    return count > MOST_OF_ONE || count + others > MOST_TOGETHER;
  }

  private serverOf(name: string): ToolServer {
    return {
      name,
      connection: () => {
        const connection = this.connections.get(name);
        if (connection) return connection;
        throw new ToolError(`The MCP server ${name} is no longer among the person's servers. Go on without it.`);
      },
      folder: () => this.connections.get(name)?.server.folder,
      offered: (tool) => this.offered.get(name)?.has(tool) ?? false,
    };
  }
}

function isStarting({ kind }: McpState): boolean {
  return kind === 'connecting' || kind === 'idle';
}

/** The tools a person wants of a server. */
function enabledTools(server: McpServer, tools: ServerTool[], name: (tool: string) => string): ServerTool[] {
  return tools.filter((tool) => isEnabled(server, [tool.name, name(tool.name)]));
}

/** Whether a person wants a tool, by any of its names: the server's for it, or ours. */
function isEnabled({ enabledTools: wanted }: McpServer, names: string[]): boolean {
  return wanted === undefined || names.some((name) => wanted.includes(name));
}
