import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { nodeWorkers } from '../../../src/platform/nodeWorkers.js';
import { serveWorker } from '../../../src/platform/workerServer.js';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nanobot-workers-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: {
      tokensWorker: join(import.meta.dirname, 'echo.worker.ts'),
      nodeWorkers: join(import.meta.dirname, '../../../src/platform/nodeWorkers.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function worker(data?: unknown) {
  const made = nodeWorkers(folder).start('tokens', data);
  onTestFinished(() => made.end());
  return made;
}

describe('a worker', () => {
  it('answers from a thread of its own, each call with its own answer', async () => {
    const echo = worker();
    expect(await echo.call('thread')).not.toBe(threadId);
    expect(await Promise.all([echo.call('later', 1), echo.call('echo', [2, { a: 'b' }]), echo.call('echo')])).toEqual([
      1,
      [2, { a: 'b' }],
      undefined,
    ]);
  });

  it('fails a call whose method throws, is missing or gives what cannot be copied, and goes on', async () => {
    const echo = worker();
    const thread = await echo.call('thread');
    await expect(echo.call('fail')).rejects.toThrow('this one failed');
    await expect(echo.call('toString')).rejects.toThrow('no method "toString"');
    await expect(echo.call('uncopied')).rejects.toThrow(/could not be cloned/);
    expect(await echo.call('thread')).toBe(thread);
  });

  it('rejects a call that cannot be handed over, and goes on', async () => {
    const echo = worker();
    await expect(echo.call('echo', () => 1)).rejects.toThrow(/could not be cloned/);
    expect(await echo.call('echo', 1)).toBe(1);
  });

  it.each([
    ['crashes', 'crash', /out of order/],
    ['ends itself', 'leave', /code 7/],
  ])(
    'that %s rejects the calls under way with the reason, and the next call starts another',
    async (_what, method, reason) => {
      const echo = worker('given at each start');
      const thread = await echo.call('thread');
      const waiting = echo.call('never');
      const fatal = echo.call(method);
      await expect(fatal).rejects.toThrow(reason);
      await expect(waiting).rejects.toThrow(reason);
      expect(await echo.call('thread')).not.toBe(thread);
      expect(await echo.call('data')).toBe('given at each start');
    },
  );

  it('that is ended rejects the calls under way, and the next call starts another', async () => {
    const echo = worker();
    const waiting = echo.call('never');
    const ended = echo.end();
    await expect(waiting).rejects.toThrow(/tokensWorker\.js gave no answer: it was ended/);
    await ended;
    expect(await echo.call('echo', 1)).toBe(1);
  });

  it('without a script rejects with the path', async () => {
    const missing = nodeWorkers(folder).start('recall');
    await expect(missing.call('echo')).rejects.toThrow(join(folder, 'recallWorker.js'));
  });

  it('keeps the process alive while a call is under way, and not afterwards', async () => {
    const script = `
      import { nodeWorkers } from './nodeWorkers.js';
      const worker = nodeWorkers(${JSON.stringify(folder)}).start('tokens');
      worker.call('later', 'answered').then((answer) => console.log(answer));
    `;
    await writeFile(join(folder, 'alive.js'), script);
    const child = spawn(process.execPath, [join(folder, 'alive.js')], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    const [code] = (await once(child, 'close')) as [number];
    expect([code, output]).toEqual([0, 'answered\n']);
  });

  it('must be started as a thread', () => {
    expect(() => serveWorker(null, {})).toThrow(/runs in a worker thread only/);
  });
});
