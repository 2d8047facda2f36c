import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Names that lead into this machine, this network or a cloud's inside, whoever resolves them. */
const INSIDE_NAMES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'private',
  'home.arpa',
  'localdomain',
];

/** Public by their range, yet answered by the inside of a cloud: Azure's own services. */
const INSIDE_ADDRESSES = new Set(['168.63.129.16']);

/** What carries an IPv4 address in its last four bytes: NAT64, through which a network without IPv4 reaches all of it. */
const NAT64 = 'rfc6052';

/**
 * Why an address may not be reached, in words that fit behind it ("is a loopback address"); undefined for a public one. Takes IPv4 and IPv6 as text,
 * without brackets. Only what is known to be public is let through: an address of an unknown kind is refused.
 */
export function refusedAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address) || isIP(address) === 0) return 'is no address';
  const parsed = ipaddr.parse(address);
  return parsed.kind() === 'ipv4' ? refusedV4(parsed.toString()) : refusedV6(parsed as ipaddr.IPv6);
}

function refusedV4(address: string): string | undefined {
  if (INSIDE_ADDRESSES.has(address)) return "is an address of a cloud's inside";
  return inWords(ipaddr.IPv4.parse(address).range());
}

function refusedV6(address: ipaddr.IPv6): string | undefined {
  if (address.isIPv4MappedAddress()) return refusedV4(address.toIPv4Address().toString());
  const range = address.range();
  if (range === NAT64) return refusedV4(new ipaddr.IPv4(address.toByteArray().slice(12)).toString());
  // Global unicast is 2000::/3; whatever else there is has no business on the public network.
  const isGlobal = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return inWords(range === 'unicast' && !isGlobal ? 'reserved' : range);
}

function inWords(range: string): string | undefined {
  switch (range) {
    case 'unicast':
      return undefined;
    case 'loopback':
    case 'unspecified':
      return 'is an address of this machine';
    case 'linkLocal':
      return 'is a link-local address, as cloud metadata services have';
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
      return 'is an address of a private network';
    default:
      return 'is not a public address';
  }
}

/**
 * Why a host of a URL may not be reached, judged by its name alone; undefined where only resolving it can tell. `host` is as `URL.hostname` gives it: in lower
 * case, numbers in every spelling already made a plain IPv4 address, IPv6 in brackets.
 */
export function refusedHost(host: string): string | undefined {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (isIP(name) !== 0) return refusedAddress(name);
  if (name === '' || !name.includes('.') || INSIDE_NAMES.some((inside) => name.endsWith(`.${inside}`))) {
    return 'is a name of this machine or of a private network';
  }
  return undefined;
}
