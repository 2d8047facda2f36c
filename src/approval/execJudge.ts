import type { Words } from '../platform/words.js';
import type { Access } from '../runner/tool.js';
import type { CommandLineParser } from './commandLine.js';
import { judgeLine, type CommandJudgement } from './dangerous.js';
import { MAX_PATHS, type PathUse } from './pathUses.js';
import { isInside, styleOf } from './pathText.js';
import { journalFiles, type PathFacts, type PathJudge, type Places } from './paths.js';
import { allowedExactly, allowedInParts, deniedBy, offersFor } from './execRules.js';
import type { StoredRule } from './rules.js';
import { runsPrograms } from './sensitive.js';
import type { ParsedLine } from './shellTypes.js';
import { blockedText, restrictedText, type ApprovalSettings, type Finding } from './verdict.js';
import { powershellDangers, scanLine } from './wordScan.js';

export interface ExecContext {
  parser: CommandLineParser;
  judge: PathJudge;
  places: Places;
  settings: ApprovalSettings;
  /** Whether lines are for a POSIX shell. */
  posix: boolean;
  rules: readonly StoredRule[];
  /** Real or asked paths that the turn wrote from fetched text. */
  wroteFromUntrusted: readonly string[];
}

type ExecAccess = Extract<Access, { kind: 'exec' }>;

/**
 * Judges a command line, or text for a running command (`input`), for which no rules are offered. Reads the line by the grammar, or roughly
 * where there is none for it; the rough reading can refuse and ask, never allow.
 */
export async function judgeExec(
  access: ExecAccess,
  tool: string,
  context: ExecContext,
  input = false,
): Promise<Finding> {
  const line = context.posix ? await context.parser.parse(access.command) : scanLine(access.command);
  const known = line.kind === 'parsed' ? line : scanLine(access.command);
  const judged = judgeLine(known, { cwd: access.cwd, userHome: context.places.userHome });
  const finding: Finding = {
    access,
    grade: 'ordinary',
    title: input ? (t) => t('Send input to a running command') : (t) => t('Run a command'),
    detail: access.command,
    reasons: [],
    sendsOut: true,
    allowed: false,
    offers: new Map(),
  };
  const refuse = (refusal: string): Finding => ({ ...finding, grade: 'refused', refusal });
  if (judged.blocked !== undefined) return refuse(blockedText(judged.blocked));
  const denied = deniedBy(line, known.commands, context.settings);
  if (denied.refusal !== undefined) return refuse(denied.refusal);
  const cwd = await context.judge(access.cwd);
  const outcomes = await Promise.all(judged.commands.map((each) => judgePaths(each, cwd, context)));
  const refusal = refusalOf(access, cwd, outcomes, context.settings);
  if (refusal !== undefined) return refuse(refusal);

  const commands = judged.commands.map(({ command, reasons }, index) => ({
    command,
    reasons: [...reasons, ...(outcomes[index]?.reasons ?? [])],
  }));
  const general = [...denied.doubts, ...lineReasons(access, line, cwd, context)];
  const reasons = [...general, ...commands.flatMap((each) => each.reasons)];
  const grade = reasons.length > 0 ? 'dangerous' : 'ordinary';
  if (cwd.place !== 'workspace' || input) return { ...finding, grade, reasons };
  const readable = context.posix && line.kind === 'parsed' && general.length === 0;
  const request = { command: access.command.trim(), tool, rules: context.rules };
  const allowed =
    allowedExactly(request, context.posix ? [] : context.settings.execAllow) ||
    (readable && allowedInParts(request, commands, context.settings.execAllow));
  return { ...finding, grade, reasons, allowed, offers: offersFor(request, line, grade === 'dangerous') };
}

/** Why the line is refused for the paths it names, or undefined. */
function refusalOf(
  access: ExecAccess,
  cwd: PathFacts,
  outcomes: readonly PathOutcome[],
  settings: ApprovalSettings,
): string | undefined {
  const journal = outcomes.find((outcome) => outcome.journal !== undefined)?.journal;
  if (journal !== undefined) return blockedText(journal);
  const outside = cwd.place !== 'workspace' ? access.cwd : outcomes.flatMap((outcome) => outcome.outside)[0];
  return settings.restrictToWorkspace && outside !== undefined ? restrictedText(outside) : undefined;
}

/** Reasons that concern the line as a whole. */
function lineReasons(access: ExecAccess, line: ParsedLine, cwd: PathFacts, context: ExecContext): Words[] {
  return [
    ...(line.kind === 'unparsable' ? [unchecked(line.reason)] : []),
    ...(cwd.place !== 'workspace' ? [outsideOf(access.cwd)] : []),
    ...(context.posix ? [] : powershellDangers(access.command)),
  ];
}

function unchecked(reason: Words): Words {
  return (t) => t('This line cannot be checked: {0}', reason(t));
}

function outsideOf(folder: string): Words {
  return (t) => t('Runs outside the workspace: {0}', folder);
}

interface PathOutcome {
  reasons: Words[];
  /** Paths outside the workspace, as they stand in the line. */
  outside: string[];
  /** Why it is blocked: it would write the agent's journal. */
  journal: string | undefined;
}

async function judgePaths(judged: CommandJudgement, cwd: PathFacts, context: ExecContext): Promise<PathOutcome> {
  const outcome: PathOutcome = { reasons: [], outside: [], journal: undefined };
  const uses = judged.paths.slice(0, MAX_PATHS);
  // Where the folder itself lies outside that is reason enough; every word in it need not be named.
  const isThere = (use: PathUse) => cwd.place === 'outside' && isInside(cwd.path, use.path, context.places.ignoreCase);
  if (judged.paths.length > MAX_PATHS) outcome.reasons.push((t) => t('Names more paths than can be checked'));
  const facts = await Promise.all(uses.map((use) => context.judge(use.path)));
  for (const [index, use] of uses.entries()) {
    const fact = facts[index];
    if (fact) weigh(use, fact, isThere(use), outcome, context);
  }
  return outcome;
}

function weigh(use: PathUse, fact: PathFacts, isThere: boolean, outcome: PathOutcome, context: ExecContext): void {
  const { sensitive } = fact;
  const { shown } = use;
  const add = (reason: Words) => void outcome.reasons.push(reason);
  const { places, wroteFromUntrusted } = context;
  const writes = use.kind === 'write' || use.kind === 'remove';
  const takesAlong =
    use.kind === 'remove' && journalFiles(places.home).some((file) => isInside(fact.real, file, places.ignoreCase));
  if ((fact.journal && writes) || takesAlong) {
    outcome.journal = `It changes ${use.shown}, which keeps Nanobot's memory and is written by Nanobot alone.`;
  }
  if (fact.journal && use.kind === 'unknown') add((t) => t("Uses Nanobot's memory journal: {0}", shown));
  if (sensitive) add((t) => t('Names a sensitive file: {0} ({1})', shown, sensitive(t)));
  const touches = fact.place === 'own' && use.kind !== 'read' && !fact.journal;
  if (touches) add((t) => t("May change Nanobot's own files: {0}", shown));
  if (!isThere && (fact.place === 'outside' || (fact.place === 'free' && use.kind !== 'read'))) {
    outcome.outside.push(shown);
    add((t) => t('Names a path outside the workspace: {0}', shown));
  }
  if (fact.place === 'workspace' && writes && runsPrograms(fact.real)) {
    add((t) => t('Changes a file that VS Code or Git runs: {0}', shown));
  }
  if (wroteFromUntrusted.some((path) => path === fact.path || path === fact.real)) {
    add((t) => t('Uses a file that this turn wrote after it read text from outside: {0}', shown));
  }
}

/** The workspace folder that a path lies in, by its text; the first one where it lies in none. */
export function folderHolding(
  path: string | undefined,
  folders: readonly string[],
  ignoreCase: boolean,
): string | undefined {
  const asked = path === undefined ? undefined : styleOf(path).normalize(path);
  return folders.find((folder) => asked !== undefined && isInside(folder, asked, ignoreCase)) ?? folders[0];
}
