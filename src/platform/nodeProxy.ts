import * as nodeHttp from 'node:http';
import * as nodeHttps from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { NodeWebParts } from './nodeWeb.js';
import type { ProxyChoice } from './proxyRules.js';

/** Milliseconds until a proxy must have made a connection. */
const CONNECT_MS = 30_000;
/** Where Node's `fetch` keeps what makes its connections; the package behind it has named it so for others to replace. */
const DISPATCHERS = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')];

/** A proxy that cannot be reached, or refuses, which asking again does not change. The message is for people and names the proxy without its password. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  constructor(
    message: string,
    readonly code: 'EPROXY' | 'EPROXYREFUSED',
  ) {
    super(message);
  }
}

interface Target {
  secure: boolean;
  host: string;
  port: string;
}

/** A connection to a host through a proxy, encrypted up to the host where it is `secure`. Rejects with a `ProxyError`, or with what TLS says of the host. */
export async function connectThrough(proxy: URL, target: Target): Promise<Duplex> {
  const socket = await tunnel(proxy, target);
  return target.secure ? encrypted(socket, target.host) : socket;
}

function tunnel(proxy: URL, { host, port }: Target): Promise<Socket> {
  const { request } = proxy.protocol === 'https:' ? nodeHttps : nodeHttp;
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      ...placeOf(proxy),
      method: 'CONNECT',
      path: place,
      headers: { host: place, ...authorization(proxy) },
      agent: false,
      timeout: CONNECT_MS,
    });
    asked.on('connect', ({ statusCode = 0, statusMessage = '' }, socket: Socket) => {
      socket.setTimeout(0);
      if (statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        const words = `The proxy ${proxy.host} refused a connection to ${place} (${String(statusCode)} ${statusMessage}).`;
        reject(new ProxyError(words, statusCode < 500 ? 'EPROXYREFUSED' : 'EPROXY'));
      }
    });
    asked.on('timeout', () => asked.destroy(new Error('it does not answer')));
    asked.on('error', (error: NodeJS.ErrnoException) => {
      reject(new ProxyError(`The proxy ${proxy.host} cannot be reached (${error.code ?? error.message}).`, 'EPROXY'));
    });
    asked.end();
  });
}

function encrypted(socket: Socket, host: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const servername = isIP(host) === 0 ? { servername: host } : {};
    const secure = connectTls({ socket, host, ...servername, ALPNProtocols: ['http/1.1'] }, () => {
      secure.off('error', reject);
      resolve(secure);
    });
    secure.on('error', reject);
  });
}

function placeOf(proxy: URL): { hostname: string; port: string } {
  const port = proxy.port || (proxy.protocol === 'https:' ? '443' : '80');
  return { hostname: proxy.hostname.replace(/^\[|\]$/g, ''), port };
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(words).toString('base64')}` };
}

/** Node's http and https for `nodeWeb`, through the proxy where one is chosen: names are then resolved there, and only there. */
export function proxiedRequests(choose: ProxyChoice): Required<Pick<NodeWebParts, 'http' | 'https'>> {
  const plain = (options: nodeHttps.RequestOptions) => {
    const url = urlOf('http:', options);
    const proxy = choose(url);
    if (!proxy) return nodeHttp.request(options);
    const { lookup: _ours, ...rest } = options;
    const headers = { ...rest.headers, host: url.host, ...authorization(proxy) };
    const { request } = proxy.protocol === 'https:' ? nodeHttps : nodeHttp;
    return request({ ...rest, ...placeOf(proxy), path: url.href, headers });
  };
  const secure = (options: nodeHttps.RequestOptions) => {
    const proxy = choose(urlOf('https:', options));
    if (!proxy) return nodeHttps.request(options);
    const { lookup: _ours, ...rest } = options;
    return nodeHttps.request({ ...rest, agent: new TunnelAgent(proxy) });
  };
  return {
    http: { request: plain as typeof nodeHttp.request },
    https: { request: secure as typeof nodeHttps.request },
  };
}

function urlOf(protocol: string, { hostname, port, path }: nodeHttps.RequestOptions): URL {
  const host = hostname?.includes(':') ? `[${hostname}]` : (hostname ?? '');
  return new URL(`${protocol}//${host}${port ? `:${String(port)}` : ''}${path ?? '/'}`);
}

/** Connects each request through the proxy; keeps no connection. */
class TunnelAgent extends nodeHttps.Agent {
  constructor(private readonly proxy: URL) {
    super({ keepAlive: false });
  }

  override createConnection(
    { host, port }: nodeHttps.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): null {
    connectThrough(this.proxy, { secure: true, host: host ?? '', port: String(port ?? 443) }).then(
      (socket) => callback?.(null, socket),
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
    return null;
  }
}

/** What makes the connections of `fetch`, as far as we know it. */
interface Dispatcher {
  dispatch(options: { origin?: string | URL }, handler: unknown): boolean;
}

interface ConnectOptions {
  hostname: string;
  protocol: string;
  port: string;
}

type DispatcherClass = new (options: {
  connect(options: ConnectOptions, callback: (error: unknown, socket: unknown) => void): void;
}) => Dispatcher;

/**
 * Sends what `fetch` asks through the proxy where one is chosen, in the whole process: Node's own does so only from version 22 on and only when told before it
 * starts. Returns false where this Node's `fetch` is made in a way we do not know, and nothing was changed.
 */
export async function proxyFetch(choose: ProxyChoice): Promise<boolean> {
  // It is loaded at its first use.
  await globalThis.fetch('data:,');
  const globals = globalThis as unknown as Record<symbol, Dispatcher | undefined>;
  const places = DISPATCHERS.filter((symbol) => globals[symbol]?.constructor.name === 'Agent');
  const direct = places[0] && globals[places[0]];
  if (!direct) return false;
  const Agent = direct.constructor as DispatcherClass;
  const agents = new Map<string, Dispatcher>();
  const through = (proxy: URL): Dispatcher => {
    const known = agents.get(proxy.href);
    const agent = known ?? new Agent({ connect: connector(proxy) });
    agents.set(proxy.href, agent);
    return agent;
  };
  for (const place of places) {
    const before = globals[place] ?? direct;
    globals[place] = {
      dispatch: (options, handler) => {
        const proxy = options.origin === undefined ? undefined : choose(new URL(options.origin));
        return (proxy ? through(proxy) : before).dispatch(options, handler);
      },
    };
  }
  return true;
}

function connector(proxy: URL) {
  return ({ hostname, protocol, port }: ConnectOptions, callback: (error: unknown, socket: unknown) => void): void => {
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    connectThrough(proxy, { secure, host, port: port || (secure ? '443' : '80') }).then(
      (socket) => {
        callback(null, socket);
      },
      (error: unknown) => {
        callback(error, null);
      },
    );
  };
}
