import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createServer as createTls } from 'node:tls';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { copyAssets, hostOptions, workerEntries } from '../../../scripts/lib/bundles.mjs';
import { startConnectProxy, type ConnectProxy } from '../../support/connectProxy.js';
import { startModelServer, type ModelServer, type Script } from '../../support/modelServer.js';
import { tempHome } from '../../support/tempHome.js';

const TLS = join(import.meta.dirname, '../../fixtures/tls');
const CERTIFICATE = join(TLS, 'testOnly.crt');

let dist = '';

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'nanobot-proxy-'));
  await build({
    ...hostOptions({ minify: false, outdir: dist }),
    entryPoints: { cli: 'src/cli.ts', ...workerEntries },
    logLevel: 'error',
  });
  await copyAssets(relative(join(import.meta.dirname, '../../..'), dist));
  writeFileSync(join(dist, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rm(dist, { recursive: true, force: true }));

interface Ran {
  status: unknown;
  out: string;
  err: string;
}

/** Runs one message on the command line with this configuration and environment. */
async function say(config: object, env: Record<string, string>, more: string[] = []): Promise<Ran> {
  const { root, home } = await tempHome();
  const project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(root, 'config.json'), JSON.stringify(config));
  const child = spawn(process.execPath, [join(dist, 'cli.js'), 'agent', '-m', 'hello', ...more], {
    cwd: project,
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      NANOBOT_HOME: home,
      NANOBOT_CONFIG: join(root, 'config.json'),
      NANOBOT_NO_PROBE: '1',
      OPENAI_API_KEY: 'test-key-1',
      ...env,
    },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.end();
  const [status] = (await once(child, 'close')) as unknown[];
  return { status, out, err };
}

async function models(script: Script): Promise<{ server: ModelServer; port: number }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  return { server, port: Number(new URL(server.url).port) };
}

async function proxied(hosts: Record<string, number>, credentials?: string): Promise<ConnectProxy> {
  const proxy = await startConnectProxy({ hosts, ...(credentials === undefined ? {} : { credentials }) });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** What is behind a port, encrypted as `*.example.test`. */
async function encrypted(port: number): Promise<number> {
  const pem = { key: readFileSync(join(TLS, 'testOnly.key')), cert: readFileSync(CERTIFICATE) };
  const server = createTls(pem, (socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const at = (apiBase: string, more: object = {}) => ({
  agents: { defaults: { model: 'openai/test-model' } },
  providers: { openai: { apiBase } },
  ...more,
});

describe('the command line behind a proxy', () => {
  it('reaches an encrypted model through it, with a certificate of the place', async () => {
    const { server, port } = await models([{ text: 'Good morning.' }]);
    const proxy = await proxied({ 'models.example.test': await encrypted(port) }, 'me:p@ss');
    const config = at('https://models.example.test/v1');
    const ran = await say(config, { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: CERTIFICATE });
    expect(ran).toMatchObject({ status: 0, out: 'Good morning.\n' });
    expect(proxy.seen).toEqual(['CONNECT models.example.test:443']);
    expect(server.requests[0]?.headers.host).toBe('models.example.test');
    const stranger = await say(config, { HTTPS_PROXY: proxy.url });
    expect(stranger).toMatchObject({ status: 1, out: '' });
    expect(stranger.err).toMatch(/certificate of https:\/\/models\.example\.test\/v1 \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  });

  it('reaches models, MCP servers and pages through it, and what runs on this machine without', async () => {
    const call = (url: string) => ({ toolCalls: [{ name: 'web_fetch', args: { url } }] });
    const { server, port } = await models([call('http://pages.example.org/tea'), { text: 'Green.' }]);
    const page = createServer((_, response) => response.end('Tea is green.'));
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void page.close());
    const proxy = await proxied({
      'models.example.test': port,
      'pages.example.org': (page.address() as AddressInfo).port,
    });
    const mcp = { tools: { mcpServers: { far: { url: 'http://mcp.example.test/mcp' } } } };
    const env = { HTTP_PROXY: proxy.url };
    const ran = await say(at('http://models.example.test/v1', mcp), env, ['--approval', 'all']);
    expect(ran).toMatchObject({ status: 0, out: 'Green.\n' });
    expect(JSON.stringify(server.requests[1]?.body)).toContain('Tea is green.');
    expect(proxy.seen).toEqual(
      expect.arrayContaining([
        'CONNECT models.example.test:80',
        'CONNECT mcp.example.test:80',
        'GET http://pages.example.org/tea',
      ]),
    );
    const seen = proxy.seen.length;
    server.setScript([{ text: 'Near.' }]);
    const near = await say(at(`${server.url}/v1`), env);
    expect(near.out).toBe('Near.\n');
    expect(proxy.seen).toHaveLength(seen);
  });

  it('says what is wrong with it, and never its password', async () => {
    const proxy = await proxied({}, 'me:right');
    const wrong = proxy.url.replace('right', 'hunter2');
    const refused = await say(at('https://models.example.test/v1'), { HTTPS_PROXY: wrong });
    expect(refused.status).toBe(1);
    expect(refused.err).toMatch(/The proxy 127\.0\.0\.1:\d+ refused a connection to models\.example\.test:443 \(407/);
    expect(proxy.seen).toHaveLength(1);
    const { server } = await models([{ text: 'Hi.' }]);
    const socks = await say(at(`${server.url}/v1`), { ALL_PROXY: 'socks5://me:hunter2@h:1080' });
    expect(socks).toMatchObject({ status: 0, out: 'Hi.\n' });
    expect(socks.err).toContain('ALL_PROXY names a proxy of the kind socks5, so it is not used.');
    expect(refused.err + socks.err).not.toContain('hunter2');
  });
});
