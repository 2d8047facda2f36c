import * as z from 'zod';
import type { DirEntry } from '../platform/ports.js';
import { childOf } from '../platform/workspacePaths.js';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { inWords, locate, requireThere, type FileToolNeeds } from './support/paths.js';
import { plural, sizeText } from './support/text.js';
import { counts } from './support/counts.js';

const entriesByDefault = 250;
const deepest = 10;

const params = z.object({
  path: z.string().optional(),
  depth: z.number().optional().describe('Levels, default 1'),
  entry_type: z.enum(['file', 'directory']).optional(),
  head_limit: z.number().optional().describe('Default 250'),
  offset: z.number().optional().describe('Entries to skip'),
});

interface Found {
  /** Relative to the folder listed. */
  name: string;
  path: string;
  entry: DirEntry;
}

/** Lists a folder, ignored and hidden files too, in the order of names, folders with a slash. Links are shown and not followed. */
export function listDirTool({ workspace }: Pick<FileToolNeeds, 'workspace'>): Tool {
  return defineTool({
    name: 'list_dir',
    description: 'List a folder with sizes, hidden and ignored files too.',
    params,
    readOnly: true,
    summary: ({ path }) => path ?? '.',
    access: ({ path }) => [{ kind: 'read', path: locate(workspace, path ?? '.') }],
    async run({ path = '.', depth = 1, entry_type: type, head_limit = entriesByDefault, offset = 0 }, { signal }) {
      const folder = locate(workspace, path);
      const label = workspace.label(folder);
      const stat = await requireThere(workspace, folder);
      if (stat.type !== 'directory') throw new ToolError(`${label} is a file, not a folder: use read_file.`);
      const [first, count] = [Math.max(0, Math.floor(offset)), Math.max(1, Math.floor(head_limit))];
      const found: Found[] = [];
      let seen = 0;
      for await (const one of entriesBelow(folder, '', Math.min(deepest, Math.max(1, Math.floor(depth))), signal)) {
        if (type && (one.entry.type === 'directory') !== (type === 'directory')) continue;
        if (seen++ < first) continue;
        if (found.length > count) break;
        found.push(one);
      }
      if (found.length === 0)
        return seen > 0
          ? `${label} has ${plural(seen, 'entry', 'entries')}, all before the offset.`
          : `${label} is empty.`;
      const lines = await Promise.all(found.slice(0, count).map(lineOf));
      const more = found.length > count ? `\n(cut; more: offset ${first + count})` : '';
      return {
        text: `${label}\n${lines.join('\n')}${more}`,
        summary: `${label}, ${counts.entries(lines.length)}`,
      };
    },
  });

  async function* entriesBelow(
    folder: string,
    prefix: string,
    levels: number,
    signal: AbortSignal,
  ): AsyncGenerator<Found> {
    signal.throwIfAborted();
    // Only the folder asked for must be readable; one below that is not is listed, and empty.
    const entries = await (prefix === ''
      ? inWords(workspace.label(folder), () => workspace.list(folder))
      : workspace.list(folder).catch(() => []));
    for (const entry of entries) {
      const path = childOf(folder, entry.name);
      yield { name: prefix + entry.name, path, entry };
      if (entry.type === 'directory' && levels > 1)
        yield* entriesBelow(path, `${prefix}${entry.name}/`, levels - 1, signal);
    }
  }

  async function lineOf({ name, path, entry }: Found): Promise<string> {
    if (entry.type === 'directory') return `${name}/`;
    if (entry.type === 'symlink') {
      const target = await workspace.realPath(path).catch(() => undefined);
      return target === undefined ? `${name} (broken link)` : `${name} → ${workspace.label(target)}`;
    }
    if (entry.type === 'other') return `${name} (device, pipe or socket)`;
    const stat = await workspace.stat(path).catch(() => undefined);
    return stat ? `${name}  ${sizeText(stat.size)}` : name;
  }
}
