import { t } from '@vscode/l10n';
import type { Diagnostic, Workspace } from '../../platform/ports.js';
import { plural } from './text.js';

const listedProblems = 10;
/** Lines of the list of all problems. */
const listedInAll = 100;
const severities: Diagnostic['severity'][] = ['error', 'warning', 'info', 'hint'];
const longestMessage = 300;

/** One problem in one line, without its file: `12:5 error ts(2322): …`. */
export function problemLine(problem: Diagnostic): string {
  const message = problem.message.replace(/\s+/g, ' ').slice(0, longestMessage);
  const source = problem.source === undefined ? '' : ` ${problem.source}`;
  return `${problem.line}:${problem.column} ${problem.severity}${source}: ${message}`;
}

/** The errors that the editor knows now, to be compared with those after an edit. Undefined where nothing can know any. */
export async function errorsNow(
  workspace: Workspace,
  options: { settle?: boolean; signal?: AbortSignal } = {},
): Promise<Diagnostic[] | undefined> {
  if (!workspace.hasDiagnostics()) return undefined;
  return (await workspace.diagnostics(undefined, options)).filter((problem) => problem.severity === 'error');
}

/**
 * The errors that an edit caused, as lines for its result; empty for none. An edit moves lines, so errors are the same by file, source and
 * words; each former one accounts for one of the present.
 */
export function newErrors(
  before: Diagnostic[] | undefined,
  after: Diagnostic[] | undefined,
  workspace: Workspace,
): string {
  const known = new Map<string, number>();
  for (const problem of before ?? []) known.set(keyOf(problem), (known.get(keyOf(problem)) ?? 0) + 1);
  const fresh = (after ?? []).filter((problem) => {
    const left = known.get(keyOf(problem)) ?? 0;
    known.set(keyOf(problem), left - 1);
    return left <= 0;
  });
  if (fresh.length === 0) return '';
  const lines = fresh
    .slice(0, listedProblems)
    .map((problem) => `${workspace.label(problem.path)}:${problemLine(problem)}`);
  const more = fresh.length > listedProblems ? `\n… and ${fresh.length - listedProblems} more` : '';
  return `New problems after this edit:\n${lines.join('\n')}${more}`;
}

function keyOf(problem: Diagnostic): string {
  return `${problem.path}\n${problem.source ?? ''}\n${problem.message}`;
}

/** The problems file by file, the gravest files first, after their counts; `left` are those that had no room. */
export function problemsText(
  problems: readonly Diagnostic[],
  workspace: Pick<Workspace, 'label'>,
): { text: string; left: number } {
  const files = new Map<string, Diagnostic[]>();
  for (const problem of [...problems].sort(graver))
    files.set(problem.path, [...(files.get(problem.path) ?? []), problem]);
  const lines: string[] = [problemCounts(problems)];
  let room = listedInAll;
  for (const [path, ofFile] of files) {
    if (room <= 0) break;
    const shown = ofFile.slice(0, room).sort((a, b) => a.line - b.line || a.column - b.column);
    lines.push(workspace.label(path), ...shown.map(problemLine));
    room -= shown.length;
  }
  return { text: lines.join('\n'), left: Math.max(0, problems.length - listedInAll) };
}

/** "2 errors, 1 warning", for a person. */
export function countsOfProblems(problems: readonly Diagnostic[]): string {
  const words: Record<Diagnostic['severity'], (count: number) => string> = {
    error: (count) => (count === 1 ? t('1 error') : t('{0} errors', count)),
    warning: (count) => (count === 1 ? t('1 warning') : t('{0} warnings', count)),
    info: (count) => (count === 1 ? t('1 info') : t('{0} infos', count)),
    hint: (count) => (count === 1 ? t('1 hint') : t('{0} hints', count)),
  };
  return problemCounts(problems, words);
}

/** "2 errors, 1 warning", for the model. */
function problemCounts(
  problems: readonly Diagnostic[],
  words?: Record<Diagnostic['severity'], (count: number) => string>,
): string {
  const parts = severities.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count > 0 ? [words?.[severity](count) ?? plural(count, severity)] : [];
  });
  return parts.join(', ');
}

function graver(a: Diagnostic, b: Diagnostic): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity);
}
