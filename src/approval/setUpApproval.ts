import type { Settings } from '../config/schema.js';
import type { Clock, Files, Log, Shell, Workspace } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { CommandLineParser, type GrammarFile } from './commandLine.js';
import { ApprovalPolicy } from './policy.js';
import { RuleStore } from './rules.js';
import type { ApprovalSettings } from './verdict.js';

export interface ApprovalNeeds {
  files: Files;
  workspace: Workspace;
  shell: Shell;
  clock: Clock;
  log: Log;
  home: string;
  userHome: string;
  builtInSkills: string;
  ignoreCase: boolean;
  configPath: string;
  grammar(file: GrammarFile): Promise<Uint8Array>;
  /** Overrides `nanobot.approval`. */
  approval?: ApprovalSettings['mode'];
  settings(): Settings;
  leases: Pick<Leases, 'acquire' | 'release'>;
  resultsFolder: string;
  /** Where what a person attached is kept: reading the rest of it needs no question. */
  attachmentsFolder: string;
  notify(text: string): void;
}

/** The policy of the app, and the rules that people gave it. */
export function setUpApproval(needs: ApprovalNeeds): { policy: ApprovalPolicy; rules: RuleStore } {
  const { files, clock, log, leases, home, notify, ignoreCase, workspace, shell, settings } = needs;
  const rules = new RuleStore({ files, clock, leases, home, log, notify, ignoreCase });
  const policy = new ApprovalPolicy({
    settings: () => ({
      mode: needs.approval ?? settings().approval,
      approveEdits: settings().approveEdits,
      execAllow: settings()['exec.allow'],
      execDeny: settings()['exec.deny'],
      restrictToWorkspace: settings().restrictToWorkspace,
    }),
    workspace,
    places: {
      home,
      configFile: needs.configPath,
      freeReads: [needs.resultsFolder, needs.attachmentsFolder, needs.builtInSkills],
      userHome: needs.userHome,
      ignoreCase,
    },
    rules,
    parser: new CommandLineParser((file) => needs.grammar(file), log),
    log,
    posix: () => shell.posix(),
  });
  return { policy, rules };
}
