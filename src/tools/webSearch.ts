import * as z from 'zod';
import type { Web } from '../platform/ports.js';
import { WebError } from '../platform/webError.js';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';
import { decodeBody } from './support/web/body.js';
import type { PageReader } from './support/web/pageReader.js';
import {
  jsonHits,
  listOf,
  searchAddress,
  searchProblem,
  searchRequest,
  type SearchHit,
  type SearchProvider,
} from './support/web/searchProviders.js';
import { asUntrusted } from './support/web/untrusted.js';
import { counts } from './support/counts.js';

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 2 * 1024 * 1024;
const DEFAULT_COUNT = 5;
const MOST = 10;

const params = z.object({
  query: z.string().trim().min(1).max(400),
  count: z.number().optional().describe('Default 5, at most 10'),
});

export interface WebSearchNeeds {
  web: Web;
  pages: Pick<PageReader, 'duckDuckGoHits'>;
  /** The provider to ask now, by the person's settings and keys. Rejects with a `ToolError` where it lacks something. */
  provider(): Promise<SearchProvider>;
}

/** Searches the web with the person's provider. What comes back is text from outside, and the turn counts as having read such. */
export function webSearchTool(needs: WebSearchNeeds): Tool {
  return defineTool({
    name: 'web_search',
    description: 'Search the web: titles, addresses, excerpts. Read the pages with web_fetch.',
    params,
    readOnly: true,
    summary: ({ query }) => query,
    access: async ({ query }) => [{ kind: 'network', url: searchAddress(await needs.provider(), query) }],
    async run({ query, count = DEFAULT_COUNT }, context) {
      const provider = await needs.provider();
      const most = Math.max(1, Math.min(MOST, Math.floor(count)));
      const hits = await searchWith(needs, provider, { query, count: most, signal: context.signal });
      context.markUntrusted(provider.label);
      const found = hits.slice(0, most);
      if (found.length === 0) return `${provider.label} found nothing. Other words may find it.`;
      return {
        text: asUntrusted(provider.label, listOf(found)),
        summary: `${query} · ${provider.label}, ${counts.hits(found.length)}`,
      };
    },
  });
}

/** Asks a provider. Throws a `ToolError` in words for the model and the person where it does not answer with hits. */
export async function searchWith(
  { web, pages }: Pick<WebSearchNeeds, 'web' | 'pages'>,
  provider: SearchProvider,
  { query, count, signal }: { query: string; count: number; signal: AbortSignal },
): Promise<SearchHit[]> {
  const request = searchRequest(provider, query, count);
  const response = await web
    .request(request, { signal, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES })
    .catch((cause: unknown) => {
      if (cause instanceof WebError) throw new ToolError(`${provider.label}: ${cause.message}`, { cause });
      throw cause;
    });
  const problem = searchProblem(provider, response);
  if (problem !== undefined) throw new ToolError(problem);
  const text = decodeBody(response.bytes, response.headers['content-type'] ?? '');
  if (provider.name !== 'duckduckgo') return jsonHits(provider, text);
  const { hits, challenge } = await pages.duckDuckGoHits(text, signal);
  if (challenge) {
    throw new ToolError(
      'DuckDuckGo wants proof of a person and gave no hits. Wait a little; or the person sets a key for brave or tavily with "Nanobot: Set API Key".',
    );
  }
  return hits;
}
