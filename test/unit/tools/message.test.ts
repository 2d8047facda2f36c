import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Ui } from '../../../src/platform/ports.js';
import { served, toolEnds } from '../../support/served.js';
import { until } from '../../support/until.js';

const call = (args: object) => ({ toolCalls: [{ name: 'message', args }] });

/** A Ui that notes what it shows and answers with a button. */
function noting(chosen?: string) {
  const shown: string[] = [];
  const opened: object[] = [];
  const ui: Ui = {
    channel: 'vscode',
    notify: async (level, text, actions = []) => (shown.push([level, text, ...actions].join(' | ')), chosen),
    open: async (target) => void opened.push(target),
    mirror: () => undefined,
  };
  return { shown, opened, ui };
}

describe('message', () => {
  it('notifies the person without asking and without waiting for them', async () => {
    const { shown, ui } = noting();
    const never: Ui = { ...ui, notify: (...given) => (void ui.notify(...given), new Promise(() => undefined)) };
    const { lab } = await served([call({ content: 'The tests are green.' }), { text: 'Told you.' }], {
      approve: () => ({ kind: 'deny' }),
      ports: { ui: never },
    });
    expect((await lab.say('tell me when they are')).status).toBe('done');
    expect(shown).toEqual(['info | Nanobot: The tests are green. | Open chat']);
    expect(toolEnds(lab)[0]).toMatchObject({ status: 'ok', output: 'The person was notified.' });
  });

  it('opens the chat it came from, or the one it names', async () => {
    const { opened, ui } = noting('Open chat');
    const script = [call({ content: 'Done.' }), call({ content: 'See there.', chat_id: 'a1' }), { text: 'Told you.' }];
    const { lab } = await served(script, { ports: { ui } });
    await lab.say('tell me');
    await until('both to be opened', () => opened.length === 2);
    expect(opened).toEqual([{ chat: lab.session }, { chat: 'vscode:a1' }]);
  });

  it('offers the files it names; one that is not there is an error', async () => {
    const { shown, opened, ui } = noting('Open report.md');
    const script = [
      call({ content: 'Here it is.', media: ['report.md'] }),
      call({ content: 'And this.', media: ['gone.md'] }),
      { text: 'Told you.' },
    ];
    const { lab } = await served(script, { ports: { ui } });
    writeFileSync(join(lab.project, 'report.md'), '# Report\n');
    await lab.say('write a report');
    expect(shown).toEqual(['info | Nanobot: Here it is. | Open report.md | Open chat']);
    expect(opened).toEqual([{ file: join(lab.project, 'report.md') }]);
    expect(toolEnds(lab)[1]).toMatchObject({ status: 'error' });
    expect(toolEnds(lab)[1]?.output).toContain('gone.md');
  });

  it('makes no links, whose words could lie', async () => {
    const { shown, ui } = noting();
    const { lab } = await served([call({ content: 'See [your bank](http://evil.test)' }), { text: 'Told.' }], {
      ports: { ui },
    });
    await lab.say('tell me');
    expect(shown[0]).toContain('See [your bank] (http://evil.test)');
  });

  it.each([
    [{ content: 'Hi', channel: 'telegram' }, 'only "cli"'],
    [{ content: 'Hi', to: 'me' }, 'to'],
    [{ content: ' ' }, 'content'],
    [{ content: 'x'.repeat(1_001) }, 'content'],
    [{ content: 'Hi', media: ['a', 'b', 'c', 'd'] }, 'media'],
  ])('refuses what it cannot do: %.60j', async (args, words) => {
    const { lab } = await served([call(args), { text: 'No.' }]);
    await lab.say('write me');
    expect(toolEnds(lab)[0]?.status).toBe('error');
    expect(toolEnds(lab)[0]?.output).toContain(words);
  });
});
