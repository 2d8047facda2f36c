export type WireName = 'openai' | 'anthropic';

/** Settings and environment under which an app asks this server. */
export function modelSettings(server: { url: string }, wire: WireName = 'openai') {
  const apiBase = wire === 'openai' ? `${server.url}/v1` : server.url;
  return {
    settings: { model: `${wire}/test-model`, providers: { [wire]: { apiBase } } },
    env: { OPENAI_API_KEY: 'test-key-1', ANTHROPIC_API_KEY: 'test-key-2' },
  };
}
