import type { Settings } from '../config/schema.js';
import type { Clock, Secrets, Web, Workers } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { ErrorInfo } from '../protocol/message.js';
import { ToolError, type Tool } from '../runner/tool.js';
import { createPageReader, type PageReader } from './support/web/pageReader.js';
import {
  SEARCH_ADDRESSES,
  SEARCH_KEYS,
  SEARCH_LABELS,
  type SearchProvider,
  type SearchProviderName,
} from './support/web/searchProviders.js';
import { fetchPage, webFetchTool, type FetchedPage } from './webFetch.js';
import { searchWith, webSearchTool } from './webSearch.js';

type KeyedProvider = keyof typeof SEARCH_KEYS;

export interface WebSetupDeps {
  web: Web;
  workers: Workers;
  clock: Clock;
  secrets: Pick<Secrets, 'get'>;
  secretName(provider: string): string;
  env: Readonly<Record<string, string | undefined>>;
  /** config.json; of it, the keys by provider. */
  config(): { keys: Record<string, string> };
  settings(): Pick<Settings, 'web.search.provider' | 'web.search.baseUrl'>;
  /** Where the providers' interfaces lie; tests have their own. */
  addresses?: Partial<typeof SEARCH_ADDRESSES>;
}

export interface WebSetup {
  tools: Tool[];
  pages: PageReader;
  /** Fetches an address that the person named. Rejects with words for a person. */
  fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage>;
  /** Search providers that take a key. */
  keyProviders: string[];
  /** Tries a key with one small search. */
  checkKey(provider: string, key: string): Promise<{ ok: true } | { ok: false; error: ErrorInfo }>;
}

/** The web tools with the person's search provider: the one they chose, or with `auto` the first that has what it needs. */
export function setUpWeb(deps: WebSetupDeps): WebSetup {
  const { web } = deps;
  const pages = createPageReader(deps);
  const addresses = { ...SEARCH_ADDRESSES, ...deps.addresses };
  const made = (name: SearchProviderName, more: Partial<SearchProvider> = {}): SearchProvider => ({
    name,
    label: SEARCH_LABELS[name],
    address: name === 'searxng' ? deps.settings()['web.search.baseUrl'] : addresses[name],
    ...more,
  });
  const keyed = async (name: KeyedProvider): Promise<SearchProvider | undefined> => {
    const key =
      (await deps.secrets.get(deps.secretName(name))) ??
      (deps.env[SEARCH_KEYS[name]]?.trim() || deps.config().keys[name]);
    return key === undefined || key === '' ? undefined : made(name, { key });
  };
  const provider = async (): Promise<SearchProvider> => {
    const { 'web.search.provider': chosen, 'web.search.baseUrl': baseUrl } = deps.settings();
    if (chosen === 'auto')
      return (
        (await keyed('brave')) ?? (await keyed('tavily')) ?? (baseUrl === '' ? made('duckduckgo') : made('searxng'))
      );
    if (chosen === 'duckduckgo') return made(chosen);
    if (chosen === 'searxng') return baseUrl === '' ? Promise.reject(noAddress()) : made(chosen);
    return (await keyed(chosen)) ?? Promise.reject(noKey(chosen));
  };
  return {
    tools: [webFetchTool({ web, pages }), webSearchTool({ web, pages, provider })],
    pages,
    fetchPage: (url, signal) => fetchPage({ web, pages }, url, signal),
    keyProviders: Object.keys(SEARCH_KEYS),
    checkKey: async (name, key) => {
      try {
        await searchWith({ web, pages }, made(name as KeyedProvider, { key }), {
          query: 'nanobot',
          count: 1,
          signal: AbortSignal.timeout(30_000),
        });
        return { ok: true };
      } catch (cause) {
        return {
          ok: false,
          error: { code: 'auth', message: reasonOf(cause), next: ['setKey'] },
        };
      }
    },
  };
}

function noAddress(): ToolError {
  return new ToolError(
    'SearXNG is chosen for searching, and its address is not set. The person can set nanobot.web.search.baseUrl, or choose another provider with nanobot.web.search.provider.',
  );
}

function noKey(name: KeyedProvider): ToolError {
  return new ToolError(
    `${SEARCH_LABELS[name]} is chosen for searching, and there is no key for it. The person can set one with "Nanobot: Set API Key" or ${SEARCH_KEYS[name]}, or choose another provider with nanobot.web.search.provider.`,
  );
}
