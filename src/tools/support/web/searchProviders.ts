import * as z from 'zod';
import type { WebRequest, WebResponse } from '../../../platform/ports.js';
import { ToolError } from '../../../runner/tool.js';
import { clean, wordsOf } from './words.js';

export interface SearchHit {
  title: string;
  url: string;
  text: string;
}

export type SearchProviderName = 'brave' | 'tavily' | 'searxng' | 'duckduckgo';

/** One provider, with the request it takes. */
export interface SearchProvider {
  name: SearchProviderName;
  /** As people know it. */
  label: string;
  /** Where its requests go. */
  address: string;
  key?: string;
}

export const SEARCH_LABELS: Record<SearchProviderName, string> = {
  brave: 'Brave Search',
  tavily: 'Tavily',
  searxng: 'SearXNG',
  duckduckgo: 'DuckDuckGo',
};

/** Where each provider's interface lies; SearXNG's is the person's own. */
export const SEARCH_ADDRESSES: Record<Exclude<SearchProviderName, 'searxng'>, string> = {
  brave: 'https://api.search.brave.com/res/v1/web/search',
  tavily: 'https://api.tavily.com/search',
  duckduckgo: 'https://html.duckduckgo.com/html/',
};

/** The environment variables that hold keys of providers. */
export const SEARCH_KEYS = { brave: 'BRAVE_API_KEY', tavily: 'TAVILY_API_KEY' } as const;

/** What a provider is asked with. A redirect is never followed: the request may carry a key. */
export function searchRequest(provider: SearchProvider, query: string, count: number): WebRequest {
  const { name, address, key = '' } = provider;
  const plain = { redirects: 0, headers: { accept: 'application/json' } };
  switch (name) {
    case 'brave':
      return {
        ...plain,
        url: withQuery(address, { q: query, count: String(count) }),
        headers: { ...plain.headers, 'x-subscription-token': key },
      };
    case 'tavily':
      return {
        ...plain,
        url: address,
        method: 'POST',
        headers: { ...plain.headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, max_results: count }),
      };
    case 'searxng':
      // The person named this address: it may well be a server of their own.
      return {
        ...plain,
        url: withQuery(`${address.replace(/\/+$/, '')}/search`, { q: query, format: 'json' }),
        anywhere: true,
      };
    case 'duckduckgo':
      return { url: withQuery(address, { q: query }), redirects: 0, headers: { accept: 'text/html' } };
  }
}

/** Where the words go, for the person who is asked. */
export function searchAddress({ name, address }: SearchProvider, query: string): string {
  return withQuery(address, { [name === 'tavily' ? 'query' : 'q']: query });
}

function withQuery(address: string, query: Record<string, string>): string {
  return `${address}?${new URLSearchParams(query).toString()}`;
}

/** Why a provider gave no hits, with the next step; undefined where it did. */
export function searchProblem({ name, label }: SearchProvider, { status }: WebResponse): string | undefined {
  if (status >= 200 && status < 300 && !(name === 'duckduckgo' && status !== 200)) return undefined;
  const other = 'The person can choose another provider with the setting nanobot.web.search.provider.';
  if (name === 'searxng' && status === 403)
    return `${label} does not answer programs: "json" must be among the formats in its settings.yml. ${other}`;
  if (status === 401 || status === 403 || status === 422)
    return `${label} does not accept the key (status ${String(status)}). The person can set it with "Nanobot: Set API Key".`;
  if (status === 429 || status === 432 || name === 'duckduckgo')
    return `${label} takes no more searches for now (status ${String(status)}). Wait a little. ${other}`;
  if (status >= 300 && status < 400)
    return `${label} redirected the search, which is not followed. Is its address right? ${other}`;
  return `${label} answered with status ${String(status)}. Try again later. ${other}`;
}

const hit = z.object({
  title: z.string().catch(''),
  url: z.string(),
  content: z.string().catch(''),
  description: z.string().catch(''),
});
const listed = z.object({ results: z.array(z.unknown()).catch([]) });
const nested = z.object({ web: listed.catch({ results: [] }) });

/** The hits in an answer of one of the providers that speak JSON. Throws a `ToolError` for anything else. */
export function jsonHits({ name, label }: SearchProvider, text: string): SearchHit[] {
  const parsed = parse(text);
  const list = name === 'brave' ? nested.safeParse(parsed).data?.web : listed.safeParse(parsed).data;
  if (!list) throw new ToolError(`${label} answered with something else than hits. Is its address right?`);
  return list.results.flatMap((entry): SearchHit[] => {
    const found = hit.safeParse(entry).data;
    if (!found || !/^https?:/.test(found.url)) return [];
    return [{ title: wordsOf(found.title), url: found.url, text: wordsOf(found.description || found.content) }];
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Hits as a model reads them. */
export function listOf(hits: readonly SearchHit[]): string {
  return hits
    .map(
      ({ title, url, text }, at) =>
        `${String(at + 1)}. ${clean(title) || url}\n   ${url}${text === '' ? '' : `\n   ${shortened(text)}`}`,
    )
    .join('\n');
}

function shortened(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
