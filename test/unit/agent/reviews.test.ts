import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../src/agent/conversation.js';
import { FileChanges } from '../../../src/agent/fileChanges.js';
import { Reviews, type PendingReview } from '../../../src/agent/reviews.js';
import { MessageBus } from '../../../src/bus/bus.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Clock, Log } from '../../../src/platform/ports.js';
import type { AgentEvent } from '../../../src/protocol/event.js';
import { Snapshots } from '../../../src/tools/support/snapshots.js';
import { until } from '../../support/until.js';
import { makeProject } from '../../support/project.js';

const SESSION = 'vscode:one';
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined } as Log;

/** A project whose turns are under review, with real files and snapshots. */
function makeBench(files: Record<string, string>) {
  const project = makeProject(Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])), {
    folders: ['app'],
  });
  const { workspace } = project;
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead } as Clock;
  const snapshots = new Snapshots({
    files: nodeFiles(),
    workspace,
    clock,
    folder: project.path('home/snapshots'),
  });
  const bus = new MessageBus();
  const events: AgentEvent[] = [];
  const notices: string[] = [];
  bus.subscribe(({ event }) => void events.push(event));
  const conversation = {
    emit: (event: AgentEvent) => {
      bus.emit({ sessionKey: SESSION, event });
    },
    notice: (_id: string, _level: string, text: string) => void notices.push(text),
  } as unknown as Conversation;
  const changes = new FileChanges({ snapshots, conversation: () => Promise.resolve(conversation) });
  let stored: PendingReview[] = [];
  const storage = { load: () => stored, save: (list: PendingReview[]) => void (stored = list) };
  const open = () => new Reviews({ bus, contents: snapshots, changes, workspace, storage, clock, log: quiet });
  let reviews = open();
  const path = (name: string) => project.path(`app/${name}`);
  return {
    project,
    snapshots,
    changes,
    events,
    notices,
    path,
    get reviews() {
      return reviews;
    },
    /** Moves the clock. */
    later: (ms: number) => void (ahead += ms),
    /** The process ends and another begins. */
    reopen: () => {
      reviews.dispose();
      reviews = open();
    },
    /** A turn that writes these texts, and then renames. */
    turn: async (turnId: string, texts: Record<string, string>, renames: Record<string, string> = {}) => {
      for (const [name, text] of Object.entries(texts)) {
        await snapshots.before(turnId, path(name));
        await workspace.write(path(name), Buffer.from(text));
      }
      for (const [from, to] of Object.entries(renames)) {
        await snapshots.before(turnId, path(from));
        await snapshots.before(turnId, path(to), path(from));
        await workspace.rename(path(from), path(to));
      }
      const { changes: made } = await snapshots.finish(turnId);
      bus.emit({ sessionKey: SESSION, event: { type: 'turn_end', turnId, status: 'done', changes: made, ms: 1 } });
      await reviews.settled();
    },
    byHand: (name: string, text: string) => workspace.write(path(name), Buffer.from(text)),
    text: (name: string) => project.text(`app/${name}`),
    hunks: (name: string) => reviews.hunksIn(path(name), project.text(`app/${name}`)),
    /** What the change list of a turn says of its files. */
    outcomes: async (turnId: string) =>
      Object.fromEntries((await snapshots.changes(turnId)).changes.map(({ label, settled }) => [label, settled])),
  };
}

type Bench = ReturnType<typeof makeBench>;

async function hunk(bench: Bench, name: string, at: number) {
  const found = (await bench.hunks(name))[at];
  if (!found) throw new Error(`there is no hunk ${String(at)}`);
  return found;
}

const BEFORE = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
const AFTER = '1\ntwo\n3\n4\n5\nsix\n7\n8\nnine\n';

describe('a file that was renamed', () => {
  it('and changed is looked at where it is, and goes back whole', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER }, { 'a.txt': 'b.txt' });
    expect(bench.reviews.paths()).toEqual([bench.path('b.txt')]);
    expect(await bench.hunks('b.txt')).toHaveLength(3);
    await bench.reviews.undoFile(bench.path('b.txt'));
    expect(bench.text('a.txt')).toBe(BEFORE);
    expect(existsSync(bench.path('b.txt'))).toBe(false);
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt → b.txt': 'undone' });
    expect(bench.reviews.paths()).toEqual([]);
  });

  it('stays where it is when its hunks are undone one by one, and can be kept from the list', async () => {
    const bench = makeBench({ 'a.txt': '1\n', 'c.txt': '1\n' });
    await bench.turn('t1', { 'a.txt': '2\n', 'c.txt': '2\n' }, { 'a.txt': 'b.txt', 'c.txt': 'd.txt' });
    await bench.reviews.undoHunk(bench.path('b.txt'), await hunk(bench, 'b.txt', 0));
    expect(bench.text('b.txt')).toBe('1\n');
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt → b.txt': 'kept', 'c.txt → d.txt': undefined });
    await bench.changes.keep(SESSION, 't1', [bench.path('d.txt')]);
    await bench.reviews.settled();
    expect(bench.reviews.paths()).toEqual([]);
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt → b.txt': 'kept', 'c.txt → d.txt': 'kept' });
  });

  it('stays where it is when it is undone after somebody edited it, whose edits are kept', async () => {
    const bench = makeBench({ 'a.txt': BEFORE, 'c.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER, 'c.txt': AFTER }, { 'a.txt': 'b.txt', 'c.txt': 'd.txt' });
    await bench.byHand('b.txt', AFTER.replace('4', 'mine'));
    await bench.reviews.undoFile(bench.path('b.txt'));
    expect(bench.text('b.txt')).toBe(BEFORE.replace('4', 'mine'));
    expect(existsSync(bench.path('a.txt'))).toBe(false);
    expect(bench.reviews.paths()).toEqual([bench.path('d.txt')]);
    expect(bench.notices).toEqual([]);
    await bench.byHand('d.txt', AFTER.replace('six', 'SIX!'));
    const undone = bench.reviews.undoFile(bench.path('d.txt'));
    await expect(undone).rejects.toThrow('d.txt: 1 change that you edited yourself was left');
    expect(bench.text('d.txt')).toBe(BEFORE.replace('6', 'SIX!'));
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt → b.txt': 'kept', 'c.txt → d.txt': undefined });
  });

  it('gets its contents back where its old place is taken, and the chat says why it stays', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER }, { 'a.txt': 'b.txt' });
    await bench.byHand('a.txt', 'new\n');
    await bench.reviews.undoFile(bench.path('b.txt'));
    expect([bench.text('a.txt'), bench.text('b.txt')]).toEqual(['new\n', BEFORE]);
    expect(bench.notices).toEqual([expect.stringContaining('a.txt → b.txt')]);
    expect(bench.reviews.paths()).toEqual([]);
  });

  it('by a later turn stays under review, and each turn is told under its own name', async () => {
    const bench = makeBench({ 'a.txt': BEFORE, 'c.txt': '1\n', 'e.txt': '1\n', 'still.txt': '1\n' });
    await bench.turn('t1', { 'a.txt': AFTER, 'c.txt': '2\n', 'e.txt': '2\n' });
    await bench.turn('t2', {}, { 'a.txt': 'b.txt', 'c.txt': 'd.txt', 'e.txt': 'f.txt', 'still.txt': 'moved.txt' });
    expect(bench.reviews.paths()).toEqual(['b.txt', 'd.txt', 'f.txt'].map(bench.path));
    expect(await bench.hunks('b.txt')).toHaveLength(3);
    await bench.reviews.keepFile(bench.path('b.txt'));
    expect(await bench.outcomes('t1')).toMatchObject({ 'a.txt': 'kept' });
    expect(await bench.outcomes('t2')).toMatchObject({ 'a.txt → b.txt': 'kept' });
    await bench.reviews.undoFile(bench.path('d.txt'));
    expect(bench.text('c.txt')).toBe('1\n');
    expect(await bench.outcomes('t1')).toMatchObject({ 'c.txt': 'undone' });
    expect(await bench.outcomes('t2')).toMatchObject({ 'c.txt → d.txt': 'undone' });
    await bench.changes.undo(SESSION, 't2', [bench.path('f.txt')]);
    await bench.reviews.settled();
    expect(bench.reviews.paths()).toEqual([bench.path('e.txt')]);
    expect(await bench.hunks('e.txt')).toHaveLength(1);
  });
});

describe('a review', () => {
  it('ends when each hunk is decided on, and settles the change list', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    expect((await bench.hunks('a.txt')).map(({ before, now }) => [before, now])).toEqual([
      [['2'], ['two']],
      [['6'], ['six']],
      [['9'], ['nine']],
    ]);
    await bench.reviews.undoHunk(bench.path('a.txt'), await hunk(bench, 'a.txt', 1));
    expect(bench.text('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n');
    await bench.reviews.keepHunk(bench.path('a.txt'), await hunk(bench, 'a.txt', 0));
    expect(await bench.hunks('a.txt')).toHaveLength(1);
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt': undefined });
    await bench.reviews.undoHunk(bench.path('a.txt'), await hunk(bench, 'a.txt', 0));
    expect(bench.text('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\n8\n9\n');
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt': 'kept' });
    expect(bench.reviews.paths()).toEqual([]);
    expect(bench.events.at(-1)).toEqual({
      type: 'changes_settled',
      turnId: 't1',
      outcome: 'kept',
      paths: [bench.path('a.txt')],
    });
  });

  it("leaves a person's own edits out of it, and keeps them when a file is undone", async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    await bench.byHand('a.txt', AFTER.replace('4\n', 'mine\nfour\n'));
    expect((await bench.hunks('a.txt')).map(({ start }) => start)).toEqual([1, 6, 9]);
    await bench.reviews.undoFile(bench.path('a.txt'));
    expect(bench.text('a.txt')).toBe('1\n2\n3\nmine\nfour\n5\n6\n7\n8\n9\n');
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt': 'undone' });
  });

  it('leaves hunks that the person changed when a file is undone, and says so', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER.replace('six\n', 'six\nand a half\n') });
    const mine = '1\ntwo\n3\n4\n5\nsix\nbetween\nand a half\n7\n8\nnine by hand\n';
    await bench.byHand('a.txt', mine);
    const undone = bench.reviews.undoFile(bench.path('a.txt'));
    await expect(undone).rejects.toThrow('a.txt: 2 changes that you edited yourself were left');
    expect(bench.text('a.txt')).toBe(mine.replace('two', '2'));
    expect(await bench.hunks('a.txt')).toHaveLength(2);
    expect(await bench.outcomes('t1')).toEqual({ 'a.txt': undefined });
  });

  it('leaves every byte that no hunk holds, also where line ends are mixed', async () => {
    const before = 'a\r\nb\nc\nd\n';
    const bench = makeBench({ 'a.txt': before });
    await bench.turn('t1', { 'a.txt': 'a\r\nb\nc\nD\n' });
    await bench.reviews.undoFile(bench.path('a.txt'));
    expect(bench.text('a.txt')).toBe('a\r\nb\nc\nd\r\n');
  });

  it('is over after seven days, when what it compares with is no longer kept, and where the file is gone', async () => {
    const bench = makeBench({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    bench.later(4 * 24 * 60 * 60 * 1000);
    await bench.turn('t2', { 'b.txt': AFTER });
    bench.later(4 * 24 * 60 * 60 * 1000);
    bench.reopen();
    expect(bench.reviews.paths()).toEqual([bench.path('b.txt')]);
    await bench.project.workspace.remove(bench.path('b.txt'));
    await bench.reviews.forgetGone();
    expect(bench.reviews.paths()).toEqual([]);
  });

  it('forgets a file that was decided on while its turn was still being taken in', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    const turn = bench.turn('t1', { 'a.txt': AFTER });
    await until('the end of the turn', () => bench.events.some(({ type }) => type === 'turn_end'));
    await bench.changes.keep(SESSION, 't1', [bench.path('a.txt')]);
    await turn;
    await bench.reviews.settled();
    expect(bench.reviews.paths()).toEqual([]);
  });

  it('shows a hunk with what the person made of it', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    await bench.byHand('a.txt', AFTER.replace('six', 'SIX!'));
    expect((await bench.hunks('a.txt')).map(({ now }) => now)).toEqual([['two'], ['SIX!'], ['nine']]);
    await bench.reviews.undoHunk(bench.path('a.txt'), await hunk(bench, 'a.txt', 1));
    expect(bench.text('a.txt')).toBe('1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n');
  });

  it('refuses a hunk that is not there any more, and a file that is gone, in plain words', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    const second = await hunk(bench, 'a.txt', 1);
    await bench.byHand('a.txt', AFTER.replace('six', 'other'));
    await expect(bench.reviews.undoHunk(bench.path('a.txt'), second)).rejects.toThrow('The text has changed since');
    expect(bench.text('a.txt')).toContain('other');
    await bench.project.workspace.remove(bench.path('a.txt'));
    await expect(bench.reviews.keepHunk(bench.path('a.txt'), second)).rejects.toThrow('ENOENT');
  });

  it('finds a hunk again that has moved', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER });
    const second = await hunk(bench, 'a.txt', 1);
    await bench.byHand('a.txt', `new\nlines\n${AFTER}`);
    await bench.reviews.undoHunk(bench.path('a.txt'), second);
    expect(bench.text('a.txt')).toBe('new\nlines\n1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n');
  });

  it('takes several turns together, with what was written by hand between them left out', async () => {
    const bench = makeBench({ 'a.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': BEFORE.replace('2', 'two') });
    await bench.byHand('a.txt', BEFORE.replace('2', 'two').replace('4', 'mine'));
    await bench.turn('t2', { 'a.txt': BEFORE.replace('2', 'two').replace('4', 'mine').replace('8', 'eight') });
    expect((await bench.hunks('a.txt')).map(({ now }) => now)).toEqual([['two'], ['eight']]);
    await bench.changes.keep(SESSION, 't1');
    await bench.reviews.settled();
    expect((await bench.hunks('a.txt')).map(({ now }) => now)).toEqual([['eight']]);
    await bench.changes.undo(SESSION, 't2');
    await bench.reviews.settled();
    expect(bench.reviews.paths()).toEqual([]);
    expect(bench.text('a.txt')).toBe(BEFORE.replace('2', 'two').replace('4', 'mine'));
  });

  it('removes a created file by its only hunk, and leaves one that somebody changed', async () => {
    const bench = makeBench({});
    await bench.turn('t1', { 'new.txt': 'a\nb\n', 'other.txt': 'x\n' });
    expect((await bench.hunks('new.txt')).map(({ before }) => before)).toEqual([[]]);
    await bench.reviews.undoHunk(bench.path('new.txt'), await hunk(bench, 'new.txt', 0));
    expect(await bench.project.workspace.stat(bench.path('new.txt'))).toBeUndefined();
    await bench.byHand('other.txt', 'x\nmine\n');
    await bench.reviews.undoFile(bench.path('other.txt'));
    expect(bench.text('other.txt')).toBe('x\nmine\n');
    expect(bench.notices.at(-1)).toContain('other.txt');
    expect(bench.reviews.paths()).toEqual([bench.path('other.txt')]);
    await bench.reviews.keepFile(bench.path('other.txt'));
    expect(await bench.outcomes('t1')).toEqual({ 'new.txt': 'undone', 'other.txt': 'kept' });
  });

  it('goes on after a restart, and follows Keep and Undo of the change list', async () => {
    const bench = makeBench({ 'a.txt': BEFORE, 'b.txt': BEFORE });
    await bench.turn('t1', { 'a.txt': AFTER, 'b.txt': AFTER });
    await bench.reviews.keepHunk(bench.path('a.txt'), await hunk(bench, 'a.txt', 0));
    bench.reopen();
    expect(await bench.hunks('a.txt')).toHaveLength(2);
    await bench.changes.keep(SESSION, 't1', [bench.path('b.txt')]);
    await bench.reviews.settled();
    expect(bench.reviews.paths()).toEqual([bench.path('a.txt')]);
    await bench.changes.undo(SESSION, 't1', [bench.path('a.txt')]);
    await bench.reviews.settled();
    expect(bench.text('a.txt')).toBe(BEFORE);
    expect(bench.reviews.paths()).toEqual([]);
  });

  it('decides on 200 hunks one by one', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${String(index)}`);
    const before = `${lines.join('\n')}\n`;
    const after = `${lines.map((line, index) => (index % 5 === 2 ? `${line} changed` : line)).join('\n')}\n`;
    const bench = makeBench({ 'long.txt': before });
    await bench.turn('t1', { 'long.txt': after });
    expect(await bench.hunks('long.txt')).toHaveLength(200);
    for (let left = 200; left > 0; left--) {
      await bench.reviews.undoHunk(bench.path('long.txt'), await hunk(bench, 'long.txt', left - 1));
    }
    expect(bench.text('long.txt')).toBe(before);
    expect(await bench.outcomes('t1')).toEqual({ 'long.txt': 'undone' });
  });
});
