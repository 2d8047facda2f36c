import { BlockList, isIP } from 'node:net';

/** The proxy for an address; undefined where it is reached directly. */
export type ProxyChoice = (url: URL) => URL | undefined;

export interface ProxyRules {
  /** Undefined where no proxy is set, or none that can be used. */
  choose?: ProxyChoice;
  /** What cannot be used, in words for a person. Never holds a password. */
  problems: string[];
}

type Env = Readonly<Record<string, string | undefined>>;

const PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/**
 * The proxies that the environment names, as curl reads it: `HTTPS_PROXY` and `HTTP_PROXY` by the kind of address, `ALL_PROXY` for what they leave
 * open, `NO_PROXY` for hosts that are reached directly. Names in lower case win. This machine's own addresses never go through a proxy.
 */
export function proxyRules(env: Env): ProxyRules {
  const problems: string[] = [];
  const all = proxyOf(env, 'ALL_PROXY', problems);
  const proxies: Record<string, URL | undefined> = {
    'http:': proxyOf(env, 'HTTP_PROXY', problems) ?? all,
    'https:': proxyOf(env, 'HTTPS_PROXY', problems) ?? all,
  };
  if (!proxies['http:'] && !proxies['https:']) return { problems };
  const direct = valueOf(env, 'NO_PROXY')
    .split(/[\s,]+/)
    .filter(Boolean);
  const choose: ProxyChoice = (url) => {
    const proxy = proxies[url.protocol];
    return proxy && !isOwn(url.hostname) && !direct.some((entry) => covers(entry, url)) ? proxy : undefined;
  };
  return { choose, problems };
}

function valueOf(env: Env, name: string): string {
  return (env[name.toLowerCase()] ?? env[name] ?? '').trim();
}

function proxyOf(env: Env, name: string, problems: string[]): URL | undefined {
  const value = valueOf(env, name);
  if (value === '') return undefined;
  // Many write the host and the port alone.
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:') && isReadable(url)) return url;
  const why = whyNot(url);
  problems.push(`${name} ${why}, so it is not used. Set it to an http proxy, such as http://proxy.example.org:8080.`);
  return undefined;
}

function whyNot(url: URL | undefined): string {
  if (!url) return 'is no address';
  const known = url.protocol === 'http:' || url.protocol === 'https:';
  return known ? 'holds a % that stands for nothing' : `names a proxy of the kind ${url.protocol.replace(':', '')}`;
}

/** Whether name and password can be sent: a percent sign in them has to be written as `%25`. */
function isReadable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A host without brackets, dot at its end and capitals; an IPv4 address that is written as IPv6, as itself. */
function plainHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isIP(plain) !== 6) return plain;
  const short = new URL(`http://[${plain.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(short) ?? [];
  if (high === undefined || low === undefined) return short;
  return [high, low].flatMap((half) => [parseInt(half, 16) >> 8, parseInt(half, 16) & 255]).join('.');
}

/** An address of this machine, which means another one to the proxy. */
function isOwn(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|::1?|0\.0\.0\.0)$/.test(plainHost(host));
}

/** Whether an entry of `NO_PROXY` covers an address: `*`, a host with all below it, both with or without a port, or a block of addresses. */
function covers(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const host = plainHost(url.hostname);
  const [, address = '', bits, ofBlock] = /^(.*)\/(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (bits !== undefined) return isPort(ofBlock, url) && inBlock(host, plainHost(address), bits);
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const wanted = plainHost(name.replace(/^\*?\.+/, ''));
  if (wanted === '' || !isPort(port, url)) return false;
  return host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isPort(port: string | undefined, url: URL): boolean {
  return port === undefined || port === (url.port || PORTS[url.protocol]);
}

/** A block that makes no sense holds nothing. */
function inBlock(host: string, block: string, bits: string): boolean {
  const family = isIP(block);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(block, Number(bits), type);
  return list.check(host, type);
}
