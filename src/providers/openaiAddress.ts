import type { Dialect } from './openaiDialects.js';

/** What Azure's older addresses, which name the deployment, want where no version stands in them. */
const AZURE_VERSION = '2024-10-21';

/** The base address as people know it: without the path of the API itself, which is often pasted along. A query stays. */
export function chatBase(address: string): string {
  const { base, query } = parted(address);
  return `${base}${query}`;
}

/**
 * Where a request for a path such as `/models` goes. What stands as a query in the base address, such as `?api-version=…`, is sent along. On Azure the
 * resource's own address is enough; with a version in it, or with `/openai/deployments`, the older form is meant, which names the deployment.
 */
export function requestUrl(dialect: Pick<Dialect, 'name'>, address: string, path: string, model = ''): string {
  const { base, query } = parted(address);
  return dialect.name === 'azure' ? azureUrl(base, query, path, model) : `${base}${path}${query}`;
}

function parted(address: string): { base: string; query: string } {
  const [place = '', ...rest] = address.trim().split('?');
  const base = place.replace(/\/+$/, '').replace(/\/(chat\/completions|responses)$/, '');
  return { base, query: rest.length > 0 ? `?${rest.join('?')}` : '' };
}

function azureUrl(base: string, query: string, path: string, model: string): string {
  const host = /^[a-z]+:\/\/[^/]+/i.exec(base)?.[0] ?? base;
  const rest = base.slice(host.length);
  const deployment = /^\/openai\/deployments(?:\/([^/]+))?$/.exec(rest);
  const bare = rest === '' || rest === '/openai';
  if (!deployment && (!bare || query === '')) return `${host}${bare ? '/openai/v1' : rest}${path}${query}`;
  const version = /[?&]api-version=/.test(query) ? query : `?api-version=${AZURE_VERSION}`;
  // Only chat completions are asked under the deployment's name.
  const folder = path === '/chat/completions' ? `/deployments/${deployment?.[1] ?? encodeURIComponent(model)}` : '';
  return `${host}/openai${folder}${path}${version}`;
}
