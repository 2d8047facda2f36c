/** What every command is told: there is no terminal, nobody to ask, nothing to page or colour for. */
const QUIET: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  // Empty, not missing: git would go on to core.askPass and SSH_ASKPASS and open a dialog that a turn then waits for.
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  // An editor without a terminal hangs; `true` keeps the message git proposes, and an empty one ends the commit at once.
  GIT_EDITOR: 'true',
  // Python holds back up to 8 KB on a pipe, so a server's lines would not be seen while it runs.
  PYTHONUNBUFFERED: '1',
};

/** Variables that force colours, or that only mean something inside the editor's own processes. */
const DROPPED = new Set([
  'FORCE_COLOR',
  'CLICOLOR_FORCE',
  'COLORTERM',
  'ELECTRON_RUN_AS_NODE',
  'ELECTRON_NO_ATTACH_CONSOLE',
  'ELECTRON_NO_ASAR',
  'APPLICATION_INSIGHTS_NO_DIAGNOSTIC_CHANNEL',
  'NODE_CHANNEL_FD',
]);

/**
 * The whole environment of a command: a copy of `base` without keys and without the editor's internals (`VSCODE_…`, `ELECTRON_…`), told that
 * there is no terminal and nobody to ask. `keyNames` are the variables that hold providers' keys; names are compared without regard to case,
 * as Windows does. `CI` stays as the person has it: setting it would change what tests and installers do.
 */
export function childEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  keyNames: readonly string[],
): Record<string, string> {
  const keys = new Set(keyNames.map((name) => name.toUpperCase()));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    const upper = name.toUpperCase();
    if (value === undefined || keys.has(upper) || DROPPED.has(upper) || upper.startsWith('VSCODE_')) continue;
    // A second spelling of the same name would win or lose at random on Windows.
    if (upper in QUIET) continue;
    kept[name] = value;
  }
  return { ...kept, ...QUIET };
}
