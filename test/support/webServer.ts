import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { nodeWeb } from '../../src/platform/nodeWeb.js';
import type { Web } from '../../src/platform/ports.js';
import { startDnsServer, type DnsServer } from './dnsServer.js';

/** A real server on 127.0.0.1 that has the public name `site.test`, and a network on which that name and no other address of this machine may be reached. */
export interface WebSite {
  web: Web;
  dns: DnsServer;
  port: number;
  /** `http://site.test:<port><path>`. */
  url(path: string): string;
  /** Method and path of every request, in order. */
  seen: string[];
  /** The requests themselves, their bodies read. */
  requests: { headers: IncomingMessage['headers']; body: string }[];
}

/** Answers each path with its handler; closed when the test ends. `names` adds addresses of other names. */
export async function webSite(
  handlers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>,
  names: (name: string, before: number) => string[] = () => [],
): Promise<WebSite> {
  const seen: string[] = [];
  const requests: WebSite['requests'] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    seen.push(`${request.method ?? ''} ${request.url ?? ''}`);
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      requests.push({ headers: request.headers, body });
      const handler = handlers[path];
      if (handler) handler(response, request);
      else response.writeHead(404).end('not here');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const dns = await startDnsServer((name, before) => (name === 'site.test' ? ['127.0.0.1'] : names(name, before)));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await dns.close();
  });
  const web = nodeWeb({
    resolve: (name) => dns.resolve(name),
    allow: (address, host) => address === '127.0.0.1' && host === 'site.test',
  });
  return { web, dns, port, seen, requests, url: (path) => `http://site.test:${String(port)}${path}` };
}

/** A handler that sends this body under this type. */
export function sends(
  type: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): (response: ServerResponse) => void {
  return (response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
}

/** A handler that redirects there; what a header cannot hold is percent-encoded. */
export function redirects(to: string, status = 302): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status, { location: to.replace(/[^ -~]/g, encodeURIComponent) }).end();
}
