import { t } from '@vscode/l10n';
import * as z from 'zod';
import type { Spot } from '../platform/languages.js';
import { defineTool, ToolError, type Tool, type ToolContext } from '../runner/tool.js';
import {
  answerOf,
  requireService,
  spotIn,
  spotLines,
  symbolLines,
  type LanguageNeeds,
} from './support/languageSpots.js';
import { locate } from './support/paths.js';
import { plural } from './support/text.js';
import { counts } from './support/counts.js';

const params = z.object({ symbol: z.string().min(1), path: z.string().optional(), line: z.number().optional() });

/** Where a symbol is defined and used: the one that stands in a line, or the only one of its name. */
export function referencesTool(needs: LanguageNeeds): Tool {
  const { workspace, languages } = needs;
  return defineTool({
    name: 'references',
    description: 'Definition and uses of a symbol: at path and line where it stands, or by its name alone.',
    params,
    readOnly: true,
    summary: ({ symbol, path, line }) =>
      path
        ? t({ message: '{0} at {1}', args: [symbol, `${path}:${line ?? ''}`], comment: 'a name and its place' })
        : symbol,
    access: ({ path }) => (path ? [{ kind: 'read', path: locate(workspace, path) }] : []),
    async run({ symbol, path, line }, { signal }) {
      const spot = path ? await spotAt(path, line, symbol, signal) : await spotOfName(symbol, signal);
      const [definitions, uses] = await answerOf(
        needs,
        Promise.all([languages.definitions(spot), languages.references(spot)]),
        signal,
      );
      if (definitions.length + uses.length === 0)
        throw new ToolError(
          `The language service knows nothing of "${symbol}" at ${workspace.label(spot.path)}:${spot.line}. Name a line where it is defined or used, or use grep.`,
        );
      const [defined, used] = [await spotLines(needs, definitions), await spotLines(needs, uses)];
      const parts = [
        ...(defined.count > 0 ? [`Defined:\n${defined.text}`] : []),
        used.count > 0 ? `${plural(used.count, 'line')} with it:\n${used.text}` : 'No uses.',
      ];
      return { text: parts.join('\n'), summary: `${symbol}, ${counts.lines(used.count)}` };
    },
  });

  async function spotAt(path: string, line: number | undefined, symbol: string, signal: AbortSignal): Promise<Spot> {
    const target = locate(workspace, path);
    const symbols = await requireService(needs, target, signal);
    if (line !== undefined) return spotIn(workspace, path, line, symbol);
    const named = symbols.filter(({ name }) => name === symbol);
    const [only] = named;
    if (only && named.length === 1) return spotIn(workspace, path, only.line, symbol);
    if (only) throw new ToolError(`Several are named "${symbol}": give the line.\n${symbolLines(workspace, named)}`);
    throw new ToolError(`${workspace.label(target)} defines no "${symbol}": give a line where it stands.`);
  }

  async function spotOfName(symbol: string, signal: ToolContext['signal']): Promise<Spot> {
    const found = await answerOf(needs, languages.workspaceSymbols(symbol), signal);
    const named = found.filter(({ name }) => name === symbol || name === `${symbol}()`);
    const [only] = named;
    if (!only)
      throw new ToolError(`No language service knows a symbol named "${symbol}": give path and line, or use grep.`);
    if (named.length > 1)
      throw new ToolError(
        `Several are named "${symbol}": give path and line of one.\n${symbolLines(workspace, named)}`,
      );
    return spotIn(workspace, only.path, only.line, symbol).catch(() => only);
  }
}
