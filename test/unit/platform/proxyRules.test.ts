import { describe, expect, it } from 'vitest';
import { proxyRules } from '../../../src/platform/proxyRules.js';

const PROXY = 'http://proxy.example.org:8080';

/** The host of the proxy that an address goes through. */
function through(env: Record<string, string>, address: string): string | undefined {
  return proxyRules(env).choose?.(new URL(address))?.host;
}

describe('the proxies of the environment', () => {
  it('are chosen by the kind of address, with one for what is left open', () => {
    const env = { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://p:2' };
    expect([through(env, 'https://a.org'), through(env, 'http://a.org')]).toEqual(['s:1', 'p:2']);
    expect([through({ HTTPS_PROXY: 'http://s:1' }, 'http://a.org')]).toEqual([undefined]);
    const all = { ALL_PROXY: 'http://all:3', HTTPS_PROXY: 'http://s:1' };
    expect([through(all, 'https://a.org'), through(all, 'http://a.org')]).toEqual(['s:1', 'all:3']);
    expect(through({ https_proxy: 'http://small:1', HTTPS_PROXY: 'http://large:1' }, 'https://a.org')).toBe('small:1');
    expect(through({ https_proxy: '', HTTPS_PROXY: 'http://large:1' }, 'https://a.org')).toBeUndefined();
    expect(through({ HTTPS_PROXY: 'proxy.example.org:8080' }, 'https://a.org')).toBe('proxy.example.org:8080');
  });

  it('are none where nothing is set', () => {
    expect(proxyRules({ NO_PROXY: 'a.org', HTTPS_PROXY: ' ' })).toEqual({ problems: [] });
  });

  it.each([
    ['socks5://user:hunter2@h:1080', 'names a proxy of the kind socks5'],
    ['http://', 'is no address'],
    ['http://me:hunter2%@h:1', 'holds a % that stands for nothing'],
    ['http://me:hunter2%ff@h:1', 'holds a % that stands for nothing'],
  ])('that cannot be used (%s) are said, without their password', (value, why) => {
    const { choose, problems } = proxyRules({ ALL_PROXY: value });
    expect(choose).toBeUndefined();
    expect(problems).toEqual([expect.stringContaining(`ALL_PROXY ${why}, so it is not used.`)]);
    expect(problems.join()).not.toContain('hunter2');
  });

  it.each([
    ['*', 'https://a.org', false],
    ['a.org', 'https://a.org', false],
    ['a.org', 'https://www.a.org', false],
    ['a.org', 'https://ba.org', true],
    ['.a.org', 'https://www.a.org', false],
    ['*.a.org', 'https://www.a.org', false],
    ['A.ORG', 'https://a.org.', false],
    ['a.org:8443', 'https://a.org', true],
    ['a.org:8443', 'https://a.org:8443', false],
    ['a.org:443', 'https://a.org', false],
    ['b.org, a.org', 'https://a.org', false],
    ['b.org c.org', 'https://a.org', true],
    ['10.0.0.0/8', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://11.1.2.3', true],
    ['10.1.2.3', 'https://10.1.2.3', false],
    ['2.3', 'https://10.1.2.3', true],
    ['[2001:db8::1]', 'https://[2001:db8::1]', false],
    ['2001:db8::1', 'https://[2001:db8::1]', false],
    ['a.org.', 'https://a.org', false],
    ['.a.org.', 'https://www.a.org.', false],
    ['a.org.:8443', 'https://a.org:8443', false],
    ['a.org.', 'https://ba.org', true],
    ['.', 'https://a.org', true],
    ['fd00::/8', 'https://[fd12:3456::1]', false],
    ['[fd00::]/8', 'https://[fd12:3456::1]', false],
    ['fd00::/8', 'https://[fe80::1]', true],
    ['fd00::/8', 'https://10.1.2.3', true],
    ['2001:db8::/127', 'https://[2001:db8::2]', true],
    ['::/0', 'https://[2001:db8::2]', false],
    ['2001:0db8:0::1', 'https://[2001:db8::1]', false],
    ['10.0.0.0/8', 'https://[::ffff:10.1.2.3]', false],
    ['10.1.2.3', 'https://[::ffff:10.1.2.3]', false],
    ['::ffff:10.1.2.3', 'https://10.1.2.3', false],
    ['0.0.0.0/0', 'https://10.1.2.3', false],
    ['10.1.2.3/32', 'https://10.1.2.4', true],
    ['10.0.0.0/8:8443', 'https://10.1.2.3', true],
    ['10.0.0.0/8:443', 'https://10.1.2.3', false],
    ['10.0.0.0/33', 'https://10.1.2.3', true],
    ['10.0.0.0/', 'https://10.1.2.3', true],
    ['10.0.0.0/x', 'https://10.1.2.3', true],
    ['10.0.0.0/-1', 'https://10.1.2.3', true],
    ['fd00::/129', 'https://[fd00::1]', true],
    ['a.org/8', 'https://a.org', true],
    ['', 'https://localhost.', false],
    ['', 'https://www.localhost.:1', false],
    ['', 'https://127.9.9.9.', false],
    ['', 'https://[::ffff:127.0.0.1]', false],
    ['', 'https://[::ffff:0.0.0.0]', false],
    ['', 'https://[::]', false],
    ['', 'https://[::ffff:128.0.0.1]', true],
    ['', 'https://localhost:1234', false],
    ['', 'https://127.0.0.1', false],
    ['', 'https://[::1]:1', false],
    ['', 'https://localhost.example.org', true],
  ])('and NO_PROXY "%s" for %s: through it %s', (noProxy, address, goes) => {
    expect(through({ ALL_PROXY: PROXY, NO_PROXY: noProxy }, address) !== undefined).toBe(goes);
  });
});
