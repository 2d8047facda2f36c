import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { answerOf, requireService, symbolLines, type LanguageNeeds } from './support/languageSpots.js';
import { locate } from './support/paths.js';
import { counts } from './support/counts.js';

const params = z.object({ path: z.string().optional(), query: z.string().optional() });

/** The symbols of a file, or those of the projects by name, as the language services know them. */
export function symbolsTool(needs: LanguageNeeds): Tool {
  const { workspace, languages } = needs;
  return defineTool({
    name: 'symbols',
    description: 'Classes, functions and other symbols: all of a file (path), or by name in the workspace (query).',
    params,
    readOnly: true,
    summary: ({ path, query }) => [path, query].filter(Boolean).join(', '),
    access: ({ path }) => (path ? [{ kind: 'read', path: locate(workspace, path) }] : []),
    async run({ path, query = '' }, { signal }) {
      if (!path && query.trim() === '') throw new ToolError('Give a path, a query, or both.');
      const found = path
        ? await requireService(needs, locate(workspace, path), signal)
        : await answerOf(needs, languages.workspaceSymbols(query), signal);
      const wanted = query.toLowerCase();
      const symbols = path ? found.filter(({ name }) => name.toLowerCase().includes(wanted)) : found;
      if (symbols.length > 0)
        return {
          text: symbolLines(workspace, symbols),
          summary: `${path ?? query}, ${counts.symbols(symbols.length)}`,
        };
      if (path)
        return `${workspace.label(locate(workspace, path))} has no ${query ? `symbol like "${query}"` : 'symbols'}.`;
      return `No language service knows a symbol like "${query}". They know projects of which a file is open; grep finds text in every file.`;
    },
  });
}
