import { english, type Words } from '../platform/words.js';
import { nameOf } from './programs.js';
import { allowedByWords, deniedByWords, offeredPrefix, ruleWords } from './ruleMatch.js';
import type { StoredRule } from './rules.js';
import type { ParsedLine, SimpleCommand } from './shellTypes.js';
import type { ApprovalSettings, Offers } from './verdict.js';

/** A line that asks for what a person's rules may allow. */
export interface LineRequest {
  /** The line, without white space around it. */
  command: string;
  tool: string;
  rules: readonly StoredRule[];
}

export interface JudgedCommand {
  command: SimpleCommand;
  /** Why it is dangerous; empty where it is not. */
  reasons: readonly Words[];
}

const DOUBTFUL: Words = (t) => t('This line cannot be checked against the setting nanobot.exec.deny');

/**
 * What `nanobot.exec.deny` says of a line: a refusal, or doubts where words are known only when it runs. Doubts are asked; in mode `all`, where
 * nothing is asked, they refuse.
 */
export function deniedBy(
  line: ParsedLine,
  commands: readonly SimpleCommand[],
  settings: ApprovalSettings,
): { refusal?: string; doubts: Words[] } {
  const rules = settings.execDeny.map(ruleWords).filter((words) => words.length > 0);
  const hit = rules.find((rule) => commands.some((command) => deniedByWords(command, rule)));
  if (hit) {
    const next = 'Do it another way, or ask the person to change the setting.';
    return { refusal: `The setting nanobot.exec.deny refuses \`${hit.join(' ')}\`. ${next}`, doubts: [] };
  }
  if (rules.length === 0 || !isDoubtful(line, commands, rules)) return { doubts: [] };
  if (settings.mode !== 'all') return { doubts: [DOUBTFUL] };
  return { refusal: `${DOUBTFUL(english)}. Write it without variables and substitutions.`, doubts: [] };
}

function isDoubtful(line: ParsedLine, commands: readonly SimpleCommand[], rules: readonly string[][]): boolean {
  if (line.kind === 'unparsable') return true;
  const programs = rules.map((rule) => rule[0]?.toLowerCase());
  return commands.some((each) => {
    const name = nameOf(each);
    if (each.opaque !== null || (each.words.length > 0 && name === undefined)) return true;
    return programs.includes(name) && each.words.some((word) => word.dynamic);
  });
}

/** Whether the whole line is allowed as it stands, by a person's rule or by one of these lines. */
export function allowedExactly(request: LineRequest, lines: readonly string[]): boolean {
  const { command, tool, rules } = request;
  const stored = rules.some((rule) => rule.tool === tool && rule.exact?.trim() === command);
  return stored || lines.some((entry) => entry.trim() === command);
}

/** Whether every command of the line is allowed by itself. A command that is only a guess need not be, but must not be dangerous. */
export function allowedInParts(
  request: LineRequest,
  commands: readonly JudgedCommand[],
  settings: readonly string[],
): boolean {
  const { tool, rules } = request;
  const prefixes = rules.flatMap((rule) => (rule.tool === tool && rule.prefix ? [rule.prefix] : []));
  const words = [...(tool === 'exec' ? settings.map(ruleWords) : []), ...prefixes];
  const certain = commands.filter((each) => !each.command.guess);
  if (certain.length === 0 || commands.some((each) => each.command.guess && each.reasons.length > 0)) return false;
  return certain.every(({ command, reasons }) =>
    words.some((rule) => allowedByWords(command, rule, reasons.length > 0)),
  );
}

/** What "Allow always…" offers for a line: itself, and the first words where it is one harmless command. */
export function offersFor(request: LineRequest, line: ParsedLine, dangerous: boolean): Offers {
  const { command, tool } = request;
  const offers = new Map<string, { label: Words; rule: StoredRule }>();
  offers.set('exact', { label: (t) => t('`{0}` exactly', command), rule: { tool, exact: command } });
  const only = line.kind === 'parsed' && line.commands.length === 1 ? line.commands[0] : undefined;
  const prefix = only && !dangerous ? offeredPrefix(only) : undefined;
  if (prefix) {
    const label: Words = (t) => t('commands that start with `{0}`', prefix.join(' '));
    offers.set('prefix', { label, rule: { tool, prefix } });
  }
  return offers;
}
