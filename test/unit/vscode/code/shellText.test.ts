import { describe, expect, it } from 'vitest';
import { commandsOf, hiddenCharacter, kindOfShell, shellKindOf } from '../../../../src/vscode/code/shellText.js';

describe('the commands of a block', () => {
  it.each([
    ['npm ci\nnpm test\n', 'npm ci\nnpm test'],
    ['$ npm ci\nadded 3 packages\n$ npm test\nok\n', 'npm ci\nnpm test'],
    ['ada@box:~/work$ ls -l\ntotal 0', 'ls -l'],
    ['(venv) $ pip list', 'pip list'],
    ['$ docker run \\\n    -it x\nout', 'docker run \\\n    -it x'],
    ['$ cat <<END\n> one\n> END', 'cat <<END\none\nEND'],
    ['PS C:\\work> Get-ChildItem\nMode', 'Get-ChildItem'],
    ['C:\\work> dir', 'dir'],
    ['% make', 'make'],
    ['echo $HOME\n# say it\n', 'echo $HOME\n# say it'],
    ['\n\n', ''],
  ])('%j are %j', (text, commands) => {
    expect(commandsOf(text)).toBe(commands);
  });
});

describe('what cannot be seen', () => {
  it.each([
    ['ls\u001b[2J', 'U+001B'],
    ['ls\rrm x', 'U+000D'],
    ['ls\t', 'U+0009'],
    ['ls \u202e', 'U+202E'],
    ['a\u200bb', 'U+200B'],
    ['ls\u0003', 'U+0003'],
  ])('in %j is %s', (text, name) => {
    expect(hiddenCharacter(text)).toBe(name);
  });

  it('is nothing in plain lines', () => {
    expect(hiddenCharacter('echo "grün 你好"\nls')).toBeUndefined();
  });
});

describe('shells', () => {
  it('are told by language and by program', () => {
    expect(shellKindOf('bash')).toEqual({ kind: 'posix', any: false });
    expect(shellKindOf('console')).toEqual({ kind: 'posix', any: true });
    expect(shellKindOf('ps1')).toEqual({ kind: 'powershell', any: false });
    for (const language of ['ts', '', 'constructor', 'python']) expect(shellKindOf(language)).toBeUndefined();
    expect(kindOfShell('/usr/bin/zsh')).toBe('posix');
    expect(kindOfShell('C:\\Windows\\System32\\cmd.exe')).toBe('cmd');
    expect(kindOfShell('pwsh')).toBe('powershell');
  });
});
