import { describe, expect, it } from 'vitest';
import type { McpShell } from '../../../src/mcp/ports.js';
import type { ApprovalRequest } from '../../../src/protocol/event.js';
import { saying } from '../../support/saying.js';
import { resultTexts, served } from '../../support/served.js';

/** An editor with tools of other extensions. */
function editorWith(names: string[], call: McpShell['editorTools']['call']) {
  const list = names.map((name) => ({ name, description: `Does ${name}.`, inputSchema: { type: 'object' } }));
  const browser = { open: () => Promise.resolve(), listen: () => Promise.reject(new Error('no browser')) };
  return { list, mcpShell: { browser, editorTools: { list: () => list, call } } };
}

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, args }] });

describe('tools of other extensions', () => {
  it('are offered where a person chose them, asked before each use, and what they say is text from outside', async () => {
    const asked: ApprovalRequest[] = [];
    const calls: unknown[] = [];
    const { mcpShell } = editorWith(['acme.look', 'acme_other', 'nanobot_recall'], (name, args) => {
      calls.push([name, args]);
      return Promise.resolve(text('a pear'));
    });
    const { lab, server } = await served([call('lm_acme_look', { at: 'tree' }), { text: 'Seen.' }], {
      settings: { languageModelTools: ['acme.look', 'nanobot_recall'] },
      ports: { mcpShell },
      approve: (approval) => (asked.push(approval), { kind: 'allow' }),
    });
    await lab.say('look');
    const offered = JSON.stringify(server.requests[0]?.body.tools);
    expect(offered).toContain('"lm_acme_look"');
    expect(offered).not.toMatch(/lm_acme_other|lm_nanobot/);
    expect(asked).toMatchObject([
      { title: 'Use a tool of another extension', detail: 'acme.look {"at":"tree"}', tool: 'lm_acme_look' },
    ]);
    expect(calls).toEqual([['acme.look', { at: 'tree' }]]);
    expect(lab.stored().find(({ role }) => role === 'tool')).toMatchObject({ content: 'a pear', untrusted: true });
  });

  it('are not offered by themselves, and one that is denied is not called', async () => {
    const { mcpShell } = editorWith(['acme_look'], () => Promise.reject(new Error('called')));
    const none = await served([{ text: 'Hi.' }], { ports: { mcpShell } });
    await none.lab.say('hello');
    expect(JSON.stringify(none.server.requests[0]?.body.tools)).not.toContain('lm_');
    const { lab, server } = await served([call('lm_acme_look'), { text: 'No.' }], {
      settings: { languageModelTools: ['acme_look'] },
      ports: { mcpShell },
      approve: () => ({ kind: 'deny' }),
    });
    await lab.say('look');
    expect(resultTexts(server.requests[1]?.body as never)).toEqual([saying('denied')]);
  });

  it('have names that providers take, each its own', async () => {
    const long = 'x'.repeat(80);
    const names = ['a.b', 'a_b', `${long}1`, `${long}2`];
    const { mcpShell } = editorWith(names, () => Promise.resolve(text('')));
    const { lab, server } = await served([{ text: 'Hi.' }], {
      settings: { languageModelTools: names },
      ports: { mcpShell },
    });
    await lab.say('hello');
    const offered = (server.requests[0]?.body.tools as { function: { name: string } }[]).map(
      (tool) => tool.function.name,
    );
    const theirs = offered.filter((name) => name.startsWith('lm_'));
    expect(theirs).toHaveLength(4);
    expect(new Set(theirs).size).toBe(4);
    expect(theirs.filter((name) => name.length > 64 || /[^\w-]/.test(name))).toEqual([]);
  });

  it('that are missing, ours, or fail are said in words', async () => {
    const { mcpShell, list } = editorWith(['acme_look', 'acme_odd'], (name) =>
      name === 'acme_odd' ? Promise.resolve(7) : Promise.reject(new Error('The extension crashed.')),
    );
    const warnings: string[] = [];
    const log = {
      debug: () => {},
      info: () => {},
      warn: (words: string) => void warnings.push(words),
      error: () => {},
    };
    const { lab, server } = await served(
      [call('lm_acme_look'), call('lm_acme_odd'), { text: 'Failed.' }, call('lm_acme_look'), { text: 'Gone.' }],
      {
        settings: { languageModelTools: ['acme_look', 'acme_odd', 'gone', 'nanobot_recall'] },
        ports: { mcpShell, log },
      },
    );
    await lab.say('look');
    const [failed, odd] = resultTexts(server.requests[2]?.body as never);
    expect(failed).toContain('The tool acme_look failed: The extension crashed.');
    expect(odd).toBe('(tool completed with no output)');
    list.length = 0;
    await lab.say('again');
    expect(resultTexts(server.requests.at(-1)?.body as never).at(-1)).toContain('acme_look is no longer there');
    const told = (words: string[]) => words.filter((line) => line.startsWith('nanobot.languageModelTools'));
    expect(told(warnings)).toContainEqual(saying('There is no tool "gone"'));
    expect(told(warnings)).toContainEqual(saying('"nanobot_recall" is Nanobot\'s own'));
    expect(new Set(told(warnings)).size).toBe(told(warnings).length);
    const found = (await lab.app.diagnose()).filter(({ detail }) => detail.includes('languageModelTools'));
    expect(found).toContainEqual({ what: 'Settings', ok: false, detail: saying('"gone"') });
  });

  it('stop with the turn', async () => {
    let began = () => undefined as void;
    const called = new Promise<void>((resolve) => (began = resolve));
    const { mcpShell } = editorWith(['acme_look'], (_name, _args, signal) => {
      began();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('Canceled')), { once: true }),
      );
    });
    const { lab } = await served([call('lm_acme_look')], {
      settings: { languageModelTools: ['acme_look'] },
      ports: { mcpShell },
    });
    const said = lab.say('look');
    await called;
    lab.app.loop.stop(lab.session);
    expect((await said).status).toBe('aborted');
  });
});
