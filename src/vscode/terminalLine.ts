/** Longer lines are more than some terminals take at once. */
const longest = 4_000;

/** First words after which an interactive shell may wait for more lines. */
const opening = new Set([
  ...['if', 'for', 'while', 'until', 'case', 'select', 'function', 'do', 'then', 'else', 'elif', 'time', 'coproc'],
  ...['foreach', 'repeat', 'begin', 'end', 'nocorrect', 'noglob', 'command', 'builtin', 'exec', 'exit', 'logout'],
]);

/**
 * The line to type for a command into an interactive bash or zsh, or undefined where it is too long. Plain words are typed as they are. All else
 * is given to `eval` as one quoted text: so that history (`!`), completion (a tab) and line ends mean nothing to the line editor, an
 * open quote is an error instead of a shell that waits for more, and the editor sees one command begin and end.
 */
export function posixLine(command: string): string | undefined {
  const isPlain = /^[\w./:=@%+,-]+(?: [\w./:=@%+,~-]+)*$/.test(command) && !opening.has(command.split(' ')[0] ?? '');
  const line = isPlain ? command : `eval $'${escaped(command)}'`;
  return line.length > longest ? undefined : line;
}

/** For PowerShell, whose line editor takes one line as it is; undefined for several, and what is too long. */
export function powerShellTerminalLine(command: string): string | undefined {
  // Control characters would be keys to the line editor.
  return command.length > longest || /\p{Cc}/u.test(command) ? undefined : command;
}

/** A folder as one word, without quotes where it needs none. */
export function quotedFolder(path: string, posix: boolean): string {
  if (posix && /^[\w./@%+,:-]+$/.test(path)) return path;
  return posix ? `'${path.replaceAll("'", String.raw`'\''`)}'` : `'${path.replaceAll("'", "''")}'`;
}

function escaped(command: string): string {
  return command
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('!', '\\041')
    .replace(/\p{Cc}/gu, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
