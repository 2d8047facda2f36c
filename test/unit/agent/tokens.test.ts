import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateMessage, isCounted } from '../../../src/memory/tokens.js';
import type { Workers } from '../../../src/platform/ports.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import type { AppLab } from '../../support/appLab.js';
import { served } from '../../support/served.js';
import { testWorkers } from '../../support/workers.js';
import { until } from '../../support/until.js';

const MODEL = 'openai/test-model';

/** The newest state of the context meter. */
function meter(lab: AppLab) {
  const shown = lab.events.findLast((event) => event.type === 'context');
  if (!shown) throw new Error('The context meter was not shown.');
  return shown.usage;
}

function ratios(lab: AppLab): Record<string, number> {
  return JSON.parse(readFileSync(join(lab.home, '.nanobot', 'tokenRatios.json'), 'utf8')) as Record<string, number>;
}

async function messagesOf(lab: AppLab): Promise<StoredMessage[]> {
  return (await lab.app.loop.conversation(lab.session)).session.forModel();
}

/** Real workers, and the texts handed to them. */
async function watchedWorkers(): Promise<{ workers: Workers; texts: string[] }> {
  const real = await testWorkers();
  const texts: string[] = [];
  const start: Workers['start'] = (name, data) => {
    const worker = real.start(name, data);
    return {
      call: (method, ...args) => {
        texts.push(...(args[0] as string[]));
        return worker.call(method, ...args);
      },
      end: () => worker.end(),
    };
  };
  return { workers: { start }, texts };
}

describe('what a model reports', () => {
  it('corrects the estimates for that model, in this process and the next', async () => {
    const { lab, server } = await served([{ text: 'One.', usage: null }], { wire: 'openai' });
    await lab.say('hello');
    const estimated = meter(lab).used;
    server.setScript([{ text: 'Two.', usage: { input: estimated * 2, output: 10 } }]);
    await lab.say('hello');
    expect(meter(lab).used).toBe(estimated * 2 + 10);
    server.setScript([{ text: 'Three.', usage: null }]);
    await lab.say('hello');
    expect(meter(lab).used).toBeGreaterThan(estimated * 1.8);
    await lab.close();
    expect(ratios(lab)[MODEL]).toBeGreaterThan(1.8);

    const next = await served([{ text: 'Four.', usage: null }], { wire: 'openai', root: lab.root });
    await next.lab.say('hello');
    expect(meter(next.lab).used).toBeGreaterThan(estimated * 1.8);
  });

  it('changes how much of a long conversation is sent', async () => {
    const sent = async (ratio: number): Promise<number> => {
      const { lab, server } = await served([], { wire: 'openai', settings: { contextWindowTokens: 40_000 } });
      mkdirSync(join(lab.home, '.nanobot'), { recursive: true });
      writeFileSync(join(lab.home, '.nanobot', 'tokenRatios.json'), JSON.stringify({ [MODEL]: ratio }));
      server.setScript(() => ({ text: 'Words. '.repeat(300), usage: null }));
      for (let n = 0; n < 12; n++) await lab.say(`${String(n)} ${'some words of a question '.repeat(150)}`);
      return server.requests.at(-1)?.body.messages.length ?? 0;
    };
    const [all, half] = [await sent(1), await sent(3)];
    expect(all).toBeGreaterThanOrEqual(24);
    expect(half).toBeLessThan(all / 2);
  });

  it('counts for the model that answered, where another stood in for it', async () => {
    const { lab } = await served(
      (_, n) => (n === 0 ? { status: 401, body: '{}' } : { text: 'Here.', usage: { input: 9_000, output: 5 } }),
      {
        wire: 'openai',
        settings: { fallbackModels: ['openai/other-model'] },
      },
    );
    await lab.say('hello');
    await lab.close();
    expect(Object.keys(ratios(lab))).toEqual(['openai/other-model']);
  });

  it('is not learned from what is itself an estimate', async () => {
    const { lab } = await served([], { settings: { model: 'practice/practice' } });
    await lab.say('hello');
    await lab.close();
    expect(() => ratios(lab)).toThrow(/ENOENT/);
  });
});

describe('counting a conversation', () => {
  it('does not begin while it is far from its window', async () => {
    const { workers, texts } = await watchedWorkers();
    const { lab } = await served([{ text: 'Hello.' }, { text: 'Hello.' }], { wire: 'openai', ports: { workers } });
    await lab.say('hello');
    await lab.say('hello again');
    expect(texts).toEqual([]);
    expect((await messagesOf(lab)).some(isCounted)).toBe(false);
  });

  it('happens after the turn in which it grew, each message once', async () => {
    const { workers, texts } = await watchedWorkers();
    const long = 'words of a question '.repeat(4_000);
    const { lab } = await served(
      [
        { text: 'First.', usage: null },
        { text: 'Second.', usage: null },
      ],
      { wire: 'openai', ports: { workers } },
    );
    await lab.say(long);
    await until('the first turn counted', async () => (await messagesOf(lab)).every(isCounted));
    await lab.say('and now?');
    await until('the second turn counted', async () => (await messagesOf(lab)).every(isCounted));
    const messages = await messagesOf(lab);
    expect(messages).toHaveLength(4);
    for (const text of ['First.', 'Second.', 'and now?']) expect(texts.filter((seen) => seen === text)).toHaveLength(1);
    // Four words a time, each a token; the runtime context rides along.
    expect(estimateMessage(messages[0] as StoredMessage)).toBeGreaterThan(16_000);
    expect(estimateMessage(messages[0] as StoredMessage)).toBeLessThan(16_500);
  });

  it('is waited for by no turn', async () => {
    const workers: Workers = {
      start: () => ({ call: () => new Promise(() => undefined), end: () => Promise.resolve() }),
    };
    const { lab } = await served(
      [
        { text: 'First.', usage: null },
        { text: 'Second.', usage: null },
      ],
      { wire: 'openai', ports: { workers } },
    );
    await lab.say('words of a question '.repeat(4_000));
    expect((await lab.say('and now?')).status).toBe('done');
  });
});
