import type { Words } from '../platform/words.js';
import type { Access } from '../runner/tool.js';
import { isInside } from './pathText.js';
import type { PathFacts, PathJudge, Places } from './paths.js';
import type { StoredRule } from './rules.js';
import { runsPrograms } from './sensitive.js';
import { blockedText, restrictedText, type ApprovalSettings, type Finding, type Offers } from './verdict.js';

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
    reasons: [] as Words[],
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

async function reasonsOf(access: FileAccess, fact: PathFacts, context: FileContext): Promise<Words[]> {
  const changes = access.kind !== 'read';
  const reasons: Words[] = [];
  const { sensitive } = fact;
  if (sensitive) reasons.push((t) => t('A sensitive file: {0}', sensitive(t)));
  if (fact.place === 'outside' || (fact.place === 'free' && changes)) reasons.push((t) => t('Outside the workspace'));
  if (fact.place === 'own' && changes)
    reasons.push((t) => t("Nanobot's own files: what it remembers and how it works"));
  if (fact.place === 'workspace' && changes && runsPrograms(fact.real))
    reasons.push((t) => t('A file that VS Code or Git runs'));
  if (access.kind === 'delete' && (await context.isFolder(fact.real))) reasons.push((t) => t('Deletes recursively'));
  if (fact.place === 'outside' && fact.real !== fact.path) reasons.push((t) => t('Leads to {0}', fact.real));
  return reasons;
}

function titleOf(access: FileAccess, fact: PathFacts): Words {
  const titles = TITLES[access.kind];
  if (fact.sensitive) return titles.sensitive;
  return fact.place === 'free' ? titles.outside : titles[fact.place];
}

const TITLES: Record<FileAccess['kind'], Record<'sensitive' | 'own' | 'workspace' | 'outside', Words>> = {
  read: {
    sensitive: (t) => t('Read a sensitive file'),
    own: (t) => t("Read a file of Nanobot's home"),
    workspace: (t) => t('Read a file'),
    outside: (t) => t('Read a file outside the workspace'),
  },
  write: {
    sensitive: (t) => t('Edit a sensitive file'),
    own: (t) => t("Edit a file of Nanobot's home"),
    workspace: (t) => t('Edit a file'),
    outside: (t) => t('Edit a file outside the workspace'),
  },
  delete: {
    sensitive: (t) => t('Delete a sensitive file'),
    own: (t) => t("Delete a file of Nanobot's home"),
    workspace: (t) => t('Delete a file'),
    outside: (t) => t('Delete a file outside the workspace'),
  },
};

function offersOf(tool: string, fact: PathFacts, dangerous: boolean): Offers {
  const exact = exactly(tool, fact.path);
  return new Map(dangerous ? [exact] : [exact, everyUse(tool)]);
}

/** The rule for one path or address, to be offered. */
export function exactly(tool: string, what: string): [string, { label: Words; rule: StoredRule }] {
  return ['exact', { label: (t) => t('{0} of {1} exactly', tool, what), rule: { tool, exact: what } }];
}

/** The rule for all that a tool does and is not dangerous, to be offered. */
export function everyUse(tool: string): [string, { label: Words; rule: StoredRule }] {
  return ['tool', { label: (t) => t('every use of {0}', tool), rule: { tool } }];
}
