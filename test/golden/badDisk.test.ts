import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { appLab } from '../support/appLab.js';
import { faultyFiles, type Fault } from '../support/faultyFiles.js';
import type { Reply } from '../support/modelServer.js';
import { expectNextTurn, expectSameOnDisk, served, shownError } from '../support/served.js';
import { modelSettings } from '../support/modelSettings.js';
import { tempHome } from '../support/tempHome.js';

/** A turn with every kind of write: a streamed answer, a read, an edit with its snapshot, a command, a long result that goes to a file. */
const TURN: Reply[] = [
  {
    text: 'I look, change and run.',
    toolCalls: [
      { name: 'read_file', args: { path: 'notes.txt' } },
      { name: 'edit_file', args: { path: 'notes.txt', edits: [{ old_text: 'tea', new_text: 'green tea' }] } },
      { name: 'exec', args: { command: 'echo ran >> log' } },
      { name: 'grep', args: { pattern: 'word', output_mode: 'content' } },
    ],
  },
  { text: 'Changed and ran.' },
];
const FILES = { 'notes.txt': 'tea\n', 'words.txt': 'a word and another one\n'.repeat(900) };

async function labWith(fault?: Fault) {
  const files = faultyFiles(nodeFiles(), fault);
  const { lab, server } = await served(TURN, { files: FILES, ports: { files } });
  return { lab, server, files };
}

describe('a full disk', () => {
  it('at any write of a turn says so, leaves nothing running, and goes on when there is room again', async () => {
    const whole = await labWith();
    expect((await whole.lab.say('change the notes')).status).toBe('done');
    const { steps } = whole.files;
    expect(steps.length).toBeGreaterThan(12);
    for (const [at, step] of steps.entries()) {
      const where = `full at step ${String(at)} (${step})`;
      const { lab, server, files } = await labWith({ at, kind: 'full', done: 'half' });
      lab.publish('change the notes');
      await lab.app.loop.idle(lab.session);
      const conversation = await lab.app.loop.conversation(lab.session);
      const { state } = conversation;
      const finished = lab.events.some((event) => event.type === 'turn_end' && event.status === 'done');
      const rejected = lab.events.find((event) => event.type === 'rejected');
      if (!finished) {
        expect(shownError(lab)?.message ?? rejected?.reason, where).toMatch(/disk is full|ENOSPC/);
        expect(rejected !== undefined || (shownError(lab)?.next.length ?? 0) > 0, where).toBe(true);
      }
      const running = state.messages
        .flatMap((message) => message.parts)
        .filter((part) => 'status' in part && part.status === 'running');
      expect(running, where).toEqual([]);
      expect(state.turn, where).toBeNull();
      expect(
        state.messages.filter((message) => message.status === 'streaming'),
        where,
      ).toEqual([]);
      files.repair();
      if (state.session.interrupted) {
        server.setScript([{ text: 'I went on.' }]);
        await lab.app.loop.resume(lab.session, { channel: 'vscode' });
        await lab.app.loop.idle(lab.session);
        expect(lab.stored().at(-1)?.content, where).toBe('I went on.');
        await expectSameOnDisk(lab);
      }
      await expectNextTurn(lab, server);
      expect(readFileSync(join(lab.project, 'log'), { encoding: 'utf8', flag: 'a+' }), where).toMatch(/^(ran\n)?$/);
      await lab.close();
    }
  }, 60_000);

  it('while a message waits for a running turn gives its words back, and Stop still stops', async () => {
    const files = faultyFiles(nodeFiles(), { at: Infinity, kind: 'full', done: 'nothing' });
    const { lab, server } = await served([{ text: 'A long answer that goes on', stall: 2 }], { ports: { files } });
    const first = lab.event('text');
    const ended = lab.say('begin');
    await first;
    files.fill();
    const rejected = lab.event('rejected');
    lab.publish('and another', 'second');
    expect(await rejected).toMatchObject({
      id: 'second',
      text: 'and another',
      reason: expect.stringContaining('disk is full') as string,
    });
    lab.app.loop.stop(lab.session);
    expect((await ended).status).not.toBe('done');
    files.repair();
    await expectNextTurn(lab, server);
  });
});

describe('a home that cannot be written', () => {
  it('because a file is in its way: the message comes back with the reason, and the next works once it is gone', async () => {
    const { root } = await tempHome();
    writeFileSync(join(root, 'workspace'), 'not a folder');
    const { lab } = await served([{ text: 'Hello.' }], { root });
    const rejected = lab.event('rejected');
    lab.publish('hello', 'm1');
    expect(await rejected).toMatchObject({
      id: 'm1',
      text: 'hello',
      reason: expect.stringMatching(/workspace/) as string,
    });
    await lab.app.loop.idle(lab.session);
    expect(shownError(lab)).toMatchObject({
      message: expect.stringMatching(/ENOTDIR|not a folder/) as string,
      next: ['openSettings', 'openLog'],
    });
  });

  it.skipIf(process.getuid?.() === 0)('still shows the chats that are there', async () => {
    const { lab } = await served([{ text: 'Hello.' }]);
    await lab.say('hello');
    await lab.close();
    const locks = join(lab.home, '.nanobot', 'locks');
    chmodSync(locks, 0o500);
    const again = await appLab({ root: lab.root });
    expect((await again.app.loop.conversation(again.session)).state.total).toBe(2);
    chmodSync(locks, 0o700);
  });

  it('on a full disk still shows the chats that are there', async () => {
    const { lab } = await served([{ text: 'Hello.' }]);
    await lab.say('hello');
    await lab.close();
    const files = faultyFiles(nodeFiles(), { at: 0, kind: 'full', done: 'nothing' });
    const again = await appLab({ root: lab.root, ports: { files } });
    expect((await again.app.loop.conversation(again.session)).state.total).toBe(2);
  });
});

describe('odd files in the home', () => {
  const ODD: [string, (home: string) => void][] = [
    ['a folder named SOUL.md', (home) => mkdirSync(join(home, 'SOUL.md'), { recursive: true })],
    ['a folder named MEMORY.md', (home) => mkdirSync(join(home, 'memory', 'MEMORY.md'), { recursive: true })],
    ['a folder named history.jsonl', (home) => mkdirSync(join(home, 'memory', 'history.jsonl'), { recursive: true })],
    [
      'a history of bytes that are no text',
      (home) => put(home, 'memory/history.jsonl', Buffer.from([0xff, 0xfe, 0x0a, 0x7b, 0x0a])),
    ],
    ['a dream cursor that is no number', (home) => put(home, 'memory/.dream_cursor', 'soon')],
    ['approvals that are no JSON', (home) => put(home, '.nanobot/approvals.json', '{"oops')],
    ['approvals that are a list', (home) => put(home, '.nanobot/approvals.json', '[1,2]')],
    ['a file named sessions', (home) => put(home, 'adopted/nothing', '')],
  ];
  for (const [name, spoil] of ODD) {
    it(`${name}: a turn with a tool works all the same`, async () => {
      const { root, home } = await tempHome();
      spoil(home);
      const { lab, server } = await served(TURN, { root, files: FILES });
      expect((await lab.say('change the notes')).status).toBe('done');
      expect(lab.text('notes.txt')).toBe('green tea\n');
      await expectNextTurn(lab, server);
    }, 30_000);
  }

  it('a lease that nobody can read counts as held for a while, and the person can ask for the chat', async () => {
    const { root, home } = await tempHome();
    put(home, '.nanobot/locks/vscode_test.lock', '{"oops');
    const { lab } = await served([], { root });
    await expect(lab.say('hello')).rejects.toThrow(/Another window/);
    expect(shownError(lab)?.next).toEqual(['continueHere']);
  });

  it('a snapshot list that cannot be read hides no chat', async () => {
    const { lab } = await served(TURN, { files: FILES });
    await lab.say('change the notes');
    await lab.close();
    const folder = join(lab.home, '.nanobot', 'snapshots');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    ))
      writeFileSync(join(folder, name), '{"type":"end"}\nnonsense\n{"type":"before"}\n[]\n');
    const again = await appLab({ root: lab.root });
    expect((await again.app.loop.conversation(again.session)).state.total).toBe(3);
    expect((await again.say('hello')).status).toBe('done');
  });
});

function put(home: string, name: string, content: string | Uint8Array): void {
  mkdirSync(join(home, name, '..'), { recursive: true });
  writeFileSync(join(home, name), content);
}

describe('keys', () => {
  it('never reach the home, whatever the provider says of them', async () => {
    const key = modelSettings({ url: '' }).env.OPENAI_API_KEY;
    const { lab } = await served([{ status: 401, body: { error: { message: `Incorrect API key provided: ${key}` } } }]);
    await lab.say('hello');
    expect(JSON.stringify(lab.events) + JSON.stringify(lab.lines())).not.toContain(key);
  });
});
