import { describe, expect, it } from 'vitest';
import { readPrompts, promptText } from '../../../src/mcp/prompts.js';
import type { McpShell } from '../../../src/mcp/ports.js';
import type { ApprovalRequest } from '../../../src/protocol/event.js';
import type { Script } from '../../support/modelServer.js';
import { oddServer, referenceServer } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { served } from '../../support/served.js';
import { until } from '../../support/until.js';

const SERVERS = { 'every thing': referenceServer('everything'), plain: oddServer('plain') };

/** A chat with the protocol's reference server ready, and a person who gives arguments by script. */
async function chatWith(
  script: Script,
  answers: (string | undefined)[] | undefined,
  approvals: ApprovalRequest[] = [],
) {
  const wanted: string[] = [];
  const shell: McpShell = {
    browser: { open: () => Promise.resolve(), listen: () => Promise.reject(new Error('no browser')) },
    editorTools: { list: () => [], call: () => Promise.reject(new Error('no tools')) },
  };
  const inputs: McpShell['inputs'] = {
    ask: () => Promise.resolve(undefined),
    argument: (prompt, { name }) => Promise.resolve((wanted.push(`${prompt} ${name}`), answers?.shift())),
  };
  const { lab, server } = await served(script, {
    settings: { mcpServers: SERVERS },
    ports: { mcpShell: answers ? { ...shell, inputs } : shell },
    approve: (approval) => (approvals.push(approval), { kind: 'deny' }),
  });
  await lab.app.mcp.prepare({ watched: false, signal: new AbortController().signal });
  await until('the prompts', () => lab.app.serverPrompts.items().length > 0);
  return { lab, server, wanted };
}

describe("a server's prompts", () => {
  it('are offered as commands with their arguments', async () => {
    const { lab } = await chatWith([], []);
    const items = lab.app.serverPrompts.items();
    expect(items.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mcp.every_thing.simple-prompt', 'mcp.every_thing.args-prompt']),
    );
    expect(items.find(({ name }) => name.endsWith('args-prompt'))?.description).toMatch(/city state\?$/);
  });

  it('go with the person’s words as text from outside, after which what sends out is asked again', async () => {
    const approvals: ApprovalRequest[] = [];
    const { lab, server, wanted } = await chatWith(
      [{ toolCalls: [{ name: 'remember', args: { text: 'It is warm.' } }] }, { text: 'Warm.' }],
      [],
      approvals,
    );
    await lab.say('/mcp.every_thing.args-prompt Berlin');
    const [stored] = lab.stored();
    expect(stored).toMatchObject({ content: '/mcp.every_thing.args-prompt Berlin', untrusted: true });
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    expect(sent).toContain('[Prompt args-prompt of the MCP server every thing: the person asked for it');
    expect(sent).toMatch(/weather in Berlin/i);
    expect(wanted).toEqual([]);
    // A note is free unless text from outside could have asked for it.
    expect(approvals).toMatchObject([{ tool: 'remember', reasons: [saying('text from outside')] }]);
    server.setScript([{ toolCalls: [{ name: 'remember', args: { text: 'Mine.' } }] }, { text: 'Noted.' }]);
    await lab.say('remember: mine');
    expect(approvals).toHaveLength(1);
  });

  it('ask for what they need and was not written, and give the words back where it is not given', async () => {
    const { lab, server, wanted } = await chatWith([{ text: 'Rainy.' }], ['Rome', undefined]);
    await lab.say('/mcp.every_thing.args-prompt');
    expect(wanted).toEqual(['/mcp.every_thing.args-prompt city']);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toMatch(/weather in Rome/i);
    const text = '/mcp.every_thing.args-prompt';
    const given = lab.event('rejected');
    lab.publish(text, 'again');
    expect(await given).toMatchObject({ id: 'again', text, reason: 'It was not sent.' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['/mcp.every_thing.args-promt x', 'Did you mean /mcp.every_thing.args-prompt'],
    ['/mcp.nothing.like.it', 'Type /mcp. for those there are'],
    ['/mcp.every_thing.args-prompt', 'needs city'],
  ])('that cannot be had are said, and nothing is sent: %s', async (text, words) => {
    const { lab, server } = await chatWith([], undefined);
    const given = lab.event('rejected');
    lab.publish(text, 'mine');
    expect(await given).toMatchObject({ id: 'mine', text, reason: saying(words) });
    expect(server.requests).toEqual([]);
    expect(lab.stored()).toEqual([]);
  });

  it('are called for by Edit and resend as well, which sends no word of a command to the model', async () => {
    const { lab, server } = await chatWith([{ text: 'One.' }, { text: 'Warm.' }], []);
    const resend = (from: string, id: string, text: string) =>
      lab.app.loop.resend(lab.session, from, {
        ...{ id, channel: 'vscode', sessionKey: lab.session, text, attachments: [], watched: true },
      });
    await lab.say('hello', 'first');
    const end = lab.event('turn_end');
    await resend('first', 'second', '/mcp.every_thing.args-prompt Berlin');
    expect((await end).status).toBe('done');
    expect(JSON.stringify(server.requests[1]?.body.messages)).toMatch(/weather in Berlin/i);
    await lab.app.loop.idle(lab.session);
    const answered = lab.event('rejected');
    await resend('second', 'third', '/nosuch');
    expect(await answered).toMatchObject({ id: 'third', reason: '' });
    const { state } = await lab.app.loop.conversation(lab.session);
    expect(state.messages).toEqual([]);
    expect(state.notices.map(({ text }) => text)).toContainEqual(saying('There is no command /nosuch'));
    expect(server.requests).toHaveLength(2);
  });

  it('are read whatever a server says of them', () => {
    const odd = {
      prompts: [{ name: 'a b', arguments: 'x' }, { name: 'a_b' }, {}, 7, { name: 'c', arguments: [{ name: 'd' }] }],
    };
    expect(readPrompts('s/1', odd).map(({ command, args }) => [command, args.length])).toEqual([
      ['mcp.s_1.a_b', 0],
      ['mcp.s_1.c', 1],
    ]);
    expect(readPrompts('s', { prompts: 'none' })).toEqual([]);
    const said = [
      { role: 'user', content: { type: 'text', text: 'Do it.' } },
      { role: 'assistant', content: [{ type: 'text', text: 'How?' }] },
      { role: 'user', content: { type: 'image', data: 'iVBORw0KGgo', mimeType: 'image/png' } },
      { role: 'user' },
    ];
    expect(promptText({ messages: said })).toMatch(/^Do it\.\n\nAssistant: How\?\n\n\[an image, left out\]/);
    expect(promptText({})).toBe('');
  });
});
