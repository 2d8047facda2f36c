import type { Words } from '../platform/words.js';
import { blockedReason, deletesRecursively } from './blocked.js';
import { gitDanger, gitParts } from './gitDangers.js';
import { pathUses, type PathUse } from './pathUses.js';
import { isDownloader, isInterpreter, isShell, nameOf } from './programs.js';
import { publishes } from './publishing.js';
import { argumentsOf, hasOption, operandsOf, type Where } from './resolve.js';
import type { ParsedLine, SimpleCommand } from './shellTypes.js';

/** One command of a line with why it is dangerous (empty: it is not) and the paths it names, which are judged against the disk later. */
export interface CommandJudgement {
  command: SimpleCommand;
  reasons: Words[];
  paths: PathUse[];
}

export interface LineJudgement {
  /** Why the line is refused in every mode. */
  blocked: string | undefined;
  commands: CommandJudgement[];
}

const ROOT = /^(sudo|su|doas|pkexec|runas|gsudo|sudo-rs|run0)$/;
const LOST: Words = (t) => t('Deletes recursively');

/** Judges a line that could be parsed: what is never run, and what is asked even in mode `auto`. Each reason is whole. */
export function judgeLine(line: Extract<ParsedLine, { kind: 'parsed' }>, where: Where): LineJudgement {
  const { variables } = line;
  const blocked = line.forkBomb
    ? 'It starts itself again and again (a fork bomb).'
    : line.commands.map((command) => blockedReason(command, variables, where)).find((reason) => reason !== undefined);
  const fetched = fetchedFiles(line.commands);
  const commands = line.commands.map((command) => ({
    command,
    reasons: [...dangers(command), ...runsFetched(command, fetched)],
    paths: pathUses(command, variables, where),
  }));
  return { blocked, commands };
}

function dangers(command: SimpleCommand): Words[] {
  const name = nameOf(command);
  const reasons: Words[] = [];
  if (command.opaque !== null && !command.guess) reasons.push(command.opaque);
  if (name === undefined) return reasons;
  const args = argumentsOf(command);
  if (ROOT.test(name)) reasons.push((t) => t('Runs as another user (administrator)'));
  reasons.push(...deletions(command, name, args));
  if (name === 'git') reasons.push(...gitReasons(command, args));
  if (name === 'chmod' && opensToAll(args)) reasons.push((t) => t('Lets everyone write to whole folders'));
  const operands = operandsOf(command.words.slice(1)).map((word) => word.text);
  // `kubectl -n prod delete`: whether `prod` belongs to `-n` cannot be known, so both readings count.
  const withoutValues = args.filter((arg, index) => !arg.startsWith('-') && !/^-[^=]*$/.test(args[index - 1] ?? ''));
  const readings = [operands, withoutValues].map((words) => [name, ...words]);
  if (readings.some(publishes) || (name === 'docker' && args.includes('--push')))
    reasons.push((t) => t('Publishes or deploys'));
  const module = /^(python|py)/.test(name) && args[0] === '-m' ? args.slice(1) : [];
  if (module.length > 0 && publishes(module)) reasons.push((t) => t('Publishes or deploys'));
  reasons.push(...streams(command, name, args));
  return reasons;
}

function deletions(command: SimpleCommand, name: string, args: string[]): Words[] {
  const reasons: Words[] = [];
  if (deletesRecursively(name, args)) reasons.push(LOST);
  const forced = name === 'rm' ? hasOption(args, 'f', '--force') : false;
  const powershell = /^(remove-item|ri|del|erase|rd)$/.test(name);
  if (forced || (powershell && args.some((arg) => /^-f(orce)?$|^\/[fq]$/i.test(arg))))
    reasons.push((t) => t('Deletes by force'));
  const unknown = command.words.slice(1).some((word) => word.dynamic);
  if (/^(rm|unlink|shred)$/.test(name) && unknown)
    reasons.push((t) => t('Deletes files that are known only when it runs'));
  if (name === 'shred') reasons.push((t) => t('Deletes beyond recovery'));
  if (name === 'rsync' && args.some((arg) => /^--(del|remove-source)/.test(arg))) reasons.push(LOST);
  const containers = /^(docker|podman|nerdctl)$/.test(name);
  if (
    containers &&
    (args.includes('prune') ||
      (/^rmi?$/.test(args.find((arg) => !arg.startsWith('-')) ?? '') && hasOption(args, 'f', '--force')))
  ) {
    reasons.push((t) => t('Deletes containers or images by force'));
  }
  return reasons;
}

function gitReasons(command: SimpleCommand, args: string[]): Words[] {
  const danger = gitDanger(args);
  if (danger !== undefined) return [danger];
  const risky = /^(push|reset|clean|checkout|switch|.*\$.*|)$/.test(gitParts(args).sub);
  const unknown = command.words.slice(1).some((word) => word.dynamic);
  return risky && unknown ? [(t) => t('Its options are known only when it runs')] : [];
}

function opensToAll(args: string[]): boolean {
  const mode = args.find((arg) => /^[0-7]{3,4}$|^[ugoa]*[+=]/.test(arg)) ?? '';
  const all = /^[0-7]?[0-7]{2}[2367]$/.test(mode) || /^([ug]*[oa][ugoa]*)?[+=][rxXst]*w/.test(mode);
  return all && hasOption(args, 'R', '--recursive');
}

/** Interpreters that run what comes through a pipe, from the network or from a substitution. */
function streams(command: SimpleCommand, name: string, args: string[]): Words[] {
  const runs = isInterpreter(name) || name === 'source' || name === '.' || name === 'eval';
  if (!runs) return [];
  const sources = upstream(command);
  if (sources.some((source) => isDownloader(nameOf(source) ?? '')))
    return [(t) => t('Runs what it fetches from the network')];
  const bare =
    args.every((arg) => arg === '-' || /^-[a-zA-Z]$|^--?(login|posix|norc|noprofile)$/.test(arg)) &&
    !args.includes('-c');
  if (!bare || /^(awk|gawk|mawk|nawk|sed|vi|vim|nvim|emacs)$/.test(name)) return [];
  if (command.pipedFrom.length > 0) return [(t) => t('Runs text from a pipe as a program')];
  return isShell(name) && args.length === 0 ? [(t) => t('Starts a shell that runs whatever it is given')] : [];
}

function upstream(command: SimpleCommand, seen = new Set<SimpleCommand>()): SimpleCommand[] {
  for (const source of [...command.pipedFrom, ...command.substitutes]) {
    if (seen.has(source)) continue;
    seen.add(source);
    upstream(source, seen);
  }
  return [...seen];
}

/** Names of files that a download in the same line writes. */
function fetchedFiles(commands: readonly SimpleCommand[]): Set<string> {
  const files = new Set<string>();
  for (const command of commands) {
    const fetches =
      isDownloader(nameOf(command) ?? '') || upstream(command).some((source) => isDownloader(nameOf(source) ?? ''));
    if (!fetches) continue;
    const targets = command.redirections.filter((each) => each.writes).map((each) => each.target.text);
    for (const text of [...argumentsOf(command), ...targets]) files.add(baseName(text));
  }
  return files;
}

function runsFetched(command: SimpleCommand, fetched: ReadonlySet<string>): Words[] {
  const name = nameOf(command);
  if (name === undefined || fetched.size === 0 || isDownloader(name)) return [];
  const program = command.words[0]?.text ?? '';
  const scripts = isInterpreter(name) || /^(source|\.|chmod)$/.test(name) ? argumentsOf(command) : [];
  const run = [...(program.includes('/') ? [program] : []), ...scripts];
  return run.some((text) => fetched.has(baseName(text))) ? [(t) => t('Runs what it fetches from the network')] : [];
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1);
}
