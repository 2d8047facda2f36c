/** Which terminals take a block of a language. */
export type ShellKind = 'posix' | 'powershell' | 'cmd';

const KINDS: Record<string, ShellKind> = {
  ...{ sh: 'posix', bash: 'posix', zsh: 'posix', ksh: 'posix', fish: 'posix', shell: 'posix', shellscript: 'posix' },
  ...{ console: 'posix', terminal: 'posix', 'shell-session': 'posix', shellsession: 'posix' },
  ...{ powershell: 'powershell', pwsh: 'powershell', ps1: 'powershell', cmd: 'cmd', bat: 'cmd', batch: 'cmd' },
};

/** Undefined for what is no language of a shell. `shell` and `console` say nothing of which one it is, so `any` is true for them. */
export function shellKindOf(language: string): { kind: ShellKind; any: boolean } | undefined {
  const kind = Object.hasOwn(KINDS, language) ? KINDS[language] : undefined;
  return kind && { kind, any: /^(?:shell|console|terminal)$/.test(language) };
}

/** What a terminal with this program as its shell takes. */
export function kindOfShell(program: string): ShellKind {
  const name = program.split(/[\\/]/).at(-1)?.toLowerCase() ?? '';
  if (/^(?:pwsh|powershell)/.test(name)) return 'powershell';
  return name.startsWith('cmd') ? 'cmd' : 'posix';
}

const PROMPT =
  /^\s*(?:\([\w.-]+\) ?)?(?:[\w.-]+@[\w.-]+[^$%#\n]{0,80})?[$%] (?=\S)|^\s*PS [^>\n]{0,200}> ?(?=\S)|^\s*[A-Za-z]:\\[^>\n]{0,200}> ?(?=\S)/;

/**
 * The commands of a block. Where lines begin with a prompt (`$ `, `% `, `PS C:\>`), only these are commands, with the lines that continue them (after a
 * `\` or a backtick, or with `> ` in front); the others show what came out.
 */
export function commandsOf(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').replace(/\n+$/, '').replace(/^\n+/, '').split('\n');
  if (!lines.some((line) => PROMPT.test(line))) return lines.join('\n');
  const commands: string[] = [];
  let goesOn = false;
  for (const line of lines) {
    const isCommand = PROMPT.test(line);
    const isMore: boolean = !isCommand && commands.length > 0 && (goesOn || /^> \S/.test(line));
    if (isCommand) commands.push(line.replace(PROMPT, ''));
    else if (isMore) commands.push(line.replace(/^> /, ''));
    goesOn = (isCommand || isMore) && /[\\`]$/.test(line);
  }
  return commands.join('\n');
}

/** A character that a terminal would take for a key (a tab completes), or that nobody sees; undefined where there is none. */
export function hiddenCharacter(commands: string): string | undefined {
  const found = /[^\P{Cc}\n]|[\p{Cf}\u2028\u2029]/u.exec(commands)?.[0];
  return found && `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
