import { t } from '@vscode/l10n';
import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { locate, requireThere, type FileToolNeeds } from './support/paths.js';
import { countsOfProblems, problemsText } from './support/problems.js';

const params = z.object({ paths: z.array(z.string()).optional().describe('Default: all files') });

/** The problems that the editor's language services know, the gravest files first. */
export function diagnosticsTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'diagnostics',
    description: "The editor's problems (errors, warnings) in files.",
    params,
    readOnly: true,
    summary: ({ paths }) => paths?.join(', ') ?? t('all files'),
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
      const { text, left } = problemsText(problems, workspace);
      const more = left > 0 ? `\n(${left} more are not shown; give paths)` : '';
      return { text: text + more, summary: countsOfProblems(problems) };
    },
  });
}
