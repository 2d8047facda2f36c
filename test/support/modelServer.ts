import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { framesOf, jsonOf, type Wire } from './modelWire.js';

/** A tool call as a scripted model makes it. */
export interface ScriptedCall {
  name: string;
  args: object | string;
  id?: string;
}

/** What the server answers one request with. Everything is optional; an empty reply is a blank answer. */
export interface Reply {
  text?: string;
  thinking?: string;
  toolCalls?: ScriptedCall[];
  /** Characters of text, thinking or arguments in one chunk; default 16. */
  chunkSize?: number;
  /** Awaited before each chunk, with its number from 0: a test holds the stream here for as long as it likes. */
  gate?: (chunk: number) => Promise<unknown> | undefined;
  /** Default by what there is; null leaves the reason out, and with it what ends the stream. */
  stopReason?: string | null;
  /** Null leaves it out. `cached` is a part of `input`. */
  usage?: { input: number; output: number; cached?: number } | null;
  model?: string;
  /** Answers with this status and body in place of a stream. */
  status?: number;
  headers?: Record<string, string>;
  body?: string | object;
  /** Destroys the connection after so many chunks. */
  breakAfter?: number;
  /** Sends everything but the end, and keeps the connection open; a number stalls after so many chunks. */
  stall?: true | number;
  /** Exact chunks in place of everything else. */
  raw?: (string | Uint8Array)[];
}

/** A request as it came. */
export interface ModelRequestSeen {
  method: string;
  path: string;
  /** What stood behind the path, with its question mark. */
  query: string;
  headers: IncomingMessage['headers'];
  /** Parsed; what tests look at differs, so it is loosely typed. */
  body: SeenBody;
  /** Length of the raw body. */
  bytes: number;
  /** Milliseconds of `performance.now()` when the whole body was there. */
  at: number;
}

export interface SeenBody {
  model?: string;
  stream?: boolean;
  system?: unknown;
  messages: { role: string; content: unknown; [field: string]: unknown }[];
  tools?: unknown[];
  [field: string]: unknown;
}

/** Replies in order, or made for the n-th request for an answer, counted from 0. */
export type Script = Reply[] | ((request: ModelRequestSeen, n: number) => Reply | Promise<Reply>);

export interface ModelServer {
  /** Without a path: the base of the Messages protocol. With `/v1` behind it, that of chat completions. */
  url: string;
  /** Requests for answers, oldest first. */
  requests: ModelRequestSeen[];
  /** Requests for the list of models. */
  listRequests: ModelRequestSeen[];
  setScript(script: Script): void;
  /** What `GET /models` answers: names, or a reply such as an error. */
  setModels(models: string[] | Reply): void;
  /** Resolves when so many requests for answers have come. */
  received(count: number): Promise<ModelRequestSeen>;
  /** Connections that the other side ended before their answer was over. */
  aborted(): number;
  close(): Promise<void>;
}

/**
 * A model provider on 127.0.0.1 that speaks chat completions, Responses and Messages over real HTTP and real server-sent events, and says what it is told
 * to. A request the script has no reply for gets status 500 with words that say so.
 */
export async function startModelServer(script: Script = []): Promise<ModelServer> {
  let current = script;
  let answered = 0;
  let models: string[] | Reply = ['test-model'];
  let aborted = 0;
  const requests: ModelRequestSeen[] = [];
  const listRequests: ModelRequestSeen[] = [];
  const waiting: { count: number; resolve: (request: ModelRequestSeen) => void }[] = [];

  const nextReply = async (request: ModelRequestSeen): Promise<Reply> => {
    const n = answered++;
    if (typeof current === 'function') return withIds(await current(request, n), n);
    const missing = { status: 500, body: { error: { message: `the script has no reply number ${String(n)}` } } };
    return withIds(current[n] ?? missing, n);
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await read(incoming);
    response.on('close', () => {
      if (!response.writableFinished) aborted++;
    });
    if (request.path.endsWith('/models') || request.path.endsWith('/key')) {
      listRequests.push(request);
      const reply = Array.isArray(models) ? { status: 200, body: { data: models.map((id) => ({ id })) } } : models;
      await send(response, request, reply);
      return;
    }
    requests.push(request);
    for (const waiter of waiting) if (requests.length === waiter.count) waiter.resolve(request);
    await send(response, request, await nextReply(request));
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A script that throws must not look like a provider that hangs.
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests,
    listRequests,
    setScript: (next) => {
      current = next;
      answered = 0;
    },
    setModels: (next) => {
      models = next;
    },
    received: (count) =>
      new Promise((resolve) => {
        const seen = requests[count - 1];
        if (seen) resolve(seen);
        else waiting.push({ count, resolve });
      }),
    aborted: () => aborted,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Ids as a real model makes them: no two calls of a conversation share one. */
function withIds(reply: Reply, n: number): Reply {
  if (!reply.toolCalls) return reply;
  return {
    ...reply,
    toolCalls: reply.toolCalls.map((call, at) => ({ id: `call_${String(n)}_${String(at)}`, ...call })),
  };
}

async function read(incoming: IncomingMessage): Promise<ModelRequestSeen> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const at = performance.now();
  const raw = Buffer.concat(pieces);
  const body = raw.length === 0 ? { messages: [] } : (JSON.parse(raw.toString('utf8')) as SeenBody);
  return {
    method: incoming.method ?? '',
    path: (incoming.url ?? '').split('?')[0] ?? '',
    query: /\?.*/.exec(incoming.url ?? '')?.[0] ?? '',
    headers: incoming.headers,
    body,
    bytes: raw.length,
    at,
  };
}

async function send(response: ServerResponse, request: ModelRequestSeen, reply: Reply): Promise<void> {
  if (reply.status !== undefined || reply.body !== undefined) {
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
    const type = typeof reply.body === 'string' ? 'text/html' : 'application/json';
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
    response.end(text);
    return;
  }
  const wire = wireOf(request.path);
  if (request.body.stream !== true && !reply.raw && reply.stall === undefined) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(jsonOf(wire, reply)));
    return;
  }
  await stream(response, reply.raw ?? framesOf(wire, reply), reply);
}

function wireOf(path: string): Wire {
  if (path.endsWith('/responses')) return 'responses';
  return path.endsWith('/messages') ? 'messages' : 'chat';
}

async function stream(response: ServerResponse, frames: (string | Uint8Array)[], reply: Reply): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers });
  response.socket?.setNoDelay(true);
  response.flushHeaders();
  const last = typeof reply.stall === 'number' ? reply.stall : reply.stall ? frames.length - 1 : Infinity;
  for (const [n, frame] of frames.entries()) {
    if (n >= last) return;
    if (n === reply.breakAfter) {
      response.destroy();
      return;
    }
    await reply.gate?.(n);
    if (response.destroyed) return;
    response.write(frame);
    // Each chunk leaves as one of its own, as from a model that thinks in between.
    await nextTick();
  }
  if (reply.breakAfter !== undefined) response.destroy();
  else if (reply.stall === undefined) response.end();
}
