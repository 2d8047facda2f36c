import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** A real HTTP proxy on 127.0.0.1, which alone knows where the names of a test lie. */
export interface ConnectProxy {
  /** As it stands in `HTTPS_PROXY`, with the name and password it asks for. */
  url: string;
  /** What it was asked for: `CONNECT name:443`, or `GET http://name/path`. */
  seen: string[];
  close(): Promise<void>;
}

export interface ConnectProxyOptions {
  /** Ports on this machine by host, such as `models.example.test`. */
  hosts: Record<string, number>;
  /** `name:password`, without which it answers 407. */
  credentials?: string;
}

/** Starts the proxy. A host that it does not know gets 502. */
export async function startConnectProxy({ hosts, credentials }: ConnectProxyOptions): Promise<ConnectProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const allowed = ({ headers }: IncomingMessage) => wanted === undefined || headers['proxy-authorization'] === wanted;
  const portOf = (place: string) => hosts[new URL(`http://${place}`).hostname];

  const server = createServer((incoming, response) => {
    seen.push(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    const url = new URL(incoming.url ?? '', 'http://nowhere');
    const port = portOf(url.host);
    if (!allowed(incoming) || port === undefined) {
      response.writeHead(allowed(incoming) ? 502 : 407).end();
      return;
    }
    const { method, headers } = incoming;
    const onward = forward({ port, method, path: `${url.pathname}${url.search}`, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url ?? ''}`);
    sockets.add(socket);
    const port = portOf(incoming.url ?? '');
    if (!allowed(incoming) || port === undefined) {
      socket.end(allowed(incoming) ? 'HTTP/1.1 502 No such host\r\n\r\n' : 'HTTP/1.1 407 Who are you\r\n\r\n');
      return;
    }
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    sockets.add(onward);
    // Either side may go at any time, as in life.
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const login = credentials === undefined ? '' : `${credentials.split(':').map(encodeURIComponent).join(':')}@`;
  return { url: `http://${login}127.0.0.1:${String(port)}`, seen, close: () => closed(server, sockets) };
}

function closed(server: Server, sockets: Set<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  });
}
