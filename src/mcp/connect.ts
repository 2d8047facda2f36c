import { unlessAborted } from '../platform/abort.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { pathToFileURL } from 'node:url';
import type { Clock, Programs } from '../platform/ports.js';
import { WordsError } from '../platform/words.js';
import type { McpServer } from './config.js';
import type { Elicited } from './elicit.js';
import { limitedFetch } from './limitedFetch.js';
import type { Sdk } from './sdk.js';
import { StdioTransport } from './stdioTransport.js';

/** Milliseconds a server has to be ready, from its start to the end of the handshake. */
export const CONNECT_MS = 15_000;
/** Milliseconds the other side is given to take note of our leaving. */
const FAREWELL_MS = 500;

export interface ConnectDeps {
  sdk(): Promise<Sdk>;
  programs: Programs;
  clock: Clock;
  /** The environment of a server before its own variables: without keys. */
  environment(): Record<string, string>;
  /** Where a program runs that names no folder. */
  folder(): string;
  /** What a person's sign-in to a server left; undefined where nobody has signed in. */
  login(server: string, url: string): Promise<OAuthClientProvider | undefined>;
  /** Folders that servers are told of. */
  roots(): { name: string; path: string }[];
}

/** What a connection hears without having asked. */
export interface ConnectEvents {
  closed(): void;
  failed(error: Error): void;
  /** A line for the server's log. */
  heard(line: string): void;
  toolsChanged(): void;
  promptsChanged(): void;
  elicit(params: { message?: string | undefined; requestedSchema?: unknown }): Promise<Elicited>;
}

/** A server that answered the handshake. */
export interface Opened {
  client: Client;
  close(): Promise<void>;
}

/** The server wants its client to have signed in. */
export class SignInNeeded extends WordsError {
  override readonly name = 'SignInNeeded';
}

/**
 * Starts or reaches a server and greets it. Rejects in plain words when it is missing, refuses, or is not ready within 15 s; nothing of it is left
 * running then. An address without a `type` is tried as streamable HTTP, then, where it refuses that, as SSE.
 */
export async function openServer(
  server: McpServer,
  deps: ConnectDeps,
  events: ConnectEvents,
  signal: AbortSignal,
): Promise<Opened> {
  const sdk = await deps.sdk();
  signal.throwIfAborted();
  const { target } = server;
  if (target.kind === 'stdio') {
    const env = { ...deps.environment(), ...target.env };
    const program = await deps.programs.start(target.command, target.args, { cwd: target.cwd ?? deps.folder(), env });
    return greet(sdk, new StdioTransport(program, deps.clock, events.heard), deps, events, signal);
  }
  const url = new URL(target.url);
  const authProvider = await deps.login(server.name, target.url);
  const options = {
    requestInit: { headers: target.headers },
    fetch: limitedFetch(events.failed),
    ...(authProvider ? { authProvider } : {}),
  };
  const sse = () => greet(sdk, new sdk.SSEClientTransport(url, options), deps, events, signal);
  if (target.only === 'sse') return sse();
  try {
    return await greet(sdk, new sdk.StreamableHTTPClientTransport(url, options), deps, events, signal);
  } catch (cause) {
    const code = statusOf(cause);
    if (target.only === undefined && (code === 400 || code === 404 || code === 405)) return sse();
    throw cause;
  }
}

/** The HTTP status that a transport's error stands for, if any. */
export function statusOf(cause: unknown): number | undefined {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined;
}

async function greet(
  sdk: Sdk,
  transport: Transport,
  deps: ConnectDeps,
  events: ConnectEvents,
  signal: AbortSignal,
): Promise<Opened> {
  const client = new sdk.Client(
    { name: 'nanobot', version: '1.0' },
    {
      capabilities: { roots: {}, elicitation: { form: {} } },
      // What a tool declares of its result is not checked: an odd declaration must not take a server's tools away.
      jsonSchemaValidator: {
        getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
      },
    },
  );
  listen(sdk, client, deps, events);
  let greeted = false;
  client.onclose = () => {
    if (greeted) events.closed();
  };
  client.onerror = (error) => {
    events.failed(error);
  };
  const late = new AbortController();
  const timer = deps.clock.after(CONNECT_MS, () => {
    late.abort(new WordsError((t) => t('It was not ready within {0} seconds.', CONNECT_MS / 1000)));
  });
  const limits = AbortSignal.any([late.signal, signal]);
  try {
    await unlessAborted(client.connect(transport, { timeout: CONNECT_MS * 2 }), limits);
  } catch (cause) {
    await transport.close().catch(() => undefined);
    if (late.signal.aborted) throw late.signal.reason;
    if (cause instanceof sdk.UnauthorizedError || statusOf(cause) === 401) {
      throw new SignInNeeded((t) =>
        t(
          'It wants a sign-in: choose "Sign in" in the list of MCP servers, or give it a token under `headers`, such as "Authorization": "Bearer …".',
        ),
      );
    }
    throw cause;
  } finally {
    timer.dispose();
  }
  greeted = true;
  return {
    client,
    close: async () => {
      greeted = false;
      await farewell(transport, deps.clock);
      await client.close();
    },
  };
}

/** A session on a server far away is ended there too, if that is quick. */
async function farewell(transport: Transport, clock: Clock): Promise<void> {
  if (!('terminateSession' in transport) || transport.sessionId === undefined) return;
  const waiting = new AbortController();
  const ended = (transport as Transport & { terminateSession(): Promise<void> })
    .terminateSession()
    .catch(() => undefined);
  await Promise.race([ended, clock.sleep(FAREWELL_MS, waiting.signal).catch(() => undefined)]);
  waiting.abort();
}

function listen(sdk: Sdk, client: Client, deps: ConnectDeps, events: ConnectEvents): void {
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({
    roots: deps.roots().map(({ name, path }) => ({ name, uri: pathToFileURL(path).href })),
  }));
  client.setRequestHandler(sdk.ElicitRequestSchema, async ({ params }) => events.elicit(params));
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => {
    events.toolsChanged();
  });
  client.setNotificationHandler(sdk.PromptListChangedNotificationSchema, () => {
    events.promptsChanged();
  });
  client.setNotificationHandler(sdk.LoggingMessageNotificationSchema, ({ params }) => {
    const { data } = params;
    events.heard(`[${params.level}] ${typeof data === 'string' ? data : JSON.stringify(data)}`);
  });
}
