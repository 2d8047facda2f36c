import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/event.js';
import { textOf } from '../../../src/protocol/message.js';
import { resultTexts, served } from '../../support/served.js';
import {
  cardsOf,
  cardWhen,
  isSubagents,
  latch,
  scripts,
  spawnCall,
  taskOf,
  transcriptMessages,
} from '../../support/subagents.js';

type Ended = Extract<AgentEvent, { type: 'turn_end' }>;

describe('a subagent', () => {
  it('is started at once, works on its own, and its result begins a turn that the model reads as not the person’s', async () => {
    const hold = latch();
    const { lab, server } = await served(
      scripts(
        [
          { toolCalls: [spawnCall('Count the files.', { label: 'counter' })] },
          { text: 'It counts.' },
          { text: 'There are three.' },
        ],
        async () => {
          await hold.wait;
          return { text: 'Three **files**.' };
        },
      ),
    );
    await lab.say('count the files in the background');
    expect(textOf(lab.stored().at(-1)?.content)).toBe('It counts.');
    const [running] = await cardsOf(lab);
    expect(running).toMatchObject({
      label: 'counter',
      status: 'running',
      task: 'Count the files.',
      callId: 'call_0_0',
    });
    const second: Promise<Ended> = lab.event('turn_end');
    hold.open();
    expect((await second).status).toBe('done');
    const [card] = await cardsOf(lab);
    expect(card).toMatchObject({ status: 'done', steps: 1, result: 'Three **files**.' });
    expect(card?.endedAt).toBeGreaterThanOrEqual(card?.startedAt ?? 0);
    const told = lab.stored().findLast((message) => message.role === 'user');
    expect(told?.sender).toEqual({
      kind: 'subagent',
      id: card?.id,
      label: 'counter',
      task: 'Count the files.',
      status: 'done',
    });
    expect(textOf(told?.content)).toMatch(
      /^\[Subagent 'counter' finished\. Not a message of the person\.\]\nTask: Count/,
    );
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Three **files**.');
    const shown = (await lab.app.loop.conversation(lab.session)).state.messages.findLast(({ role }) => role === 'user');
    expect(shown).toMatchObject({ sender: { label: 'counter' }, parts: [{ text: 'Three **files**.' }] });
    expect(transcriptMessages(lab, card?.id ?? '').map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect((await lab.app.listSessions('')).map(({ key }) => key)).toEqual([lab.session]);
  });
});

void resultTexts;
void isSubagents;
void taskOf;
void cardWhen;
