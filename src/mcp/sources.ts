import { t } from '@vscode/l10n';
import { join } from 'node:path';
import type { Disposable, Files } from '../platform/ports.js';
import { allKeyVariables } from '../tools/support/keyVariables.js';
import { mergeServers, readServers, type McpEntry, type McpVariables } from './config.js';
import { Consent, markOf } from './consent.js';
import { runningInEditor, type EditorServer } from './editorServers.js';
import { withEnvFile } from './envFile.js';
import { inputsIn, ServerInputs, type InputDefinition, type InputDefinitions } from './inputs.js';
import type { McpSources } from './manager.js';
import type { McpPorts } from './ports.js';
import { trustedFolder } from './trustedFolder.js';
import { readWorkspaceServers } from './workspaceFile.js';

/** The person's setting, config.json, and each folder's `.vscode/mcp.json` where the workspace is trusted and the person agreed to the server. */
export class Sources implements McpSources {
  private readonly files: WorkspaceFiles;
  private readonly consent: Consent;
  private readonly inputs: ServerInputs;
  /** The folders of the servers that want values, by the servers' names. */
  private readonly asking = new Map<string, string>();

  constructor(
    private readonly ports: McpPorts,
    allowed: () => void,
  ) {
    const { secrets, log, mcpShell } = ports;
    this.inputs = new ServerInputs({ secrets, log, port: mcpShell?.inputs, given: allowed });
    this.files = new WorkspaceFiles(ports.files);
    this.consent = new Consent({ ...ports, path: join(ports.home, '.nanobot', 'mcpServers.json'), allowed });
  }

  async entries({ watched }: { watched: boolean }): Promise<(McpEntry | EditorServer)[]> {
    const { ports } = this;
    const folder = trustedFolder(ports.workspace);
    const own = this.variables(folder);
    const persons = [
      readServers(ports.settings().mcpServers ?? {}, 'settings', own),
      readServers(ports.config().settings.mcpServers ?? {}, 'config.json', own),
    ];
    const filled = persons.map((entries) => Promise.all(entries.map((entry) => this.filled(entry, folder))));
    return mergeServers(...(await Promise.all(filled)), ...(await this.ofWorkspace(watched)));
  }

  async forgetInputs(server: string): Promise<void> {
    const folder = this.asking.get(server);
    if (folder !== undefined) await this.inputs.forget({ folder, server });
  }

  dispose(): void {
    this.files.dispose();
  }

  private async ofWorkspace(watched: boolean): Promise<(McpEntry | EditorServer)[][]> {
    const { workspace } = this.ports;
    if (!workspace.trusted() || !workspace.onDisk()) return [];
    return Promise.all(workspace.folders().map(({ path }) => this.ofFolder(path, watched)));
  }

  private async ofFolder(folder: string, watched: boolean): Promise<(McpEntry | EditorServer)[]> {
    const read = readWorkspaceServers(await this.files.text(folder));
    if ('problem' in read) return [{ name: '.vscode/mcp.json', source: 'workspace', problem: read.problem }];
    const editor = this.ports.mcpShell?.editorTools;
    return Promise.all(
      Object.entries(read.servers).map(
        async ([name, value]) =>
          runningInEditor(name, folder, editor) ?? this.ofFile(folder, name, value, read.inputs, watched),
      ),
    );
  }

  /** A server of a workspace's file: agreed to first, then given what it wants. */
  private async ofFile(
    folder: string,
    name: string,
    value: unknown,
    definitions: InputDefinitions,
    watched: boolean,
  ): Promise<McpEntry> {
    const variables = this.variables(folder);
    const readWith = (input: McpVariables['input'] & object): McpEntry =>
      readServers({ [name]: value }, 'workspace', { ...variables, input })[0] ?? off(name, t('It is not there.'));
    const written = readWith((id) => asWritten(id, definitions.get(id)));
    const entry = await agreed(this.consent, folder, written);
    if ('problem' in entry) return entry;
    const inputs = inputsIn(value)
      .map((id) => definitions.get(id))
      .filter(isInput);
    if (inputs.length === 0) return this.filled(entry, folder);
    this.asking.set(name, folder);
    const given = await this.inputs.values({ folder, server: name, mark: markOf(entry), inputs }, watched);
    if ('problem' in given) return { ...off(name, given.problem), asks: true };
    const whole = await this.filled(
      readWith((id) => ({ text: given.values[id] ?? '' })),
      folder,
    );
    return { ...whole, asks: true };
  }

  private async filled(entry: McpEntry, folder: string | undefined): Promise<McpEntry> {
    if ('problem' in entry) return entry;
    const { workspace, log } = this.ports;
    return withEnvFile(entry, folder, { workspace, log, keyNames: allKeyVariables() });
  }

  private variables(workspaceFolder: string | undefined): McpVariables {
    const { userHome, env } = this.ports;
    return { workspaceFolder, userHome, env, keyNames: allKeyVariables() };
  }
}

function off(name: string, problem: string) {
  return { name, source: 'workspace' as const, problem };
}

/** An input stands for itself until the person agreed to the server. */
function asWritten(
  id: string,
  definition: ReturnType<InputDefinitions['get']>,
): { text: string } | { problem: string } {
  if (definition === undefined) return { problem: t('is not among the inputs of .vscode/mcp.json') };
  return 'problem' in definition ? definition : { text: `\${input:${id}}` };
}

function isInput(definition: ReturnType<InputDefinitions['get']>): definition is InputDefinition {
  return definition !== undefined && !('problem' in definition);
}

async function agreed(consent: Consent, folder: string, entry: McpEntry): Promise<McpEntry> {
  if ('problem' in entry) return entry;
  const answer = await consent.check(folder, entry);
  if (answer === 'allowed') return entry;
  const problem =
    answer === 'waiting'
      ? t('It came with this workspace and waits for your answer: see the notification.')
      : t('It came with this workspace and was not allowed. Reload the window to be asked again.');
  return { name: entry.name, source: entry.source, problem };
}

/** The text of each folder's `.vscode/mcp.json`, read again only after it changed. Empty where there is none. */
class WorkspaceFiles implements Disposable {
  private readonly known = new Map<string, Promise<string>>();
  private readonly watchers = new Map<string, Disposable>();

  constructor(private readonly files: Pick<Files, 'read' | 'watch'>) {}

  text(folder: string): Promise<string> {
    const path = join(folder, '.vscode', 'mcp.json');
    if (!this.watchers.has(path)) {
      this.watchers.set(
        path,
        this.files.watch(path, () => this.known.delete(path)),
      );
    }
    const text = this.known.get(path) ?? this.read(path);
    this.known.set(path, text);
    return text;
  }

  dispose(): void {
    for (const watcher of this.watchers.values()) watcher.dispose();
  }

  private read(path: string): Promise<string> {
    return this.files.read(path).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => '{}',
    );
  }
}
