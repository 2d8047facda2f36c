import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { posixLine, powerShellTerminalLine, quotedFolder } from '../../../src/vscode/terminalLine.js';

describe('the line for a terminal', () => {
  it.each(['git status', 'npm run test -- --watch=false', 'ls -la ./a/b.txt'])(
    'is the command itself: %s',
    (command) => {
      expect(posixLine(command)).toBe(command);
    },
  );

  it.each([
    'echo "a!b" \'c\\n\'',
    'printf "%s|" one\ntwo=2; printf "$two\\t."',
    '(cd / && pwd) | tr / x',
    'cat <<END\nit\'s "here"\nEND',
    'echo größe → 新; false || echo $?',
    'for x in 1 2; do echo $x; done',
    'echo a\\\n b',
  ])('means what the command means, in one line: %s', (command) => {
    const line = posixLine(command) ?? '';
    expect(line).not.toMatch(/[\n\t!]/);
    const run = (text: string) => execFileSync('bash', ['-c', text], { encoding: 'utf8' });
    expect(run(line)).toBe(run(command));
  });

  it('fails at once where a quote is open, instead of waiting for more', () => {
    const { status, stderr } = spawnSync('bash', ['-c', posixLine('echo "open') ?? ''], { encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('unexpected EOF');
  });

  it('does not exist for what a terminal does not take', () => {
    expect(posixLine(`echo ${'x'.repeat(4_000)}`)).toBeUndefined();
    expect(powerShellTerminalLine('a\nb')).toBeUndefined();
    expect(powerShellTerminalLine('Get-Item .')).toBe('Get-Item .');
  });

  it('quotes folders', () => {
    expect(execFileSync('bash', ['-c', `printf %s ${quotedFolder("/a b/it's $x", true)}`], { encoding: 'utf8' })).toBe(
      "/a b/it's $x",
    );
    expect(quotedFolder('/home/me/a-b', true)).toBe('/home/me/a-b');
    expect(quotedFolder("it's", false)).toBe("'it''s'");
  });
});
