import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { limitedFetch } from '../../../src/mcp/limitedFetch.js';

interface Site {
  origin: string;
  seen: IncomingMessage[];
}

/** A server that redirects what `to` knows, with status 307, and answers everything else. */
async function site(to: (path: string) => string | undefined): Promise<Site> {
  const seen: IncomingMessage[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(request);
    const location = to(request.url ?? '');
    if (location === undefined) response.end('here');
    else response.writeHead(307, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, seen };
}

const call = { method: 'POST', body: '{}', headers: { 'x-api-key': 'secret' } };
const get = limitedFetch(() => undefined);

it('a redirect within the server is followed, with its headers', async () => {
  const own = await site((path) => (path === '/mcp' ? '/mcp/' : undefined));
  expect(await (await get(`${own.origin}/mcp`, call)).text()).toBe('here');
  expect(own.seen.map(({ method, url, headers }) => [method, url, headers['x-api-key']])).toEqual([
    ['POST', '/mcp', 'secret'],
    ['POST', '/mcp/', 'secret'],
  ]);
});

it('another origin is given nothing, and the error names it', async () => {
  const other = await site(() => undefined);
  const own = await site(() => `${other.origin}/mcp`);
  await expect(get(`${own.origin}/mcp`, call)).rejects.toThrow(`sends on to ${other.origin}`);
  expect(other.seen).toEqual([]);
});

it('what a server says of itself may lie elsewhere: it is asked without the headers', async () => {
  const other = await site(() => undefined);
  const own = await site(() => `${other.origin}/metadata`);
  const answer = await get(`${own.origin}/.well-known/oauth-authorization-server`, { headers: call.headers });
  expect(await answer.text()).toBe('here');
  expect(other.seen[0]?.headers['x-api-key']).toBeUndefined();
});

it('a ring of redirects ends', async () => {
  const own = await site((path) => (path === '/a' ? '/b' : '/a'));
  await expect(get(`${own.origin}/a`, call)).rejects.toThrow('without an end');
});
