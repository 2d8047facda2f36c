import type { ConfigFile } from '../config/file.js';
import type { Settings } from '../config/schema.js';
import type { Clock, Files, Log, Programs, Secrets, Ui, Workspace } from '../platform/ports.js';
import type { EditorTools } from './editorServers.js';
import type { InputPort } from './inputs.js';
import type { SignInPort } from './login.js';

/** What the servers need of the app's ports. */
export interface McpPorts {
  files: Files;
  workspace: Workspace;
  clock: Clock;
  log: Log;
  ui: Pick<Ui, 'notify'>;
  programs: Programs;
  /** The agent's home. */
  home: string;
  /** The person's own home folder. */
  userHome: string;
  env: Readonly<Record<string, string | undefined>>;
  config(): Pick<ConfigFile, 'settings'>;
  settings(): Partial<Settings>;
  secrets: Secrets;
  newId(): string;
  mcpShell?: McpShell;
}

/** What a shell with an editor gives to servers. */
export interface McpShell {
  /** The person's browser, for servers that want a sign-in. */
  browser: SignInPort;
  /** Tools of servers that the editor runs itself. */
  editorTools: EditorTools;
  /** Asks the person for values that a workspace's servers want. */
  inputs?: InputPort;
}
