import { t } from '@vscode/l10n';
import * as z from 'zod';
import type { GrepHit, GrepQuery, SearchOutcome } from '../platform/ports.js';
import { defineTool, type Tool, type ToolResult } from '../runner/tool.js';
import { markFoundOutside, markIfOutside } from './support/paths.js';
import {
  comparePaths,
  requireSearchable,
  resultsByDefault,
  rootsOf,
  searching,
  searchTimeoutMs,
  timedOutEmpty,
  timedOutPartly,
  type SearchToolNeeds,
} from './support/searching.js';
import { counts } from './support/counts.js';

/** Results that are collected from a search in any order before it is made again in the order of paths. */
const collected = 2_000;
const mostContext = 50;

const params = z.object({
  pattern: z.string().describe('Rust regex'),
  path: z.string().optional(),
  output_mode: z.enum(['files_with_matches', 'content', 'count']).optional(),
  glob: z.string().optional(),
  type: z.string().optional(),
  fixed_strings: z.boolean().optional(),
  case_insensitive: z.boolean().optional(),
  multiline: z.boolean().optional(),
  context_before: z.number().optional(),
  context_after: z.number().optional(),
  head_limit: z.number().optional().describe('Default 250'),
  offset: z.number().optional(),
});

type Arguments = z.output<typeof params>;

/** What grep needs beside the search. */
export interface GrepToolNeeds extends SearchToolNeeds {
  /** Files whose lines are not shown unless they are searched by their own path, such as `.env`. */
  sensitive?: (path: string) => boolean;
}

/** Searches texts with ripgrep. Nothing found, a pattern that is no expression and a search that took too long are told apart. */
export function grepTool(needs: GrepToolNeeds): Tool {
  const { workspace, search } = needs;
  return defineTool({
    name: 'grep',
    description: 'Search file contents (.gitignore respected).',
    params,
    readOnly: true,
    summary: ({ pattern, path }) =>
      path === undefined
        ? pattern
        : t({ message: '{0} in {1}', args: [pattern, path], comment: 'what is looked for in a folder' }),
    access: ({ path }) => rootsOf(workspace, path).map((root) => ({ kind: 'read', path: root })),
    async run(args, context): Promise<ToolResult> {
      const roots = rootsOf(workspace, args.path);
      await requireSearchable(workspace, roots);
      for (const root of roots) await markIfOutside(needs, context, root);
      const [first, count] = [whole(args.offset ?? 0, 0), whole(args.head_limit ?? resultsByDefault, 1)];
      const outcome = await find(queryOf(args, roots), first + count, context.signal);
      const open = outcome.hits.filter((hit) => roots.includes(hit.path) || !needs.sensitive?.(hit.path));
      const hidden = new Set(outcome.hits.filter((hit) => !open.includes(hit)).map((hit) => hit.path));
      const notes = [...(outcome.timedOut ? [timedOutPartly] : []), ...hiddenNote(hidden)];
      if (open.length === 0 && outcome.timedOut) return { text: timedOutEmpty };
      if (open.length === 0) {
        return {
          text: [
            `No matches for ${args.pattern}. (Ignored and binary files are not searched.)`,
            ...hiddenNote(hidden),
          ].join('\n'),
        };
      }
      const page = open.slice(first, first + count);
      if (page.length === 0) return { text: `There are only ${open.length} results, all before the offset.` };
      const cut = outcome.limited || open.length > first + count ? [`(cut; more: offset ${first + count})`] : [];
      const files = [...new Set(page.map((hit) => hit.path))];
      await markFoundOutside(needs, context, files);
      return {
        text: [...notes, ...linesOf(page, args.output_mode ?? 'files_with_matches'), ...cut].join('\n'),
        summary: `${args.pattern}, ${args.output_mode === 'content' ? counts.inFiles(counts.lines(page.length), files.length) : counts.files(files.length)}`,
        files: fileRefs(page),
      };
    },
  });

  /**
   * Threads find in any order, so that a limit would cut at random. Few results are sorted afterwards; of many the first are searched again
   * in order, which ends early because there are many.
   */
  async function find(
    query: Omit<GrepQuery, 'limit'>,
    needed: number,
    signal: AbortSignal,
  ): Promise<SearchOutcome<GrepHit>> {
    const options = { signal, timeoutMs: searchTimeoutMs };
    return searching(signal, async () => {
      const all = await search.grep({ ...query, limit: Math.max(collected, needed + 1) }, options);
      if (all.limited) return search.grep({ ...query, limit: needed + 1, sorted: true }, options);
      return { ...all, hits: all.hits.sort((a, b) => comparePaths(a.path, b.path) || (a.line ?? 0) - (b.line ?? 0)) };
    });
  }

  function linesOf(hits: readonly GrepHit[], mode: NonNullable<Arguments['output_mode']>): string[] {
    if (mode === 'files_with_matches') return hits.map((hit) => workspace.label(hit.path));
    if (mode === 'count') return hits.map((hit) => `${workspace.label(hit.path)}: ${hit.count ?? 0}`);
    const lines: string[] = [];
    let former: GrepHit | undefined;
    for (const hit of hits) {
      if (hit.path !== former?.path) lines.push(workspace.label(hit.path));
      else if ((hit.line ?? 0) > (former.line ?? 0) + 1 && (hit.match === false || former.match === false))
        lines.push('--');
      lines.push(`${hit.line}${hit.match === false ? '-' : ':'} ${hit.text ?? ''}`);
      former = hit;
    }
    return lines;
  }

  function hiddenNote(files: Set<string>): string[] {
    if (files.size === 0) return [];
    return [
      `(matches in ${[...files].map((file) => workspace.label(file)).join(', ')} are not shown: read_file asks for such files)`,
    ];
  }
}

function queryOf(args: Arguments, roots: string[]): Omit<GrepQuery, 'limit'> {
  const modes = { files_with_matches: 'files', content: 'content', count: 'count' } as const;
  const context = (lines: number | undefined): number => Math.min(mostContext, whole(lines ?? 0, 0));
  return {
    pattern: args.pattern,
    roots,
    mode: modes[args.output_mode ?? 'files_with_matches'],
    fixedStrings: args.fixed_strings ?? false,
    ignoreCase: args.case_insensitive ?? false,
    multiline: args.multiline ?? false,
    before: context(args.context_before),
    after: context(args.context_after),
    ...(args.glob === undefined ? {} : { globs: [args.glob] }),
    ...(args.type === undefined ? {} : { type: args.type }),
  };
}

/** One place for each file, the first match in it. */
function fileRefs(hits: readonly GrepHit[]): { path: string; line?: number }[] {
  const places = new Map<string, number | undefined>();
  for (const hit of hits) if (!places.has(hit.path) && hit.match !== false) places.set(hit.path, hit.line);
  return [...places].slice(0, 20).map(([path, line]) => ({ path, ...(line === undefined ? {} : { line }) }));
}

function whole(value: number, least: number): number {
  return Math.max(least, Math.floor(value));
}
