import type { Access } from '../runner/tool.js';
import { isInside } from './pathText.js';
import type { PathFacts, PathJudge, Places } from './paths.js';
import type { StoredRule } from './rules.js';
import { runsPrograms } from './sensitive.js';
import { blockedText, restrictedText, type ApprovalSettings, type Finding } from './verdict.js';

type FileAccess = Extract<Access, { kind: 'read' | 'write' | 'delete' }>;

export interface FileContext {
  judge: PathJudge;
  places: Places;
  settings: ApprovalSettings;
  rules: readonly StoredRule[];
  /** Whether the workspace is trusted; in Restricted Mode nothing is changed. */
  trusted: boolean;
  /** Whether the path is an existing folder. */
  isFolder(path: string): Promise<boolean>;
}

/** Why nothing runs or changes in Restricted Mode, with the next step. */
export const RESTRICTED_MODE =
  'This workspace is in Restricted Mode: commands do not run and files are not changed. Read and explain only; the person can trust it with the command "Workspaces: Manage Workspace Trust".';

/** Judges one access to a file: where it lies after symbolic links, what it is, and what a person's rules say. */
export async function judgeFile(access: FileAccess, tool: string, context: FileContext): Promise<Finding> {
  const fact = await context.judge(access.path);
  const changes = access.kind !== 'read';
  const base = {
    access,
    detail: fact.path,
    sendsOut: false,
    reasons: [] as string[],
    allowed: false,
    offers: new Map<string, never>(),
  };
  const refuse = (refusal: string): Finding => ({ ...base, grade: 'refused', title: titleOf(access, fact), refusal });
  if (changes && !context.trusted && fact.place !== 'own') return refuse(RESTRICTED_MODE);
  const blocked = changes ? await blockedChange(access, fact, context) : undefined;
  if (blocked !== undefined) return refuse(blockedText(blocked));
  if (fact.place === 'outside' || (fact.place === 'free' && changes)) {
    if (context.settings.restrictToWorkspace) return refuse(restrictedText(fact.path));
  }
  const reasons = await reasonsOf(access, fact, context);
  const grade = reasons.length > 0 ? 'dangerous' : changes ? 'edit' : 'free';
  const exact = context.rules.some((rule) => rule.tool === tool && rule.exact === fact.path);
  const whole = context.rules.some(
    (rule) => rule.tool === tool && rule.exact === undefined && rule.prefix === undefined,
  );
  return {
    ...base,
    grade,
    title: titleOf(access, fact),
    reasons,
    allowed: exact || (whole && grade !== 'dangerous'),
    offers: offersOf(tool, fact, grade === 'dangerous'),
  };
}

async function blockedChange(access: FileAccess, fact: PathFacts, context: FileContext): Promise<string | undefined> {
  if (fact.journal) return `It changes ${fact.path}, which keeps Nanobot's memory and is written by Nanobot alone.`;
  if (access.kind !== 'delete') return undefined;
  if (isInside(fact.real, context.places.userHome, true)) return `It deletes everything below ${fact.path}.`;
  const journals =
    isInside(fact.real, context.places.home, context.places.ignoreCase) ||
    (fact.place === 'own' && /[\\/]memory$/.test(fact.real));
  return journals && (await context.isFolder(fact.real))
    ? `It deletes ${fact.path}, which keeps Nanobot's memory.`
    : undefined;
}

async function reasonsOf(access: FileAccess, fact: PathFacts, context: FileContext): Promise<string[]> {
  const changes = access.kind !== 'read';
  const reasons: string[] = [];
  if (fact.sensitive !== undefined) reasons.push(`A sensitive file: ${fact.sensitive}`);
  if (fact.place === 'outside' || (fact.place === 'free' && changes)) reasons.push('Outside the workspace');
  if (fact.place === 'own' && changes) reasons.push("Nanobot's own files: what it remembers and how it works");
  if (fact.place === 'workspace' && changes && runsPrograms(fact.real)) reasons.push('A file that VS Code or Git runs');
  if (access.kind === 'delete' && (await context.isFolder(fact.real))) reasons.push('Deletes recursively');
  const leadsAway = fact.place !== 'outside' || fact.real === fact.path ? undefined : `Leads to ${fact.real}`;
  return leadsAway === undefined ? reasons : [...reasons, leadsAway];
}

function titleOf(access: FileAccess, fact: PathFacts): string {
  const verb = access.kind === 'read' ? 'Read' : access.kind === 'write' ? 'Edit' : 'Delete';
  if (fact.sensitive !== undefined) return `${verb} a sensitive file`;
  if (fact.place === 'own') return `${verb} a file of Nanobot's home`;
  return fact.place === 'workspace' ? `${verb} a file` : `${verb} a file outside the workspace`;
}

function offersOf(tool: string, fact: PathFacts, dangerous: boolean): Finding['offers'] {
  const offers: [string, { label: string; rule: StoredRule }][] = [
    ['exact', { label: `${tool} of ${fact.path} exactly`, rule: { tool, exact: fact.path } }],
  ];
  if (!dangerous) offers.push(['tool', { label: `every use of ${tool}`, rule: { tool } }]);
  return new Map(offers);
}
