import { expect, it } from 'vitest';
import { plainTitle } from '../../../src/agent/sessionTitles.js';
import type { AppLab } from '../../support/appLab.js';
import type { ModelRequestSeen, Reply } from '../../support/modelServer.js';
import { served } from '../../support/served.js';
import { until } from '../../support/until.js';

const asksForName = (request: ModelRequestSeen) =>
  JSON.stringify(request.body.messages).includes('You name conversations');
const TITLES = { settings: { sessionTitles: true } };

function answering(name: Reply | (() => Reply | Promise<Reply>), text = 'Sure.') {
  return (request: ModelRequestSeen): Reply | Promise<Reply> =>
    asksForName(request) ? (typeof name === 'function' ? name() : name) : { text };
}

const titleOf = async (lab: AppLab) => (await lab.app.loop.conversation(lab.session)).title();

it('the model names a chat after its first answer, once, in the background', async () => {
  const { lab, server } = await served(answering({ text: '**"Tea for <b>two</b>."**\n' }), TITLES);
  await lab.say('How do I brew tea for two people?');
  await until('the name', async () => (await titleOf(lab)) === 'Tea for <b>two</b>');
  await lab.say('And for three?');
  await lab.app.titles.settled(lab.session);
  const asked = server.requests.filter(asksForName);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.body.tools ?? []).toEqual([]);
  const words = JSON.stringify(asked[0]?.body.messages);
  expect(words).toContain('How do I brew tea for two people?');
  expect(words).toContain('Sure.');
  expect(await lab.app.listSessions('')).toMatchObject([{ title: 'Tea for <b>two</b>' }]);
  expect(lab.stored()).toHaveLength(4);
});

it('a name that a person gave stays, also while the model thinks of one', async () => {
  let named = () => undefined as void;
  const hold = new Promise<void>((resolve) => (named = resolve));
  const { lab, server } = await served(
    answering(async () => {
      await hold;
      return { text: 'Another name' };
    }),
    TITLES,
  );
  await lab.say('Hello there');
  await until('the question', () => server.requests.some(asksForName));
  await lab.app.renameSession(lab.session, 'Mine');
  named();
  await lab.app.titles.settled(lab.session);
  expect(await titleOf(lab)).toBe('Mine');
  await lab.say('More');
  await lab.app.titles.settled(lab.session);
  expect(server.requests.filter(asksForName)).toHaveLength(1);
});

it('a turn that begins ends the attempt, and the next end of one begins another', async () => {
  let asked = 0;
  const { lab, server } = await served(
    answering(() => (++asked === 1 ? { text: 'never whole', stall: 1 } : { text: 'Second try' })),
    TITLES,
  );
  await lab.say('One');
  await until('the first question', () => asked === 1);
  await lab.say('Two');
  await until('the name', async () => (await titleOf(lab)) === 'Second try');
  expect(server.aborted()).toBe(1);
});

it('a failure keeps the first words and says nothing', async () => {
  const { lab } = await served(answering({ status: 400, body: { error: { message: 'no' } } }), TITLES);
  await lab.say('Just these words');
  await lab.app.titles.settled(lab.session);
  expect(await titleOf(lab)).toBe('Just these words');
  expect(lab.events.filter(({ type }) => type === 'notice')).toEqual([]);
});

it('is not asked where it is switched off, nor of a failed turn', async () => {
  const off = await served(answering({ text: 'Name' }), { settings: { sessionTitles: false } });
  await off.lab.say('Hello');
  await off.lab.app.titles.settled(off.lab.session);
  expect(off.server.requests).toHaveLength(1);
  const failed = await served([{ status: 400, body: { error: { message: 'no' } } }], TITLES);
  await failed.lab.say('Hello');
  await failed.lab.app.titles.settled(failed.lab.session);
  expect(failed.server.requests).toHaveLength(1);
});

it('makes one plain line of whatever the model says', () => {
  expect(plainTitle('# Fix the build')).toBe('Fix the build');
  expect(plainTitle('\n\n- “Café opening hours”\nmore')).toBe('Café opening hours');
  expect(plainTitle('茶的泡法。')).toBe('茶的泡法');
  expect(plainTitle('a\u202eb\u0000c')).toBe('a b c');
  expect(plainTitle('  \n ')).toBe('');
  expect(plainTitle('word '.repeat(30))).toHaveLength(60);
});
