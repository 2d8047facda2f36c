import { t } from '@vscode/l10n';
import * as z from 'zod';
import type { Web, WebResponse } from '../platform/ports.js';
import { parseWebUrl, WebError } from '../platform/webError.js';
import { defineTool, ToolError, type Tool, type ToolContext, type ToolResult } from '../runner/tool.js';
import { imageTypeOf, isPdf } from './support/fileKind.js';
import { plural, sizeText } from './support/text.js';
import { decodeBody, textKindOf } from './support/web/body.js';
import { pagesAsText, type PageReader } from './support/web/pageReader.js';
import { asUntrusted } from './support/web/untrusted.js';

const TIMEOUT_MS = 30_000;
const MOST_BYTES = 5 * 1024 * 1024;
const DEFAULT_CHARS = 50_000;
const FEWEST_CHARS = 200;
const MOST_CHARS = 200_000;

const params = z.object({
  url: z.string(),
  max_chars: z.number().optional().describe('Default 50000'),
});

/** What an answer is to the model, before it is cut to length and marked. */
interface Reading {
  title?: string;
  text: string;
  images?: ToolResult['images'];
  /** Remarks on how it was read. */
  notes: string[];
}

/**
 * Fetches an address: a page as Markdown of what is to be read in it, a PDF as its text, JSON laid out, other text as it is, an image as an image. Public
 * addresses only, 30 seconds and 5 MB at most. From the first answer on, whatever it holds, the turn counts as having read text from outside.
 */
export function webFetchTool({ web, pages }: { web: Web; pages: PageReader }): Tool {
  return defineTool({
    name: 'web_fetch',
    description: 'Fetch a public web page as Markdown; also PDF, JSON, text, images.',
    params,
    readOnly: true,
    summary: ({ url }) => url,
    access: ({ url }) => [{ kind: 'network', url: addressOf(url) }],
    async run({ url, max_chars }, context): Promise<ToolResult> {
      const { response, reading } = await load({ web, pages }, url, context);
      return resultOf(
        response,
        reading,
        Math.min(MOST_CHARS, Math.max(FEWEST_CHARS, Math.floor(max_chars ?? DEFAULT_CHARS))),
      );
    },
  });
}

/** What an address gave, as a person attaches it: text from outside, or an image. */
export interface FetchedPage {
  /** After the redirects. */
  url: string;
  title: string;
  text: string;
  image?: Uint8Array;
}

/** Fetches an address that a person named, by the same checks and limits as the tool. Rejects with a `ToolError` in plain words. */
export async function fetchPage(
  needs: { web: Web; pages: PageReader },
  url: string,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const { response, reading } = await load(needs, addressOf(url), { signal, markUntrusted: () => undefined });
  const image = reading.images ? { image: response.bytes } : {};
  return { url: response.url, title: reading.title ?? '', text: reading.text, ...image };
}

async function load(
  { web, pages }: { web: Web; pages: PageReader },
  url: string,
  context: Pick<ToolContext, 'signal' | 'markUntrusted'>,
): Promise<{ response: WebResponse; reading: Reading }> {
  const response = await ask(web, url, context);
  context.markUntrusted(response.url);
  const problem = statusProblem(response);
  if (problem !== undefined) throw new ToolError(problem);
  return { response, reading: await read(response, pages, context.signal) };
}

/** Also checked before anybody is asked: what cannot be fetched need not be approved. */
function addressOf(url: string): string {
  try {
    return parseWebUrl(url).href;
  } catch (cause) {
    throw inToolWords(cause);
  }
}

async function ask(
  web: Web,
  url: string,
  context: Pick<ToolContext, 'signal' | 'markUntrusted'>,
): Promise<WebResponse> {
  try {
    return await web.request({ url }, { signal: context.signal, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES });
  } catch (cause) {
    // Where a redirect led is the choice of whoever answered first.
    if (cause instanceof WebError && cause.redirected) context.markUntrusted(url);
    throw inToolWords(cause);
  }
}

function inToolWords(cause: unknown): unknown {
  return cause instanceof WebError ? new ToolError(cause.message, { cause }) : cause;
}

const STATUS_WORDS: Record<number, string> = {
  401: 'it wants a sign-in, which cannot be given here.',
  403: 'it refuses this, perhaps to programs in general.',
  404: 'there is no such page. Check the address, or search for it.',
  410: 'the page is gone for good.',
  429: 'it was asked too often. Wait before you ask again.',
};

function statusProblem({ url, status }: WebResponse): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const words =
    STATUS_WORDS[status] ?? (status >= 500 ? 'the server has a problem. Try again later.' : 'it gave no page.');
  return `${new URL(url).host} answered with status ${String(status)}: ${words}`;
}

async function read(response: WebResponse, pages: PageReader, signal: AbortSignal): Promise<Reading> {
  const { bytes, cut, headers, url } = response;
  const image = imageTypeOf(bytes);
  if (image !== undefined || isPdf(bytes)) {
    if (cut)
      throw new ToolError(
        `This is ${image ?? 'a PDF'} of more than 5 MB, and no more is fetched. Download it with exec: curl -o FILE URL`,
      );
    return image === undefined ? pdf(bytes, pages, signal) : picture(bytes, image);
  }
  const contentType = headers['content-type'] ?? '';
  const text = decodeBody(bytes, contentType);
  const kind = textKindOf(contentType, text.slice(0, 500), text.slice(0, 8_000).includes('\0'));
  const notes = cut ? ['only the first 5 MB were read'] : [];
  if (kind === 'html') return page(text, url, notes, pages, signal);
  if (kind === 'json') return { text: laidOut(text), notes: ['JSON', ...notes] };
  if (kind === 'text') return { text, notes };
  throw new ToolError(
    `This is no text: ${typeOf(contentType)}, ${sizeText(bytes.length)}${cut ? ' and more' : ''}. Download it with exec: curl -o FILE URL`,
  );
}

async function page(
  html: string,
  url: string,
  notes: string[],
  pages: PageReader,
  signal: AbortSignal,
): Promise<Reading> {
  const { title, markdown, kind } = await pages.readable(html, url, signal);
  const how = { article: 'main text', page: 'whole page', text: 'words only, the page could not be taken apart' }[kind];
  return {
    title,
    text: markdown === '' ? '(The page has no text; perhaps a script makes it.)' : markdown,
    notes: [how, ...notes],
  };
}

async function pdf(bytes: Uint8Array, pages: PageReader, signal: AbortSignal): Promise<Reading> {
  const { pages: texts } = await pages.pdfText(bytes, signal);
  const text = pagesAsText(texts) ?? '(The pages hold no text; they may be pictures.)';
  return { text, notes: [`PDF, ${plural(texts.length, 'page')}`] };
}

function picture(bytes: Uint8Array, type: string): Reading {
  const url = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return { text: '', images: [{ type: 'image_url', image_url: { url } }], notes: [type, sizeText(bytes.length)] };
}

function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Only the form `word/word` is repeated: a header can hold anything. */
function typeOf(contentType: string): string {
  return /^[\w.+-]{1,50}\/[\w.+-]{1,80}/.exec(contentType)?.[0] ?? 'of no known type';
}

function resultOf({ url }: WebResponse, { title = '', text, images, notes }: Reading, most: number): ToolResult {
  const head = `${url}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
  if (images) return { text: head, summary: head, images };
  const shown =
    text.length > most
      ? `${text.slice(0, most)}\n[${String(text.length - most)} more characters: raise max_chars]`
      : text;
  return {
    text: `${head}\n${asUntrusted(url, `${title === '' ? '' : `# ${title}\n\n`}${shown}`)}`,
    summary: t('{0}, {1} characters', title === '' ? url : `${title} · ${url}`, text.length),
  };
}
