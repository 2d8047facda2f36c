import * as z from 'zod';
import type { TextChange } from '../platform/languages.js';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { answerOf, requireService, spotIn, type FoundSpot, type LanguageNeeds } from './support/languageSpots.js';
import { locate } from './support/paths.js';
import { errorsNow, newErrors } from './support/problems.js';
import { accessOf, applyPlan, changedLines, planEdits, type PlannedFile } from './support/renamePlan.js';
import { plural } from './support/text.js';
import { counts } from './support/counts.js';

const params = z.object({
  path: z.string(),
  line: z.number(),
  symbol: z.string().min(1),
  new_name: z.string().min(1),
});
type Args = z.output<typeof params>;

/**
 * Renames a symbol everywhere through its language service. What it would change is worked out first, so that each file is approved like an edit of
 * it; the run makes those changes and no others.
 */
export function renameSymbolTool(needs: LanguageNeeds): Tool {
  const { workspace, languages } = needs;
  /** By session: calls that change something run one at a time. */
  const plans = new Map<string, { callId: string | undefined; planned: PlannedFile[] }>();
  return defineTool({
    name: 'rename_symbol',
    description: 'Rename a symbol in every file. line: where it stands, from 1.',
    params,
    summary: ({ path, symbol, new_name }) => `${symbol} → ${new_name}, ${path}`,
    async access(args, { sessionKey, callId, signal }) {
      const planned = await plan(args, signal);
      plans.set(sessionKey, { callId, planned });
      return accessOf(planned);
    },
    async run(args, context): Promise<ToolResult> {
      const kept = plans.get(context.sessionKey);
      plans.delete(context.sessionKey);
      const planned = kept?.callId === context.callId ? kept.planned : undefined;
      // Changes that nobody was asked about must not be made.
      if (!planned) throw new ToolError('What this would change is not known any more. Call it again.');
      return renamed(args, planned, context);
    },
  });

  async function renamed(
    { symbol, new_name }: Args,
    planned: PlannedFile[],
    context: ToolContext,
  ): Promise<ToolResult> {
    const before = await errorsNow(workspace);
    const changed = await applyPlan(workspace, context, planned);
    const after = await errorsNow(workspace, { settle: true, signal: context.signal });
    const problems = newErrors(before, after, workspace);
    const places = changed.reduce((sum, { changes }) => sum + changes, 0);
    const count = `${plural(places, 'place')} in ${plural(changed.length, 'file')}`;
    const text = [`Renamed ${symbol} to ${new_name}: ${count}.`, changedLines(changed), problems];
    return {
      text: text.filter((part) => part !== '').join('\n'),
      summary: `${symbol} → ${new_name}, ${counts.inFiles(counts.places(places), changed.length)}`,
      files: changed.map(({ path }) => ({ path })),
      diff: changed.map(({ diff }) => diff).join(''),
    };
  }

  async function plan({ path, line, symbol, new_name }: Args, signal?: AbortSignal): Promise<PlannedFile[]> {
    if (symbol === new_name) throw new ToolError(`It is named ${symbol} already.`);
    await requireService(needs, locate(workspace, path), signal);
    const spot = await spotIn(workspace, path, line, symbol);
    const edits = await answerOf(needs, languages.rename(spot, new_name), signal);
    if (edits.movesFiles)
      throw new ToolError(
        'The language service would move files with it, which cannot be shown for approval. Use rename_file and edit_file, or let the person rename it (F2).',
      );
    requireOneMeaning(spot, symbol, edits.files.find((file) => file.path === spot.path)?.changes ?? []);
    const planned = await planEdits(workspace, edits);
    if (planned.length > 0) return planned;
    throw new ToolError(`The language service finds nothing to rename for "${symbol}" in line ${line}. Use edit_file.`);
  }

  /** A name that stands twice in a line can be two symbols, and nobody said which; next to a keyword services rename what it belongs to. */
  function requireOneMeaning(spot: FoundSpot, symbol: string, changes: readonly TextChange[]): void {
    const here = changes.filter(({ line }) => line === spot.line);
    if (here.length === 0) return;
    if (spot.columns.length > here.length)
      throw new ToolError(
        `"${symbol}" stands ${spot.columns.length} times in line ${spot.line}, and they are not one symbol. Give a line where it stands once.`,
      );
    if (!here.some(({ column, endColumn }) => column <= spot.column && spot.column < Math.max(endColumn, column + 1)))
      throw new ToolError(`"${symbol}" in line ${spot.line} is not the name of a symbol. Nothing changed.`);
  }
}
