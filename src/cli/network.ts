import type { NodeWebParts } from '../platform/nodeWeb.js';
import type { Log } from '../platform/ports.js';
import { proxyRules } from '../platform/proxyRules.js';

/** The network as the environment describes it: with its proxies, also for every `fetch` of the process, and Node's own where it names none. */
export async function networkOf(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<Pick<NodeWebParts, 'http' | 'https'>> {
  const { choose, problems } = proxyRules(env);
  for (const problem of problems) log.warn(problem);
  if (!choose) return {};
  const { proxiedRequests, proxyFetch } = await import('../platform/nodeProxy.js');
  // Told so at its start, Node goes through proxies by itself.
  if (!(await proxyFetch(choose)) && env['NODE_USE_ENV_PROXY'] === undefined) {
    log.warn('This version of Node does not take the proxy from here. Set NODE_USE_ENV_PROXY=1 beside HTTPS_PROXY.');
  }
  return proxiedRequests(choose);
}
