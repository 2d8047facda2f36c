import type { EditorSources } from './agent/attachables.js';
import type { EarlyChoices } from './agent/modelChoice.js';
import type { ReviewStorage } from './agent/reviews.js';
import type { Surroundings } from './agent/context.js';
import type { ExportFormat } from './agent/sessionTransfer.js';
import type { GrammarFile } from './approval/commandLine.js';
import type { ApprovalSettings } from './approval/verdict.js';
import type { ConfigFile } from './config/file.js';
import type { Settings } from './config/schema.js';
import type { McpShell } from './mcp/ports.js';
import type { Languages } from './platform/languages.js';
import type {
  Clock,
  Files,
  GitFs,
  Log,
  Processes,
  Programs,
  Search,
  Secrets,
  Shell,
  Ui,
  Web,
  Workers,
  Workspace,
} from './platform/ports.js';
import type { TerminalShell } from './platform/terminalShell.js';
import type { ProviderRegistry } from './providers/registry.js';

/** Everything the core needs of the world. */
export interface AppPorts {
  files: Files;
  workspace: Workspace;
  search: Search;
  shell: Shell;
  clock: Clock;
  secrets: Secrets;
  log: Log;
  ui: Ui;
  processes: Processes;
  workers: Workers;
  web: Web;
  /** The person's own shell in a terminal, where an editor is. */
  terminalShell?: TerminalShell;
  /** The editor's language services, where an editor is. */
  languages?: Languages;
  programs: Programs;
  gitFs: GitFs;
  surroundings: Surroundings;
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The folder of the built-in skills. */
  builtInSkills: string;
  /** The person's own home folder. */
  userHome: string;
  /** Whether the disk takes `A` and `a` for the same name. */
  ignoreCase: boolean;
  /** Where config.json lies, for messages. */
  configPath: string;
  config(): ConfigFile;
  /** What a person set in this shell; config.json and the defaults fill the rest. */
  settings(): Partial<Settings>;
  storeModel(id: string): Promise<void>;
  /** Overrides `nanobot.approval`: `all` exists on the command line only. */
  approval?: ApprovalSettings['mode'];
  /** Reads a file of the shell grammar. */
  grammar(file: GrammarFile): Promise<Uint8Array>;
  /** Where ripgrep was found, for the diagnosis. */
  ripgrep(): Promise<string | undefined>;
  /** Ask local servers for models when nothing else is configured; off in tests. */
  probeLocal: boolean;
  /** Milliseconds between two pieces of the practice model's answer; for tests. */
  practicePieceMs?: number;
  /** Unique to this process. */
  holder: string;
  newId(): string;
  /** What only a shell with an editor gives to MCP servers. */
  mcpShell?: McpShell;
  /** Where an editor keeps what was chosen for chats that have not begun. */
  earlyChoices?: EarlyChoices;
  /** Where an editor keeps what is to be reviewed; without it nothing is. */
  reviews?: ReviewStorage;
  /** What only an editor can attach to a message. */
  editorSources?: EditorSources;
  /** Has the person choose where a chat is exported to, in a shell that can ask; nobody waits for it. */
  exportChat?: (sessionKey: string, format: ExportFormat | undefined) => void;
  /** Providers that only this shell has, by name. */
  extraProviders?: ConstructorParameters<typeof ProviderRegistry>[0]['extra'];
}
