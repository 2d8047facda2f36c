import { mkdir, mkdtemp, realpath, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandLineParser, type GrammarFile } from '../../../src/approval/commandLine.js';
import { ApprovalPolicy, type ApprovalSettings, type TurnFacts, type Verdict } from '../../../src/approval/policy.js';
import type { Places } from '../../../src/approval/paths.js';
import { RuleStore } from '../../../src/approval/rules.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import { createNodeWorkspace } from '../../../src/platform/nodeWorkspace.js';
import type { Log, Workspace } from '../../../src/platform/ports.js';
import type { Access } from '../../../src/runner/tool.js';
import { Leases } from '../../../src/session/lease.js';

const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** The grammar's real files. */
export function loadGrammar(file: GrammarFile): Promise<Uint8Array> {
  return readFile(join(packages, file === 'web-tree-sitter.wasm' ? 'web-tree-sitter' : 'tree-sitter-bash', file));
}

export const quietLog: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** A log that keeps what it is told. */
export function keepingLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const keep = (text: string) => void lines.push(text);
  return { log: { debug: keep, info: keep, warn: keep, error: keep }, lines };
}

export function newParser(log: Log = quietLog): CommandLineParser {
  return new CommandLineParser(loadGrammar, log);
}

/** A policy over real folders: a person's home with a project, the agent's home and a folder outside. */
export interface Kit {
  root: string;
  userHome: string;
  project: string;
  outside: string;
  home: string;
  places: Places;
  settings: ApprovalSettings;
  /** Changed by tests: what the workspace says of itself. */
  workspaceState: { trusted: boolean; onDisk: boolean; posix: boolean };
  workspace: Workspace;
  rules: RuleStore;
  notices: string[];
  policy: ApprovalPolicy;
  turn: TurnFacts;
  decide(tool: string, accesses: Access[], turn?: Partial<TurnFacts>): Promise<Verdict>;
  exec(command: string, turn?: Partial<TurnFacts>, cwd?: string): Promise<Verdict>;
  /** Another window on the same home: its own rules and leases. */
  otherRules(holder: string): RuleStore;
  dispose(): Promise<void>;
}

export async function makeKit(parser = newParser()): Promise<Kit> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'approval-')));
  const userHome = join(root, 'users', 'ann');
  const project = join(userHome, 'project');
  const outside = join(root, 'elsewhere');
  const home = join(userHome, '.nanobot', 'workspace');
  for (const folder of [
    project,
    outside,
    join(home, 'memory'),
    join(home, '.nanobot', 'results'),
    join(root, 'builtin'),
  ]) {
    await mkdir(folder, { recursive: true });
  }
  const places: Places = {
    home,
    configFile: join(userHome, '.nanobot', 'config.json'),
    freeReads: [join(home, '.nanobot', 'results'), join(root, 'builtin')],
    userHome,
    ignoreCase: false,
  };
  const workspaceState = { trusted: true, onDisk: true, posix: true };
  const workspace: Workspace = {
    ...createNodeWorkspace({ folders: [{ name: 'project', path: project }], userHome }),
    trusted: () => workspaceState.trusted,
    onDisk: () => workspaceState.onDisk,
  };
  const settings: ApprovalSettings = {
    mode: 'ask',
    approveEdits: 'after',
    execAllow: [],
    execDeny: [],
    restrictToWorkspace: false,
  };
  const notices: string[] = [];
  const leases: Leases[] = [];
  const otherRules = (holder: string) => {
    const own = new Leases({
      files: nodeFiles(),
      clock: nodeClock(),
      log: quietLog,
      folder: join(home, '.nanobot', 'locks'),
      holder,
      processes: nodeIdentity(),
    });
    leases.push(own);
    const notify = (text: string) => void notices.push(text);
    return new RuleStore({
      files: nodeFiles(),
      clock: nodeClock(),
      leases: own,
      home,
      log: quietLog,
      notify,
      ignoreCase: false,
    });
  };
  const rules = otherRules('this window');
  const deps = {
    settings: () => settings,
    workspace,
    places,
    rules,
    parser,
    log: quietLog,
    posix: () => workspaceState.posix,
  };
  const policy = new ApprovalPolicy(deps);
  const turn: TurnFacts = { sessionKey: 'vscode:1', watched: true, untrusted: false, wroteFromUntrusted: [] };
  const decide: Kit['decide'] = (tool, accesses, changed = {}) =>
    policy.decide(tool, accesses, { ...turn, ...changed });
  return {
    root,
    userHome,
    project,
    outside,
    home,
    places,
    settings,
    workspaceState,
    workspace,
    rules,
    notices,
    policy,
    turn,
    decide,
    exec: (command, changed = {}, cwd = project) => decide('exec', [{ kind: 'exec', command, cwd }], changed),
    otherRules,
    dispose: async () => {
      for (const each of leases) await each.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}
