import { once } from 'node:events';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeWeb } from '../../../src/platform/nodeWeb.js';
import type { Web, WebRequest, WebResponse } from '../../../src/platform/ports.js';
import { refusedAddress } from '../../../src/platform/webAddress.js';
import { WebError } from '../../../src/platform/webError.js';
import { redirects, sends, webSite } from '../../support/webServer.js';

const MB = 1024 * 1024;

function get(
  web: Web,
  url: string,
  more: Partial<WebRequest> & { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<WebResponse> {
  const { timeoutMs = 10_000, signal = new AbortController().signal, ...request } = more;
  return web.request({ url, ...request }, { signal, timeoutMs, maxBytes: 5 * MB });
}

const problemOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (cause: unknown) => (cause instanceof WebError ? cause.problem : String(cause)),
  );

/** Ways to write an address of this machine, of a private network, of a cloud's inside, or of nothing at all. */
const INSIDE = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...['127.0.0.1.', '127.0.0.1:8080', '0.0.0.0', '0', '0.1.2.3', '%31%32%37.0.0.1', '①②⑦.0.0.1', '127。0。0。1'],
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '0xa.0.0.1',
    '012.0.0.1',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
    '0xc0a80001',
  ],
  ...[
    '169.254.169.254',
    '169.254.0.1',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.254.170.2',
  ],
  ...[
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '192.0.0.192',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
  ],
  ...[
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '192.88.99.1',
  ],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a00:1]',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    '[::ffff:0:10.0.0.1]',
    '[::127.0.0.1]',
    '[::10.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:a00:1::]',
  ],
  ...[
    '[2002:7f00:1::1]',
    '[2001:0:a00:1::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fdff::1]',
  ],
  ...[
    '[ff02::1]',
    '[ff05::2]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[100::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[5f00::1]',
    '[4000::1]',
  ],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'LocalHost.:80',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'metadata',
  ],
  ...[
    'intranet',
    'wiki.corp',
    'router.lan',
    'nas.home',
    'x.home.arpa',
    'host.docker.internal',
    'kubernetes.default.svc.cluster.local',
    'box.localdomain',
  ],
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
];

describe('addresses', () => {
  it('are at least eighty in this corpus', () => {
    expect(new Set(INSIDE).size).toBeGreaterThanOrEqual(80);
  });

  it.each(INSIDE)('refuses http://%s before anything is looked up or sent', async (host) => {
    const looked: string[] = [];
    const web = nodeWeb({ resolve: (name) => (looked.push(name), Promise.resolve([])) });
    for (const scheme of ['http', 'https']) {
      expect(await problemOf(get(web, `${scheme}://${host}/latest/meta-data`))).toBe('refused');
    }
    expect(looked).toEqual([]);
  });

  it.each(PUBLIC)('lets %s through', (address) => {
    expect(refusedAddress(address)).toBeUndefined();
  });

  it.each(['', 'example.org', '1.2.3', '1.2.3.4.5', '[::1]', '10', '::1%lo', '0x7f000001'])(
    'takes %j for no address',
    (text) => {
      expect(refusedAddress(text)).toBeDefined();
    },
  );

  it.each([
    'file:///etc/passwd',
    'ftp://a.example/x',
    'gopher://a.example',
    'data:text/plain,x',
    'javascript:1',
    'example.org',
    '',
    'http://',
    'http://[::1',
    'http://a b/',
    'https://user:word@a.example/',
    'view-source:http://a.example',
  ])('takes %j for no address to fetch', async (url) => {
    expect(await problemOf(get(nodeWeb(), url))).toBe('url');
  });
});

describe('names', () => {
  const addresses = [
    '127.0.0.1',
    '10.0.0.7',
    '169.254.169.254',
    '100.64.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '0.0.0.0',
  ];

  it.each(addresses)('refuses one that leads to %s, asked of a real name server', async (address) => {
    const site = await webSite({}, () => [address]);
    await expect(get(site.web, `http://evil.test:${String(site.port)}/`)).rejects.toThrow(
      /evil\.test leads to .*Only public addresses/,
    );
    expect(site.seen).toEqual([]);
  });

  it('refuses one of whose addresses only one is private, in whatever order', async () => {
    for (const list of [
      ['93.184.216.34', '10.0.0.1'],
      ['10.0.0.1', '93.184.216.34'],
      ['93.184.216.34', 'fd00::1'],
    ]) {
      const site = await webSite({}, () => list);
      expect(await problemOf(get(site.web, 'http://mixed.test/'))).toBe('refused');
    }
  });

  it('is looked up once, and the connection goes to what was checked', async () => {
    const site = await webSite({ '/': sends('text/plain', 'hello') });
    const { bytes } = await get(site.web, site.url('/'));
    // No other resolver knows this name, so the connection can only have used that answer.
    expect(Buffer.from(bytes).toString()).toBe('hello');
    expect(site.dns.asked('site.test')).toBe(1);
  });

  it('is looked up anew for each redirect: one that turns private the second time is refused', async () => {
    let names = 0;
    const site = await webSite({ '/': redirects('/again'), '/again': sends('text/plain', 'secret') });
    const web = nodeWeb({
      resolve: () => Promise.resolve([{ address: names++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]),
      allow: (address) => address === '127.0.0.1',
    });
    await expect(get(web, `http://rebind.test:${String(site.port)}/`)).rejects.toThrow(
      'It was redirected to an address that may not be fetched',
    );
    expect(site.seen).toEqual(['GET /']);
  });

  it('says so where there is none', async () => {
    const site = await webSite({});
    await expect(get(site.web, 'http://nowhere.test/')).rejects.toThrow('nowhere.test: there is no such host');
  });
});

describe('redirects', () => {
  it.each(INSIDE)('to %s are refused', async (host) => {
    const site = await webSite({ '/': redirects(`http://${host}/`), '/chain': redirects('/') });
    const failure = get(site.web, site.url('/chain')).catch((cause: unknown) => cause);
    expect(await failure).toMatchObject({ problem: 'refused', redirected: true });
    expect(site.seen).toEqual(['GET /chain', 'GET /']);
  });

  it.each(['file:///etc/passwd', 'gopher://a.example/', 'javascript:alert(1)', 'http://user:word@site.test/'])(
    'to %s are refused',
    async (to) => {
      const site = await webSite({ '/': redirects(to) });
      expect(await problemOf(get(site.web, site.url('/')))).toBe('url');
    },
  );

  it('are followed five times, whatever their status, and not a sixth', async () => {
    const handlers: Parameters<typeof webSite>[0] = { '/6': sends('text/plain', 'six') };
    [301, 302, 303, 307, 308, 302].forEach(
      (status, at) => (handlers[`/${String(at)}`] = redirects(`/${String(at + 1)}`, status)),
    );
    const site = await webSite(handlers);
    expect((await get(site.web, site.url('/1'))).url).toBe(site.url('/6'));
    expect(await problemOf(get(site.web, site.url('/0')))).toBe('redirects');
    expect(await get(site.web, site.url('/0'), { redirects: 0 })).toMatchObject({ status: 301 });
  });

  it('in a circle end', async () => {
    const site = await webSite({ '/': redirects('/') });
    expect(await problemOf(get(site.web, site.url('/')))).toBe('redirects');
    expect(site.seen).toHaveLength(6);
  });

  it('without a place to go are the answer', async () => {
    const site = await webSite({ '/': (response) => void response.writeHead(302).end('where?') });
    expect(await get(site.web, site.url('/'))).toMatchObject({ status: 302 });
  });
});

it('reaches an address of this machine only where the person named it themselves', async () => {
  const site = await webSite({ '/': sends('text/plain', 'mine') });
  const url = `http://127.0.0.1:${String(site.port)}/`;
  expect(await problemOf(get(nodeWeb(), url))).toBe('refused');
  expect(await get(nodeWeb(), url, { anywhere: true })).toMatchObject({ status: 200 });
});

describe('bodies', () => {
  it('are decompressed', async () => {
    const text = 'hello '.repeat(1_000);
    const site = await webSite({
      '/gzip': sends('text/plain', gzipSync(text), { 'content-encoding': 'gzip' }),
      '/deflate': sends('text/plain', deflateSync(text), { 'content-encoding': 'deflate' }),
      '/br': sends('text/plain', brotliCompressSync(text), { 'content-encoding': 'BR' }),
    });
    for (const path of ['/gzip', '/deflate', '/br']) {
      const { bytes, cut } = await get(site.web, site.url(path));
      expect(Buffer.from(bytes).toString()).toBe(text);
      expect(cut).toBe(false);
    }
  });

  it.each([
    ['gzip', (bytes: Buffer) => gzipSync(bytes)],
    ['deflate', (bytes: Buffer) => deflateSync(bytes)],
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('of a few KB that unfold to 100 MB (%s) are left at 5 MB', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(100 * MB));
    const site = await webSite({ '/': sends('text/html', bomb, { 'content-encoding': encoding }) });
    const before = process.memoryUsage().arrayBuffers;
    const { bytes, cut } = await get(site.web, site.url('/'));
    expect(bytes.length).toBe(5 * MB);
    expect(cut).toBe(true);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40 * MB);
  });

  it('of 50 MB, and those without an end, are left at 5 MB, and the connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    const site = await webSite({
      '/big': sends('text/plain', Buffer.alloc(50 * MB, 'x')),
      '/endless': (response) => {
        closed = once(response, 'close');
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'y')));
          response.once('drain', more);
        };
        response.writeHead(200);
        more();
      },
    });
    for (const path of ['/big', '/endless']) expect(await get(site.web, site.url(path))).toMatchObject({ cut: true });
    await closed;
  });

  it('that come too slowly are given up, and Stop ends them at once', async () => {
    const site = await webSite({
      '/drip': (response) => void response.writeHead(200).write('a little'),
      '/silent': () => undefined,
    });
    for (const path of ['/drip', '/silent']) {
      await expect(get(site.web, site.url(path), { timeoutMs: 300 })).rejects.toThrow('gave no whole answer');
      const stop = new AbortController();
      const running = get(site.web, site.url(path), { signal: stop.signal });
      stop.abort(new Error('stopped'));
      await expect(running).rejects.toThrow('stopped');
    }
  });

  it('that are broken off, damaged, or compressed in a way nobody asked for are errors in words', async () => {
    const whole = gzipSync('x'.repeat(10_000));
    const site = await webSite({
      '/off': (response) =>
        void response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy()),
      '/half': sends('text/plain', whole.subarray(0, 20), { 'content-encoding': 'gzip' }),
      '/damaged': sends('text/plain', 'no gzip at all', { 'content-encoding': 'gzip' }),
      '/odd': sends('text/plain', 'x', { 'content-encoding': 'zstd' }),
      '/twice': sends('text/plain', gzipSync(whole), { 'content-encoding': 'gzip, gzip' }),
      '/headers': (response) => void response.writeHead(200, { 'x-long': 'x'.repeat(200_000) }).end(),
    });
    await expect(get(site.web, site.url('/off'))).rejects.toThrow('broke');
    await expect(get(site.web, site.url('/half'))).rejects.toThrow('broke the answer off');
    await expect(get(site.web, site.url('/damaged'))).rejects.toThrow('compressed wrongly');
    for (const path of ['/odd', '/twice']) await expect(get(site.web, site.url(path))).rejects.toThrow('not asked for');
    await expect(get(site.web, site.url('/headers'))).rejects.toThrow('headers are too long');
  });
});

it('sends nothing that tells who asks: no cookies, no referrer', async () => {
  const site = await webSite({
    '/': (response) => void response.writeHead(302, { location: '/next', 'set-cookie': 'id=1' }).end(),
    '/next': sends('text/plain', 'x'),
  });
  await get(site.web, site.url('/'));
  const { headers } = site.requests.at(-1) ?? {};
  expect(headers?.cookie).toBeUndefined();
  expect(headers?.referer).toBeUndefined();
  expect(headers?.connection).toBe('close');
});

it('says in words that a server refuses connections', async () => {
  const site = await webSite({});
  const web = nodeWeb({ resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]), allow: () => true });
  await expect(get(web, 'http://closed.test:1/')).rejects.toThrow('closed.test:1: it refuses connections');
  expect(site.seen).toEqual([]);
});
