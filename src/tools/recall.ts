import { t } from '@vscode/l10n';
import * as z from 'zod';
import type { Recall, RecallHit } from '../memory/recall.js';
import { defineTool, type Tool, type ToolResult } from '../runner/tool.js';
import { plural } from './support/text.js';
import { counts } from './support/counts.js';

const DEFAULT_LIMIT = 8;
const MOST = 20;
const DEFAULT_DAYS = 7;
/** Characters of one hit: enough for a fact with what stands around it. */
const LONGEST_HIT = 600;

export const recallParams = z.object({
  query: z.string().optional().describe('A question or words; empty lists recent notes'),
  limit: z
    .number()
    .optional()
    .describe(`Default ${String(DEFAULT_LIMIT)}, at most ${String(MOST)}`),
  days: z.number().optional().describe('Only the last so many days'),
});

/** Searches everything that was said and noted before, or lists what was noted lately. Reads Nanobot's own home only. */
export function recallTool({ recall, home }: { recall: Recall; home: string }): Tool {
  return defineTool({
    name: 'recall',
    description: 'Search earlier chats, history, notes and memory; without a query list recent notes.',
    params: recallParams,
    readOnly: true,
    summary: ({ query, days = DEFAULT_DAYS }) =>
      query?.trim() || (days === 1 ? t('the last 1 day') : t('the last {0} days', days)),
    run: (args, { signal }) => searchMemory({ recall, home }, args, signal),
  });
}

/** Ranked hits with their dates and sources, one a line. */
export async function searchMemory(
  { recall, home }: { recall: Pick<Recall, 'search'>; home: string },
  { query = '', limit = DEFAULT_LIMIT, days }: z.output<typeof recallParams>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const most = Math.max(1, Math.min(MOST, Math.floor(limit)));
  const within = days === undefined || !(days > 0) ? undefined : days;
  const recent = query.trim() === '';
  const hits = await recall.search(query, {
    limit: most,
    signal,
    ...(recent ? { kinds: ['note', 'history'], days: within ?? DEFAULT_DAYS } : within ? { days: within } : {}),
  });
  if (hits.length === 0) return { text: nothing(query, recent ? (within ?? DEFAULT_DAYS) : within) };
  return {
    text: hits.map((hit) => lineOf(hit, home)).join('\n'),
    summary: `${recent ? t('recent notes') : query.trim()}, ${counts.hits(hits.length)}`,
    files: hits.map(({ source, line }) => ({ path: source, line })),
  };
}

function nothing(query: string, days: number | undefined): string {
  const within = days === undefined ? '' : ` in the last ${plural(days, 'day')}`;
  return query.trim() === ''
    ? `Nothing was noted${within}.`
    : `Nothing was found${within}. Other words, or a name or a month, may find it.`;
}

function lineOf({ time, source, line, role, kind, text }: RecallHit, home: string): string {
  const path = source.startsWith(home) ? source.slice(home.length).replace(/^[\\/]/, '') : source;
  const flat = text.replaceAll(/\s+/g, ' ');
  const shown = flat.length > LONGEST_HIT ? `${flat.slice(0, LONGEST_HIT)}…` : flat;
  return `- ${time.slice(0, 10) || 'no date'} ${path}:${String(line)} (${role ?? kind}) ${shown}`;
}
