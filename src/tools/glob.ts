import { t } from '@vscode/l10n';
import * as z from 'zod';
import { globToRegExp } from '../platform/ignoreRules.js';
import type { SearchOutcome } from '../platform/ports.js';
import { isInside, parentOf } from '../platform/workspacePaths.js';
import { defineTool, type Tool } from '../runner/tool.js';
import { markIfOutside } from './support/paths.js';
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

const mostFiles = 100_000;

const params = z.object({
  pattern: z.string().describe('"**/*.ts"; a name without "/" matches at any depth'),
  path: z.string().optional(),
  entry_type: z.enum(['file', 'directory']).optional(),
  head_limit: z.number().optional().describe('Default 250'),
  offset: z.number().optional(),
});

/** Finds files by name, the newest change first, or folders that hold files, by path. Respects .gitignore, hidden files are found. */
export function globTool(needs: SearchToolNeeds): Tool {
  const { workspace, search } = needs;
  return defineTool({
    name: 'glob',
    description: 'Find files by name, newest first; .gitignore is respected.',
    params,
    readOnly: true,
    summary: ({ pattern, path }) =>
      path === undefined
        ? pattern
        : t({ message: '{0} in {1}', args: [pattern, path], comment: 'what is looked for in a folder' }),
    access: ({ pattern, path }) => placeOf(pattern, path).roots.map((root) => ({ kind: 'read', path: root })),
    async run({ pattern, path, entry_type: type, head_limit: wanted = resultsByDefault, offset = 0 }, context) {
      const { roots, glob } = placeOf(pattern, path);
      await requireSearchable(workspace, roots);
      for (const root of roots) await markIfOutside(needs, context, root);
      const [first, count] = [Math.max(0, Math.floor(offset)), Math.max(1, Math.floor(wanted))];
      const find = type === 'directory' ? folders : files;
      const outcome = await find(roots, glob, first + count, context.signal);
      if (outcome.hits.length === 0 && outcome.timedOut) return timedOutEmpty;
      if (outcome.hits.length === 0)
        return `No ${type === 'directory' ? 'folders' : 'files'} match ${pattern}. (Ignored files are not searched.)`;
      const page = outcome.hits.slice(first, first + count);
      const lines = page.map((hit) => workspace.label(hit) + (type === 'directory' ? '/' : ''));
      if (lines.length === 0) return `There are only ${outcome.hits.length} matches, all before the offset.`;
      if (outcome.timedOut) lines.unshift(timedOutPartly);
      if (outcome.limited || outcome.hits.length > first + count) lines.push(`(cut; more: offset ${first + count})`);
      return { text: lines.join('\n'), summary: `${pattern}, ${counts.matches(page.length)}` };
    },
  });

  /** A pattern may begin with a path: that part is where to look. */
  function placeOf(pattern: string, path: string | undefined): { roots: string[]; glob: string } {
    const parts = pattern.replace(/^\.\//, '').split('/');
    const wild = parts.findIndex((part) => /[*?[{]/.test(part));
    const fixed = parts.slice(0, wild < 0 ? parts.length - 1 : wild);
    const named =
      path === undefined && workspace.folders().length > 1 && workspace.folders().some((one) => one.name === fixed[0]);
    const leadsAway = fixed[0] === '' || fixed[0] === '~' || fixed.includes('..') || named;
    if (!leadsAway) return { roots: rootsOf(workspace, path), glob: parts.join('/') };
    const base = fixed.join('/') || '/';
    const inside = path === undefined || fixed[0] === '' || fixed[0] === '~' ? base : `${path}/${base}`;
    return { roots: rootsOf(workspace, inside), glob: parts.slice(fixed.length).join('/') || '*' };
  }

  function files(roots: string[], glob: string, limit: number, signal: AbortSignal): Promise<SearchOutcome<string>> {
    const options = { signal, timeoutMs: searchTimeoutMs };
    return searching(signal, () => search.files({ roots, globs: [glob], limit, hidden: true }, options));
  }

  /** Folders are known by the files they hold. */
  async function folders(
    roots: string[],
    glob: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<SearchOutcome<string>> {
    const options = { signal, timeoutMs: searchTimeoutMs };
    return searching(signal, async () => {
      const matches = globToRegExp(glob, { braces: true });
      const all = await search.files({ roots, globs: [], limit: mostFiles, hidden: true }, options);
      const found = new Set<string>();
      for (const root of roots) {
        for (const folder of foldersOf(all.hits, root)) {
          if (matches.test(folder.slice(root.length).replaceAll('\\', '/').replace(/^\//, ''))) found.add(folder);
        }
      }
      const hits = [...found].sort(comparePaths);
      return { ...all, hits: hits.slice(0, limit), limited: all.limited || hits.length > limit };
    });
  }
}

function foldersOf(files: readonly string[], root: string): Set<string> {
  const folders = new Set<string>();
  for (const file of files) {
    if (!isInside(file, root)) continue;
    for (let at = parentOf(file); at !== root && !folders.has(at) && isInside(at, root); at = parentOf(at))
      folders.add(at);
  }
  return folders;
}
