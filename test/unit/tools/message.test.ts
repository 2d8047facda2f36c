import { describe, expect, it } from 'vitest';
import { messageTool } from '../../../src/tools/message.js';
import { served, toolEnds } from '../../support/served.js';

const call = (args: object) => ({ toolCalls: [{ name: 'message', args }] });

describe('message', () => {
  it('notifies the person without asking and without waiting for them', async () => {
    const shown: string[] = [];
    const { lab } = await served([call({ content: 'The tests are green.' }), { text: 'Told you.' }], {
      approve: () => ({ kind: 'deny' }),
      ports: {
        ui: {
          notify: (level, text) => (shown.push(`${level} ${text}`), new Promise(() => undefined)),
          mirror: () => undefined,
        },
      },
    });
    expect((await lab.say('tell me when they are')).status).toBe('done');
    expect(shown).toEqual(['info Nanobot: The tests are green.']);
    expect(toolEnds(lab)[0]).toMatchObject({ status: 'ok', output: 'The person was notified.' });
  });

  it('makes no links, whose words could lie', async () => {
    const shown: string[] = [];
    const silent = () => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const tool = messageTool({ ui: { notify: async (_, text) => void shown.push(text) }, log });
    await tool.run({ content: 'See [your bank](http://evil.test)' }, {} as never);
    expect(shown).toEqual(['Nanobot: See [your bank] (http://evil.test)']);
  });

  it('takes no channel that nobody reads, nothing empty and no essay', async () => {
    const { lab } = await served([call({ content: 'Hi', channel: 'telegram' }), { text: 'No.' }]);
    await lab.say('write me on Telegram');
    expect(toolEnds(lab)[0]?.status).toBe('error');
    expect(toolEnds(lab)[0]?.output).toContain('channel');
    const { schema } = messageTool({ ui: { notify: () => Promise.resolve(undefined) }, log: lab.app.log });
    for (const content of [' ', 'x'.repeat(1_001)]) expect(schema.safeParse({ content }).success).toBe(false);
  });
});
