import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TokenCounter } from '../../../src/memory/tokenCounter.js';
import { estimateMessage, isCounted, shareTokens } from '../../../src/memory/tokens.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeWorkers } from '../../../src/platform/nodeWorkers.js';
import type { Log, Workers } from '../../../src/platform/ports.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { tempHome } from '../../support/tempHome.js';
import { testWorkers, workersFolder } from '../../support/workers.js';
import { manualClock } from '../providers/manualClock.js';

const TIME = '2026-04-01T10:00:00.000Z';
/** Role and separators of one message. */
const EACH = 6;

function user(content: StoredMessage['content'], more: Partial<StoredMessage> = {}): StoredMessage {
  return { role: 'user', content, timestamp: TIME, ...more };
}

interface Handed {
  texts: string[];
}

/** A counter over the real worker, with what was handed to it and how often it was ended. */
async function counter(workers?: Workers) {
  const { home } = await tempHome();
  const handed: Handed[] = [];
  const lines: string[] = [];
  let ends = 0;
  const real = workers ?? (await testWorkers());
  const watched: Workers = {
    start: (name, data) => {
      const worker = real.start(name, data);
      return {
        call: (method, ...args) => {
          handed.push({ texts: args[0] as string[] });
          return worker.call(method, ...args);
        },
        end: () => {
          ends += 1;
          return worker.end();
        },
      };
    },
  };
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (text) => void lines.push(text),
    error: (text) => void lines.push(text),
  };
  const clock = manualClock();
  const tokens = new TokenCounter({ workers: watched, files: nodeFiles(), clock, log, home });
  onTestFinished(() => tokens.close());
  return { tokens, clock, handed, lines, ends: () => ends };
}

/** Workers from a script of the test's own in place of the tokenizer. */
async function scripted(script: string): Promise<Workers> {
  const folder = await mkdtemp(join(tmpdir(), 'nanobot-workers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'tokensWorker.js'), `import { parentPort } from 'node:worker_threads';\n${script}`);
  return nodeWorkers(folder);
}

describe('counting', () => {
  it('replaces the estimate by the tokenizer’s number, with words, calls, images and what rides along', async () => {
    const { tokens } = await counter();
    const words = user('The quick brown fox jumps over the lazy dog.');
    const context = user('Hello world', { runtime_context: 'Hello world' });
    const image = user([
      { type: 'text', text: 'Hello world' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    ]);
    const calls: StoredMessage = {
      role: 'assistant',
      content: null,
      timestamp: TIME,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'Hello', arguments: ' world' } }],
    };
    const result: StoredMessage = { role: 'tool', tool_call_id: 'c1', content: 'Hello world', timestamp: TIME };
    const blank = user('');
    await tokens.count([words, context, image, calls, result, blank]);
    expect([words, context, image, calls, result, blank].map(estimateMessage)).toEqual([
      10 + EACH,
      4 + EACH,
      2 + 1_600 + EACH,
      2 + 2 * EACH,
      2 + EACH,
      EACH,
    ]);
  });

  it('counts a message once, however often and under which object it is asked for', async () => {
    const { tokens, handed } = await counter();
    const first = user('one');
    const stored = { ...first, id: 'm1' };
    shareTokens(first, stored);
    await Promise.all([tokens.count([first]), tokens.count([first, user('two')]), tokens.count([stored])]);
    await tokens.count([stored]);
    expect(handed.map(({ texts }) => texts)).toEqual([['one'], ['two']]);
    expect(isCounted(stored)).toBe(true);
  });

  it('estimates in proportion to the length until then, and does not wait', async () => {
    const { tokens } = await counter();
    const message = user('x '.repeat(18_000));
    const counting = tokens.count([message]);
    expect(estimateMessage(message)).toBe(10_000 + EACH);
    await counting;
    expect(estimateMessage(message)).toBeGreaterThan(17_000);
  });

  it('hands 10,000 messages over in small pieces, and long ones in parts', async () => {
    const { tokens, handed } = await counter();
    const messages = Array.from({ length: 10_000 }, (_, n) =>
      user(`${String(n)}: ${'words of a conversation about a project and its tests '.repeat(n % 20)}`),
    );
    messages.push(user('a long line of output\n'.repeat(20_000)));
    await tokens.count([...messages, ...Array.from({ length: 2_000 }, (_, n) => user(String(n)))]);
    expect(messages.every(isCounted)).toBe(true);
    const sizes = handed.map(({ texts }) => texts.reduce((sum, text) => sum + text.length, 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128_000);
    expect(Math.max(...handed.map(({ texts }) => texts.length))).toBeLessThanOrEqual(500);
    // Cutting a text costs a token or two a cut.
    const long = estimateMessage(messages[10_000] ?? user(''));
    expect(long).toBeGreaterThanOrEqual(20_000 * 6 + EACH);
    expect(long).toBeLessThan(20_000 * 6 + EACH + 20);
  });

  it('takes messages of other programs as they are', async () => {
    const { tokens, lines } = await counter();
    const odd = [
      user([{ type: 'input_audio' }] as never),
      user({ nested: true } as never),
      user('fine', { tool_calls: [null, {}, { function: { name: 7 } }] as never }),
      user('fine', { tool_calls: 'none' as never, runtime_context: 5 as never }),
    ];
    await tokens.count(odd);
    expect(odd.map(estimateMessage)).toEqual([EACH, EACH, 1 + EACH, 1 + EACH]);
    expect(lines).toEqual([]);
  });
});

describe('the worker', () => {
  it('is not started before something is to be counted, and ends after 60 idle seconds', async () => {
    const { tokens, clock, handed, ends } = await counter();
    expect(handed).toEqual([]);
    await tokens.count([user('one')]);
    await clock.advance(59_000);
    await tokens.count([user('two')]);
    await clock.advance(59_999);
    expect(ends()).toBe(0);
    await clock.advance(1);
    expect(ends()).toBe(1);
    const later = user('three');
    await tokens.count([later]);
    expect(isCounted(later)).toBe(true);
  });

  it('that crashes leaves the estimates and one line in the log, and is not tried for ever', async () => {
    const crashing = await scripted(`parentPort.on('message', () => { throw new Error('out of memory'); });`);
    const { tokens, handed, lines } = await counter(crashing);
    const messages = Array.from({ length: 6 }, () => user('words '.repeat(600)));
    const before = messages.map(estimateMessage);
    for (const message of messages) await tokens.count([message]);
    expect(messages.map(estimateMessage)).toEqual(before);
    expect(messages.some(isCounted)).toBe(false);
    expect(lines).toEqual([expect.stringMatching(/could not be counted, so they are estimated: .*out of memory/)]);
    expect(handed).toHaveLength(3);
  });

  it('that crashes once counts the next messages', async () => {
    const marker = join((await tempHome()).root, 'crashed');
    const script = `
      import { existsSync, writeFileSync } from 'node:fs';
      parentPort.on('message', ({ id, args: [texts] }) => {
        if (existsSync(${JSON.stringify(marker)})) return parentPort.postMessage({ id, result: texts.map(() => 1) });
        writeFileSync(${JSON.stringify(marker)}, '');
        process.exit(3);
      });`;
    const { tokens, lines } = await counter(await scripted(script));
    const [first, second] = [user('first'), user('second')];
    await tokens.count([first]);
    expect(isCounted(first)).toBe(false);
    await tokens.count([first, second]);
    expect([first, second].every(isCounted)).toBe(true);
    expect(lines).toHaveLength(1);
  });

  it('that is missing leaves the estimates', async () => {
    const { tokens, lines } = await counter(nodeWorkers(join(workersFolder(), 'nowhere')));
    await tokens.count([user('one')]);
    expect(lines).toEqual([expect.stringContaining('nowhere')]);
  });

  it('ends with the counter, and what was being counted stays an estimate without a word', async () => {
    const { tokens, handed, lines, ends } = await counter(await scripted(`parentPort.on('message', () => undefined);`));
    const message = user('never counted');
    const counting = tokens.count([message]);
    await expect.poll(() => handed.length).toBe(1);
    await tokens.close();
    await counting;
    await tokens.count([message]);
    expect([isCounted(message), handed.length, lines, ends()]).toEqual([false, 1, [], 1]);
  });
});
