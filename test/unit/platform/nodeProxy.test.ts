import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { proxiedRequests } from '../../../src/platform/nodeProxy.js';
import { nodeWeb } from '../../../src/platform/nodeWeb.js';
import type { WebResponse } from '../../../src/platform/ports.js';
import { proxyRules } from '../../../src/platform/proxyRules.js';
import { startConnectProxy, type ConnectProxyOptions } from '../../support/connectProxy.js';

const TLS = join(import.meta.dirname, '../../fixtures/tls');

let site: Server;
let port: number;

beforeEach(async () => {
  site = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1/inside' }).end();
    else response.end(`${request.headers.host ?? ''} ${request.url ?? ''}`);
  });
  port = await listening(site);
});
afterEach(() => closed(site));

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function behind(
  options: Partial<ConnectProxyOptions> = {},
  env: (url: string) => Record<string, string> = () => ({}),
) {
  const proxy = await startConnectProxy({ hosts: { 'site.example.org': port }, ...options });
  onTestFinished(() => proxy.close());
  const { choose } = proxyRules({ ALL_PROXY: proxy.url, ...env(proxy.url) });
  if (!choose) throw new Error('No proxy was chosen.');
  const web = nodeWeb({
    ...proxiedRequests(choose),
    resolve: (name) => Promise.reject(new Error(`${name} was looked up here.`)),
  });
  const get = (url: string): Promise<WebResponse> =>
    web.request({ url }, { signal: new AbortController().signal, timeoutMs: 10_000, maxBytes: 1_000_000 });
  return { proxy, get };
}

const textOf = ({ bytes }: WebResponse) => new TextDecoder().decode(bytes);
const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
  );

describe('the web behind a proxy', () => {
  it('leaves names to the proxy and asks it for whole addresses', async () => {
    const { proxy, get } = await behind({ credentials: 'me:p@ss word' });
    expect(textOf(await get('http://site.example.org/a?b=c'))).toBe('site.example.org /a?b=c');
    expect(proxy.seen).toEqual(['GET http://site.example.org/a?b=c']);
  });

  it('tunnels to an encrypted host and checks its certificate itself', async () => {
    const secure = createSecure(
      { key: readFileSync(join(TLS, 'testOnly.key')), cert: readFileSync(join(TLS, 'testOnly.crt')) },
      (_, response) => response.end('never seen'),
    );
    const securePort = await listening(secure);
    onTestFinished(() => closed(secure));
    const { proxy, get } = await behind({ hosts: { 'site.example.test': securePort } });
    expect(await problemOf(get('https://site.example.test/'))).toMatch(/certificate is not signed by anybody known/);
    expect(proxy.seen).toEqual(['CONNECT site.example.test:443']);
  });

  it('refuses names and literal addresses of the inside all the same, also after a redirect', async () => {
    const { proxy, get } = await behind();
    for (const url of ['http://10.0.0.1/', 'http://metadata.internal/', 'https://[fd00::1]/', 'http://0x7f.1/'])
      expect(await problemOf(get(url))).toContain('Only public addresses are fetched');
    expect(await problemOf(get('http://site.example.org/away'))).toContain('Only public addresses are fetched');
    expect(proxy.seen).toEqual(['GET http://site.example.org/away']);
  });

  it('goes around it where NO_PROXY says so, with its own checks', async () => {
    const { proxy, get } = await behind({}, () => ({ NO_PROXY: 'example.org' }));
    expect(await problemOf(get('http://site.example.org/'))).toMatch(/site\.example\.org/);
    expect(proxy.seen).toEqual([]);
  });

  it('says that the proxy refuses, or cannot be reached', async () => {
    const refused = await behind({ credentials: 'me:secret' }, (url) => ({
      ALL_PROXY: url.replace('secret', 'wrong'),
    }));
    const words = await problemOf(refused.get('https://site.example.org/'));
    expect(words).toMatch(
      /^The proxy 127\.0\.0\.1:\d+ refused a connection to site\.example\.org:443 \(407 Who are you\)\.$/,
    );
    const gone = await behind();
    await gone.proxy.close();
    expect(await problemOf(gone.get('https://site.example.org/'))).toMatch(
      /^The proxy .* cannot be reached \(ECONNREFUSED\)\.$/,
    );
  });
});
