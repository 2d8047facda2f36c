import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandItems } from '../../../src/agent/commands.js';
import type { Notice } from '../../../src/protocol/event.js';
import { appLab, type AppLab } from '../../support/appLab.js';
import { served } from '../../support/served.js';

/** Sends a command and resolves with what it answered; its words leave the composer without a trace in the chat. */
async function command(lab: AppLab, text: string): Promise<Notice> {
  const answered = lab.event('notice');
  const taken = lab.event('rejected');
  lab.publish(text);
  expect(await taken).toMatchObject({ text: '', reason: '' });
  await lab.app.loop.idle(lab.session);
  expect(lab.stored().some((message) => message.content === text)).toBe(false);
  return (await answered).notice;
}

describe('slash commands', () => {
  it('/help lists what there is', async () => {
    const { text } = await command(await appLab(), '/help');
    for (const { name, description } of commandItems()) expect(text).toContain(`/${name} – ${description}`);
  });

  it('unknown ones are answered with the nearest and never sent to the model', async () => {
    const { lab, server } = await served([]);
    expect(await command(lab, '/staus')).toMatchObject({
      level: 'warning',
      text: 'There is no command /staus. Did you mean /status?',
    });
    expect((await command(lab, '/xyzzyx')).text).toMatch(/Type \/help/);
    expect(server.requests).toHaveLength(0);
  });

  it('only a word behind a slash is one: paths and slashes in a text are messages', async () => {
    const { lab, server } = await served([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    for (const text of ['/etc/hosts is odd', 'what does /help do?', '/ alone'])
      expect((await lab.say(text)).status).toBe('done');
    expect(server.requests).toHaveLength(3);
  });

  it('/status tells model, context, session and home', async () => {
    const { lab } = await served([{ text: 'Hi.' }]);
    expect((await command(lab, '/status')).text).toMatch(
      /Context: nothing sent yet\n.*0 messages\nRunning: nothing\nHome: /,
    );
    await lab.say('hello');
    const { text } = await command(lab, '/status');
    expect(text).toMatch(
      /Model: .*openai\/test-model.*\nContext: \d+ of \d+ tokens\nSession: hello \(vscode:test\), 2 messages/,
    );
    expect(text).toContain(lab.home);
  });

  it('/model shows and switches, from the next message on; what is no model is refused', async () => {
    const { lab } = await served([]);
    expect(await command(lab, '/model')).toMatchObject({ text: 'Model: openai/test-model', next: ['switchModel'] });
    expect((await command(lab, '/model gpt')).text).toMatch(/"gpt" is not a model: write provider\/model/);
    await command(lab, '/model practice/practice');
    expect((await lab.say('what are you?')).status).toBe('done');
    expect((await lab.app.loop.conversation(lab.session)).state.model?.practice).toBe(true);
  });

  it('/history shows the newest summaries and takes a number', async () => {
    const lab = await appLab();
    expect((await command(lab, '/history')).text).toMatch(/no summaries yet/);
    mkdirSync(join(lab.home, 'memory'), { recursive: true });
    const line = (n: number) =>
      `{"cursor":${String(n)},"timestamp":"2026-04-03 00:0${String(n)}","content":"- fact ${String(n)}"}\n`;
    writeFileSync(join(lab.home, 'memory', 'history.jsonl'), line(1) + line(2) + line(3));
    expect((await command(lab, '/history 2')).text).toBe('2026-04-03 00:02  - fact 2\n2026-04-03 00:03  - fact 3');
    expect((await command(lab, '/history many')).text).toMatch(/1 to 50/);
  });

  it('/stop with nothing to stop says so', async () => {
    expect((await command(await appLab(), '/stop')).text).toBe('Nothing is running.');
  });

  it('/undo without changes says so', async () => {
    expect((await command(await appLab(), '/undo')).text).toMatch(/no turn with file changes/);
  });

  it('/new opens a new key in the chat view, and on the command line leaves the former messages behind', async () => {
    const { lab, server } = await served([{ text: 'One.' }, { text: 'Two.' }]);
    const switched = lab.event('switch_session');
    lab.publish('/new');
    expect((await switched).key).toMatch(/^vscode:/);
    await lab.say('an old question');
    const notice = lab.event('notice');
    lab.app.bus.publish({
      id: 'c',
      channel: 'cli',
      sessionKey: lab.session,
      text: '/new',
      attachments: [],
      watched: true,
    });
    expect((await notice).notice.text).toBe('A new conversation begins.');
    await lab.say('a new question');
    const last = server.requests.at(-1)?.body.messages.filter((message) => message.role !== 'system');
    expect(last).toHaveLength(1);
    expect(lab.stored()).toHaveLength(4);
  });
});
