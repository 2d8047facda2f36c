import * as z from 'zod';
import type { Diagnostic } from '../platform/ports.js';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { locate, requireThere, type FileToolNeeds } from './support/paths.js';
import { problemLine } from './support/problems.js';
import { plural } from './support/text.js';

const listed = 100;
const severities: Diagnostic['severity'][] = ['error', 'warning', 'info', 'hint'];

const params = z.object({ paths: z.array(z.string()).optional().describe('Default: all files') });

/** The problems that the editor's language services know, the gravest files first. */
export function diagnosticsTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'diagnostics',
    description: "The editor's problems (errors, warnings) in files.",
    params,
    readOnly: true,
    summary: ({ paths }) => paths?.join(', ') ?? 'all files',
    access: ({ paths = [] }) => paths.map((path) => ({ kind: 'read', path: locate(workspace, path) })),
    async run({ paths }, { signal }) {
      if (!workspace.hasDiagnostics()) {
        throw new ToolError(
          "No editor is here that could know problems. Run the project's own check with exec (compiler, linter, tests).",
        );
      }
      const files = paths?.map((path) => locate(workspace, path));
      for (const file of files ?? []) await requireThere(workspace, file);
      const problems = await workspace.diagnostics(files, { settle: true, signal });
      if (problems.length === 0)
        return 'The editor knows no problems. (It knows files that are open or that a language service checks.)';
      return { text: textOf(problems), summary: counts(problems) };
    },
  });

  function textOf(problems: Diagnostic[]): string {
    const files = new Map<string, Diagnostic[]>();
    for (const problem of [...problems].sort(graver))
      files.set(problem.path, [...(files.get(problem.path) ?? []), problem]);
    const lines: string[] = [counts(problems)];
    let left = listed;
    for (const [path, ofFile] of files) {
      if (left <= 0) break;
      const shown = ofFile.slice(0, left).sort((a, b) => a.line - b.line || a.column - b.column);
      lines.push(workspace.label(path), ...shown.map(problemLine));
      left -= shown.length;
    }
    if (problems.length > listed) lines.push(`(${problems.length - listed} more are not shown; give paths)`);
    return lines.join('\n');
  }
}

function graver(a: Diagnostic, b: Diagnostic): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity);
}

function counts(problems: readonly Diagnostic[]): string {
  const parts = severities.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count > 0 ? [plural(count, severity)] : [];
  });
  return parts.join(', ');
}
