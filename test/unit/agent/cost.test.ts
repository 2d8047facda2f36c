import { expect, it, onTestFinished } from 'vitest';
import { appLab, type LabOptions } from '../../support/appLab.js';
import { startModelServer } from '../../support/modelServer.js';

const COST = (600 * 10 + 400 * 1 + 100 * 20 + 2_000 * 10 + 50 * 20) / 1e6;

/** Options of a lab whose model reports usage and costs so much for a million tokens. */
async function priced(price?: { input: number; output: number; cached: number }): Promise<LabOptions> {
  const server = await startModelServer([
    {
      toolCalls: [{ name: 'list_dir', args: { path: '.' } }],
      usage: { input: 1_000, output: 100, cached: 400 },
    },
    { text: 'Empty.', usage: { input: 2_000, output: 50 } },
  ]);
  onTestFinished(() => server.close());
  const models = price ? { 'test-model': { price } } : {};
  return {
    settings: { model: 'openai/test-model', providers: { openai: { apiBase: `${server.url}/v1`, models } } },
    env: { OPENAI_API_KEY: 'test-key-1' },
  };
}

it('a turn costs what its requests do by the price that is set, also after a restart', async () => {
  const options = await priced({ input: 10, output: 20, cached: 1 });
  const lab = await appLab(options);
  const end = await lab.say('what is here?');
  expect(end.usage?.cost).toBeCloseTo(COST, 9);
  await lab.close();
  const next = await appLab({ ...options, root: lab.root });
  const conversation = await next.app.loop.conversation(next.session);
  expect(conversation.state.messages.at(-1)?.turn?.usage?.cost).toBeCloseTo(COST, 9);
});

it('a turn that reached its budget says so, and Continue goes on with as much again; the session adds up', async () => {
  const options = await priced({ input: 10, output: 20, cached: 1 });
  const lab = await appLab({ ...options, settings: { ...options.settings, maxTurnCost: 0.005 } });
  const end = await lab.say('what is here?');
  expect(end.status).toBe('error');
  const conversation = await lab.app.loop.conversation(lab.session);
  const last = conversation.state.messages.at(-1);
  expect(last?.error).toMatchObject({ code: 'turn_cost', next: ['continue', 'openSettings'] });
  expect(last?.turn).toMatchObject({ steps: 1 });
  const again = lab.event('turn_end');
  await lab.app.loop.retry(lab.session, last?.id ?? '', { channel: 'vscode' });
  expect((await again).status).toBe('done');
  await lab.app.loop.idle(lab.session);
  const { spent, messages } = conversation.state;
  expect(messages.at(-1)?.parts).toMatchObject([{ kind: 'text', text: 'Empty.' }]);
  expect(messages.some(({ error }) => error)).toBe(false);
  expect(spent).toMatchObject({ inputTokens: 3_000, outputTokens: 150 });
  expect(spent?.cost).toBeCloseTo(COST, 9);
  await lab.close();
  const next = await appLab({ ...options, root: lab.root });
  expect((await next.app.loop.conversation(next.session)).state.spent).toEqual(spent);
});

it('nothing is said where the price is not known', async () => {
  const lab = await appLab(await priced());
  const end = await lab.say('what is here?');
  expect(end.usage).toMatchObject({ inputTokens: 3_000, outputTokens: 150 });
  expect(end.usage).not.toHaveProperty('cost');
});
