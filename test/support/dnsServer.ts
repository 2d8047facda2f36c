import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** A name server on 127.0.0.1 that knows what a test tells it, and a resolver that asks it. */
export interface DnsServer {
  /** Every address of a name, as the network port asks for it. */
  resolve(name: string): Promise<LookupAddress[]>;
  /** How often the IPv4 addresses of a name were asked for. */
  asked(name: string): number;
  close(): Promise<void>;
}

/** `records` gives the addresses of a name; the number counts how often it was asked for before. */
export async function startDnsServer(records: (name: string, before: number) => string[]): Promise<DnsServer> {
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, question } = parseQuery(query);
    const before = counts.get(name) ?? 0;
    const answers = records(name, before).filter((address) => isIP(address) === (type === 28 ? 6 : 4));
    if (type === 1) counts.set(name, before + 1);
    socket.send(answer(query, question, type, answers), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${String(socket.address().port)}`]);
  const addresses = async (name: string, family: 4 | 6): Promise<LookupAddress[]> => {
    const found = await (family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)).catch(() => []);
    return found.map((address) => ({ address, family }));
  };
  return {
    // One after the other: the answer to the first decides how often the name counts as asked for.
    resolve: async (name) => [...(await addresses(name, 6)), ...(await addresses(name, 4))],
    asked: (name) => counts.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function parseQuery(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  };
}

function answer(query: Buffer, question: Buffer, type: number, addresses: string[]): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = type === 28 ? bytesOfV6(address) : Buffer.from(address.split('.').map(Number));
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0xc00c, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt32BE(0, 6);
    head.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([header, question, ...records]);
}

/** The URL parser writes IPv6 out in groups of hexadecimal digits, and `::` stands for the zeros left out. */
function bytesOfV6(address: string): Buffer {
  const [left = '', right = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (half: string) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(left), groups(right)];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  const bytes = Buffer.alloc(16);
  all.forEach((group, index) => bytes.writeUInt16BE(group, index * 2));
  return bytes;
}
