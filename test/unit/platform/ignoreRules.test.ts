import { describe, expect, it } from 'vitest';
import { globMatcher, isIgnored, parseIgnoreFile } from '../../../src/platform/ignoreRules.js';

function ignores(text: string, path: string, isFolder = false): boolean {
  return isIgnored(`/r/${path}`, isFolder, [{ base: '/r', rules: parseIgnoreFile(text) }]);
}

describe('ignore files', () => {
  it.each([
    ['*.log', 'a/b.log', true],
    ['*.log', 'b.logs', false],
    ['/build', 'build', true],
    ['/build', 'a/build', false],
    ['doc/*.txt', 'doc/a.txt', true],
    ['doc/*.txt', 'doc/x/a.txt', false],
    ['**/foo', 'a/b/foo', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['abc/**', 'abc/x/y', true],
    ['abc/**', 'abc', false],
    ['# comment', '# comment', false],
    ['\\#name', '#name', true],
    ['name\\ ', 'name ', true],
    ['name  ', 'name', true],
    ['file[0-9].txt', 'file7.txt', true],
    ['file[!0-9].txt', 'file7.txt', false],
    ['a?c', 'a/c', false],
    ['*.{js,ts}', 'a.js', false],
    ['[unclosed', 'anything', false],
    ['*.LOG', 'a.log', false],
  ])('%j on %j: %s', (rule, path, expected) => {
    expect(ignores(rule, path)).toBe(expected);
  });

  it('takes a slash at the end for folders only', () => {
    expect(ignores('dist/', 'dist', true)).toBe(true);
    expect(ignores('dist/', 'dist', false)).toBe(false);
  });

  it('lets the last rule and the innermost file decide', () => {
    expect(ignores('*.log\n!keep.log', 'keep.log')).toBe(false);
    const scopes = [
      { base: '/r', rules: parseIgnoreFile('*.log') },
      { base: '/r/sub', rules: parseIgnoreFile('!x.log') },
    ];
    expect(isIgnored('/r/sub/x.log', false, scopes)).toBe(false);
    expect(isIgnored('/r/x.log', false, scopes)).toBe(true);
  });
});

describe('globMatcher', () => {
  it('takes several globs, exclusions and braces', () => {
    const matches = globMatcher(['*.{ts,tsx}', '!**/*.test.ts']);
    expect(['a.ts', 'b/c.tsx', 'a.js', 'b/a.test.ts'].filter(matches)).toEqual(['a.ts', 'b/c.tsx']);
    expect(globMatcher(['!*.md'])('a.ts')).toBe(true);
    expect(globMatcher([])('anything')).toBe(true);
  });

  it('names a glob that cannot be parsed', () => {
    expect(() => globMatcher(['a[b'])).toThrow("error parsing glob 'a[b'");
    expect(() => globMatcher(['{a,b'])).toThrow('brace');
  });
});
