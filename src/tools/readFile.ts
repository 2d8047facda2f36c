import { t } from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { sniffFormat } from '../platform/encoding.js';
import type { WorkspaceFile } from '../platform/ports.js';
import {
  defineTool,
  ToolError,
  type ReadLedger,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../runner/tool.js';
import { largestWholeFile } from './support/changes.js';
import { binaryKindOf, imageTypeOf, isPdf } from './support/fileKind.js';
import { windowOf, windowOfFile, type LineWindow, type WindowQuery } from './support/lineWindow.js';
import { notebookText } from './support/notebookText.js';
import { inWords, locate, markIfOutside, requireFile, type FileToolNeeds } from './support/paths.js';
import { numbered, oddities, plural, readFileText, sizeText } from './support/text.js';
import { pagesAsText, type PageReader } from './support/web/pageReader.js';

const linesByDefault = 2_000;
const mostCharacters = 128_000;
const largestImage = 5 * 1024 * 1024;
const sniffedBytes = 8_192;

const params = z.object({
  path: z.string(),
  offset: z.number().optional().describe('First line, from 1'),
  limit: z.number().optional().describe('Lines, default 2000'),
  force: z.boolean().optional().describe('Even if unchanged since read'),
});

export interface ReadFileNeeds extends FileToolNeeds {
  /** Gives the text of PDFs; without it they are refused with a way to it. */
  pdf?: PageReader['pdfText'];
  /** Told of each session that read a notebook. */
  sawNotebook?: (sessionKey: string) => void;
}

/** A file at hand, with what a result says of it. */
interface Target {
  path: string;
  label: string;
  size: number;
}

/**
 * Reads a text file with line numbers, an image, a PDF as its text, or a notebook as its cells. Text that is not saved yet wins over the disk. Of files over
 * 10 MB only the lines asked for are read. What the model has and that has not changed is not sent again unless forced.
 */
export function readFileTool(needs: ReadFileNeeds): Tool {
  const { workspace } = needs;
  const shown = new ShownRanges();
  return defineTool({
    name: 'read_file',
    description: 'Read a text file ("N| line"), image, PDF or notebook. Long files: page with offset.',
    params,
    readOnly: true,
    summary: ({ path, offset, limit }) =>
      offset === undefined
        ? path
        : limit
          ? t('{0}, from line {1}, {2}', path, offset, limit)
          : t('{0}, from line {1}', path, offset),
    access: ({ path }) => [{ kind: 'read', path: locate(workspace, path) }],
    async run({ path, offset, limit, force }, context): Promise<ToolResult> {
      const target = locate(workspace, path);
      const label = workspace.label(target);
      const { size } = await requireFile(workspace, target);
      await markIfOutside(needs, context, target);
      const file = { path: target, label, size };
      const query: WindowQuery = {
        offset: Math.max(1, Math.floor(offset ?? 1)),
        limit: Math.max(1, Math.floor(limit ?? linesByDefault)),
        characters: mostCharacters,
      };
      if (size > largestWholeFile) return readLarge(file, query, context);
      const content = await inWords(label, () => workspace.read(target));
      return readWhole(file, content, query, force ?? false, context);
    },
  });

  async function readLarge(file: Target, query: WindowQuery, context: ToolContext): Promise<ToolResult> {
    const start = await inWords(file.label, () => workspace.readStart(file.path, sniffedBytes));
    const format = sniffFormat(start);
    if (!format || imageTypeOf(start) || isPdf(start)) throw refusal(file, start);
    const window = await windowOfFile(workspace, file.path, format, query, context.signal);
    return windowResult(file, window, query, [sizeText(file.size)]);
  }

  async function readWhole(
    file: Target,
    content: WorkspaceFile,
    query: WindowQuery,
    force: boolean,
    context: ToolContext,
  ): Promise<ToolResult> {
    const { bytes, dirty } = content;
    const real = await workspace.realPath(file.path);
    const image = imageTypeOf(bytes);
    if (image) {
      if (bytes.length > largestImage) throw refusal(file, bytes);
      context.reads.note(real, bytes);
      return imageResult(file, image, bytes);
    }
    if (isPdf(bytes) && needs.pdf) return pdfResult(file, await needs.pdf(bytes, context.signal), query);
    const text = isPdf(bytes) ? undefined : readFileText(bytes);
    if (!text) throw refusal(file, bytes);
    const range = `${query.offset}:${query.limit}`;
    const known = context.reads.check(real, bytes) === 'fresh' && shown.has(context.reads, real, range, bytes);
    if (known && !force)
      return { text: `${file.label} is unchanged since you read it; its text is above. Set force to get it again.` };
    const cells = file.path.endsWith('.ipynb') ? notebookText(text.raw) : undefined;
    if (cells !== undefined) needs.sawNotebook?.(context.sessionKey);
    const notes = cells === undefined ? oddities(text) : ['notebook, shown as its cells'];
    if (dirty) notes.push('with unsaved changes of the editor');
    const result = windowResult(file, windowOf(cells ?? text.raw, query), query, notes);
    context.reads.note(real, bytes);
    shown.add(context.reads, real, range, bytes);
    return result;
  }
}

function windowResult(file: Target, window: LineWindow, query: WindowQuery, notes: string[]): ToolResult {
  const { lines, total, more } = window;
  const aside = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  if (lines.length === 0 && query.offset === 1)
    return { text: `${file.label} is empty${aside}.`, files: [{ path: file.path }] };
  if (lines.length === 0) {
    const count = total === undefined ? 'fewer lines' : `only ${total} lines`;
    throw new ToolError(`${file.label} has ${count}, so there is no line ${query.offset}.`);
  }
  const last = query.offset + lines.length - 1;
  const range = `lines ${query.offset}–${last} of ${total ?? 'many more'}`;
  const next = window.cut ? `(line ${last} is too long and cut here)` : `(more: offset ${last + 1})`;
  return {
    text: `${file.label}, ${range}${aside}\n${numbered(lines, query.offset)}${more || window.cut ? `\n${next}` : ''}`,
    summary:
      total === undefined
        ? t('{0}, lines {1}–{2} of many more', file.label, query.offset, last)
        : t('{0}, lines {1}–{2} of {3}', file.label, query.offset, last, total),
    files: [{ path: file.path, ...(query.offset > 1 ? { line: query.offset } : {}) }],
  };
}

/** Not noted as read: the text of a PDF is nothing that an edit could be based on. */
function pdfResult(file: Target, { pages }: { pages: string[] }, query: WindowQuery): ToolResult {
  const text = pagesAsText(pages);
  const count = `PDF, ${plural(pages.length, 'page')}`;
  if (text === undefined) throw new ToolError(`${file.label} holds no text (${count}); its pages may be pictures.`);
  return windowResult(file, windowOf(text, query), query, [count]);
}

function imageResult(file: Target, type: string, bytes: Uint8Array): ToolResult {
  const url = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  const what = `${file.label}, ${type}, ${sizeText(bytes.length)}`;
  return {
    text: what,
    summary: what,
    images: [{ type: 'image_url', image_url: { url } }],
    files: [{ path: file.path }],
  };
}

function refusal(file: Target, start: Uint8Array): ToolError {
  const size = sizeText(file.size);
  if (imageTypeOf(start)) {
    return new ToolError(
      `${file.label} is an image of ${size}; images up to 5 MB can be read. Make a smaller copy with exec.`,
    );
  }
  if (isPdf(start)) return new ToolError(`${file.label} is a PDF (${size}). Get its text with exec: pdftotext FILE -`);
  return new ToolError(
    `${file.label} is no text: ${binaryKindOf(start, file.path)}, ${size}. Use exec with a program that reads it.`,
  );
}

/** Which ranges of which content a session has been sent. Tied to its ledger, so it is forgotten with it. */
class ShownRanges {
  private readonly sessions = new WeakMap<ReadLedger, Map<string, { digest: string; ranges: Set<string> }>>();

  has(ledger: ReadLedger, path: string, range: string, bytes: Uint8Array): boolean {
    const entry = this.sessions.get(ledger)?.get(path);
    return entry !== undefined && entry.ranges.has(range) && entry.digest === digestOf(bytes);
  }

  add(ledger: ReadLedger, path: string, range: string, bytes: Uint8Array): void {
    const files = this.sessions.get(ledger) ?? new Map<string, { digest: string; ranges: Set<string> }>();
    this.sessions.set(ledger, files);
    const digest = digestOf(bytes);
    const former = files.get(path);
    const ranges = former?.digest === digest ? former.ranges : new Set<string>();
    files.set(path, { digest, ranges: ranges.add(range) });
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}
