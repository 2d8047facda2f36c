import { expect, it } from 'vitest';
import type { InboundMessage } from '../../../src/bus/bus.js';
import { served } from '../../support/served.js';

function scheduled(sessionKey: string, text: string): InboundMessage {
  return { id: 'job', channel: 'cron', sessionKey, text, attachments: [], watched: false, scheduled: true };
}

it('a message that nobody typed runs no command: it is for the model, whatever it looks like', async () => {
  const { lab, server } = await served([{ text: 'I see.' }]);
  const end = lab.event('turn_end');
  lab.app.bus.publish(scheduled(lab.session, '/model other/model'));
  expect((await end).status).toBe('done');
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('/model other/model');
  expect(lab.app.settings().model).toBe('openai/test-model');
});

it('a message that nobody typed joins no turn of a person: it is given back with the reason, and nothing waits', async () => {
  const { lab, server } = await served([{ text: 'A long answer that goes on', stall: 2 }]);
  const text = lab.event('text');
  lab.publish('hello');
  await text;
  const back = lab.event('rejected', ({ id }) => id === 'job');
  lab.app.bus.publish(scheduled(lab.session, 'look at the mail'));
  expect((await back).reason).toContain('Somebody was at work');
  expect((await lab.app.loop.conversation(lab.session)).state.queue).toEqual([]);
  const end = lab.event('turn_end');
  lab.app.loop.stop(lab.session);
  await end;
  await lab.app.loop.idle(lab.session);
  expect(server.requests).toHaveLength(1);
});
