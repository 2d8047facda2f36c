import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appLab } from '../../support/appLab.js';
import { startModelServer, type ModelServer } from '../../support/modelServer.js';

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

describe('a turn over the Responses API', () => {
  it('keeps what the model thought with its call on disk and gives it back, also after a restart', async () => {
    const settings = {
      model: 'custom/thinker',
      providers: { custom: { apiBase: `${server.url}/v1`, api: 'responses' as const } },
    };
    const call = { name: 'read_file', args: { path: 'a.txt' }, id: 'c1' };
    server.setScript([
      { thinking: 'I should read it.', toolCalls: [call] },
      { thinking: 'Now I know.', text: 'It says tea.' },
    ]);
    const lab = await appLab({ settings, files: { 'a.txt': 'tea' } });
    expect(await lab.say('What does a.txt say?')).toMatchObject({ status: 'done' });
    await lab.close();

    server.setScript([{ text: 'You are welcome.' }]);
    const later = await appLab({ settings, root: lab.root });
    expect(await later.say('Thank you')).toMatchObject({ status: 'done' });
    const inputs = server.requests.map(({ body }) => body['input'] as { type: string; encrypted_content?: string }[]);
    const sealed = inputs.map((items) => items.flatMap((item) => item.encrypted_content ?? []));
    expect(sealed).toEqual([[], ['sealed(I should read it.)'], ['sealed(I should read it.)', 'sealed(Now I know.)']]);
    expect(inputs[2]?.map((item) => item.type)).toEqual([
      ...['message', 'reasoning', 'function_call', 'function_call_output'],
      ...['reasoning', 'message', 'message'],
    ]);
    await later.close();
    // Nobody else is given it.
    server.setScript([{ text: 'Hi' }]);
    const other = await appLab({
      root: lab.root,
      settings: { ...settings, providers: { custom: { apiBase: `${server.url}/v1` } } },
    });
    await other.say('And you?');
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('sealed(');
  });
});
