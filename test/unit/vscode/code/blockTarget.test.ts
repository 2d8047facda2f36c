import { describe, expect, it } from 'vitest';
import { asPath, blockTarget } from '../../../../src/vscode/code/blockTarget.js';

const of = (info: string, text = 'x\n', named: string[] = []) => blockTarget({ info, text, named });

describe('the file of a block', () => {
  it.each([
    ['ts src/a.ts', 'ts', 'src/a.ts'],
    ['ts:src/a.ts', 'ts', 'src/a.ts'],
    ['src/a.ts', 'ts', 'src/a.ts'],
    ['tsx title="my folder/a.tsx"', 'tsx', 'my folder/a.tsx'],
    ["js {1,3} file='b.js'", 'js', 'b.js'],
    ['python filename=src/main.py', 'python', 'src/main.py'],
    ['ts src/a.ts:12', 'ts', 'src/a.ts'],
    ['C:\\work\\a.ts', 'ts', 'C:\\work\\a.ts'],
    ['Makefile', 'makefile', undefined],
    ['json .vscode/settings.json', 'json', '.vscode/settings.json'],
    ['ts {1,3}', 'ts', undefined],
    ['objective-c++', 'objective-c++', undefined],
    ['', '', undefined],
  ])('is read from the fence: %s', (info, language, path) => {
    expect(of(info)).toMatchObject({ language, paths: path === undefined ? [] : [path] });
  });

  it.each([
    ['// src/a.ts', 'src/a.ts'],
    ['# file: tools/run.py', 'tools/run.py'],
    ['/* styles/main.css */', 'styles/main.css'],
    ['<!-- index.html -->', 'index.html'],
    ['-- sql/one.sql', 'sql/one.sql'],
    ['{/* src/App.tsx */}', 'src/App.tsx'],
  ])('is read from a first line that says nothing else, which is then no part of the code: %s', (line, path) => {
    expect(of('x', `${line}\ncode();\n`)).toEqual({ language: 'x', paths: [path], text: 'code();\n' });
  });

  it.each(['// see src/a.ts for more', '#!/bin/sh', '# Title.', 'src/a.ts', '// TODO', '#include <a.h>'])(
    'is not read from a first line such as %s',
    (line) => {
      expect(of('x', `${line}\ncode\n`)).toEqual({ language: 'x', paths: [], text: `${line}\ncode\n` });
    },
  );

  it('is read from the header of a diff, and else from the text before, which may name several', () => {
    expect(of('diff', '--- a/src/old.ts\n+++ b/src/new.ts\n@@ -1 +1 @@\n').paths).toEqual(['src/new.ts']);
    expect(of('diff', '--- a/src/old.ts\n+++ /dev/null\n').paths).toEqual(['src/old.ts']);
    expect(of('ts', 'x', ['src/a.ts', 'src/a.ts']).paths).toEqual(['src/a.ts']);
    expect(of('ts', 'x', ['src/a.ts', 'b.ts']).paths).toEqual(['src/a.ts', 'b.ts']);
    expect(of('ts c.ts', 'x', ['src/a.ts']).paths).toEqual(['c.ts']);
  });

  it.each([
    'javascript:alert(1).js',
    'command:workbench.action.quit.ts',
    'https://example.com/a.ts',
    'vscode://file/a.ts',
    'data:text/html,a.html',
    '\\\\server\\share\\a.ts',
    '//server/share/a.ts',
    'a\u202e.ts',
    'a\u0000.ts',
    'a/',
    '..',
    'word',
    `${'a/'.repeat(300)}b.ts`,
  ])('is never %s', (path) => {
    expect(asPath(path)).toBeUndefined();
    expect(of(`ts title="${path}"`, 'x', [path]).paths).toEqual([]);
  });

  it('of a block of 5 MB in one line is looked for in its first characters', () => {
    const text = `// ${'x'.repeat(5_000_000)}`;
    const before = performance.now();
    expect(of('', text).paths).toEqual([]);
    expect(performance.now() - before).toBeLessThan(200);
  });
});
