import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { appLab, type AppLab } from '../../support/appLab.js';
import type { Reply } from '../../support/modelServer.js';
import { served } from '../../support/served.js';
import { cardsOf, latch, scripts, spawnCall } from '../../support/subagents.js';
import { until } from '../../support/until.js';

const write = (path: string, content: string): Reply[] => [
  { toolCalls: [{ name: 'write_file', args: { path, content } }] },
  { text: `Wrote ${path}.` },
];
const call = (name: string, args: Record<string, unknown>): Reply[] => [
  { toolCalls: [{ name, args }] },
  { text: 'Did it.' },
];
const edit = (path: string, old_text: string, new_text: string): Reply[] => [
  { toolCalls: [{ name: 'read_file', args: { path, force: true } }] },
  { toolCalls: [{ name: 'edit_file', args: { path, edits: [{ old_text, new_text }] } }] },
  { text: 'Edited.' },
];

const spoken = async (lab: AppLab) => {
  const { session } = await lab.app.loop.conversation(lab.session);
  return session
    .visible()
    .filter(({ role }) => role === 'user')
    .map(({ id }) => id);
};
const notice = (lab: AppLab) => lab.events.findLast((event) => event.type === 'notice')?.notice;

describe('a restore', () => {
  it('puts files back to before a message, over renames, deletions and later edits by hand, and says so before', async () => {
    const { lab } = await served(
      [
        ...edit('a.txt', 'one', 'two'),
        ...call('rename_file', { path: 'b.txt', to: 'moved/b.txt' }),
        ...call('delete_file', { path: 'c.txt' }),
        ...write('new.txt', 'new\n'),
        ...edit('a.txt', 'two', 'three'),
      ],
      { files: { 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n' } },
    );
    for (const id of ['m1', 'm2', 'm3', 'm4', 'm5']) await lab.say(`do ${id}`, id);
    writeFileSync(join(lab.project, 'a.txt'), 'three and mine\n');
    const { checkpoints } = lab.app;
    const plan = await checkpoints.plan(lab.session, 'm1');
    expect(plan?.messages).toBe(17);
    expect(plan?.files.map(({ label, kind, changedSince }) => [label, kind, changedSince]).sort()).toEqual([
      ['a.txt', 'put back', true],
      ['b.txt', 'brought back', false],
      ['c.txt', 'brought back', false],
      ['moved/b.txt', 'removed', false],
      ['new.txt', 'removed', false],
    ]);
    expect((await checkpoints.plan(lab.session, 'm5'))?.files).toMatchObject([{ label: 'a.txt' }]);

    await checkpoints.restore(lab.session, 'm1', 'files');
    expect([lab.text('a.txt'), lab.text('b.txt'), lab.text('c.txt')]).toEqual(['one\n', 'b\n', 'c\n']);
    expect(existsSync(join(lab.project, 'new.txt'))).toBe(false);
    expect(existsSync(join(lab.project, 'moved'))).toBe(false);
    expect(await spoken(lab)).toHaveLength(5);
    expect(notice(lab)).toMatchObject({ id: 'restore', next: ['undoRestore'] });

    await checkpoints.undoRestore(lab.session);
    expect(lab.text('a.txt')).toBe('three and mine\n');
    expect(lab.text('moved/b.txt')).toBe('b\n');
    expect(lab.text('new.txt')).toBe('new\n');
    expect(existsSync(join(lab.project, 'c.txt'))).toBe(false);
  });

  it('takes messages out of the conversation, gives the words back, and can be taken back until something is said', async () => {
    const { lab, server } = await served([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }]);
    await lab.say('first', 'm1');
    await lab.say('second', 'm2');
    const words = await lab.app.checkpoints.restore(lab.session, 'm2', 'conversation');
    expect(words).toEqual({ text: 'second', attachments: [] });
    expect(await spoken(lab)).toEqual(['m1']);
    await lab.app.checkpoints.undoRestore(lab.session);
    expect(await spoken(lab)).toEqual(['m1', 'm2']);
    await lab.app.checkpoints.restore(lab.session, 'm2', 'both');
    await lab.say('other', 'm3');
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('second');
    await lab.app.checkpoints.undoRestore(lab.session);
    expect(await spoken(lab)).toEqual(['m1', 'm3']);
    expect(notice(lab)?.text).toContain('has gone on');
  });

  it('of the conversation alone is not offered for undoing after a reload once it has gone on', async () => {
    const { lab } = await served([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    for (const id of ['m1', 'm2']) await lab.say(id, id);
    await lab.app.checkpoints.restore(lab.session, 'm2', 'conversation');
    await lab.say('m3', 'm3');
    await lab.close();
    const again = await appLab({ root: lab.root });
    expect((await again.app.loop.conversation(again.session)).state.notices).toEqual([]);
    expect(await spoken(again)).toEqual(['m1', 'm3']);
  });

  it('can be taken back after a reload, and is offered there, as long as the files are kept and nobody waved it away', async () => {
    const replies = [...write('a.txt', 'two\n'), ...write('b.txt', 'made\n'), ...write('c.txt', 'made\n')];
    const { lab } = await served(replies, { files: { 'a.txt': 'one\n' } });
    for (const id of ['m1', 'm2', 'm3']) await lab.say(id, id);
    await lab.app.checkpoints.restore(lab.session, 'm2', 'both');
    expect([existsSync(join(lab.project, 'b.txt')), await spoken(lab)]).toEqual([false, ['m1']]);
    await lab.close();

    const again = await appLab({ root: lab.root });
    const { state } = await again.app.loop.conversation(again.session);
    expect(state.notices).toMatchObject([{ id: 'restore', next: ['undoRestore'] }]);
    await again.app.checkpoints.undoRestore(again.session);
    expect([again.text('b.txt'), await spoken(again)]).toEqual(['made\n', ['m1', 'm2', 'm3']]);
    await again.app.checkpoints.undoRestore(again.session);
    expect(notice(again)?.text).toBe('There is no restore to undo.');
    await again.app.checkpoints.restore(again.session, 'm3', 'files');
    await again.close();

    const clock = nodeClock();
    const eightDays = 8 * 24 * 60 * 60 * 1000;
    const late = await appLab({ root: lab.root, ports: { clock: { ...clock, now: () => clock.now() + eightDays } } });
    expect((await late.app.loop.conversation(late.session)).state.notices).toEqual([]);
    await late.close();

    const last = await appLab({ root: lab.root });
    expect((await last.app.loop.conversation(last.session)).state.notices).toHaveLength(1);
    await last.app.checkpoints.dismissed(last.session);
    await last.close();
    const after = await appLab({ root: lab.root });
    expect((await after.app.loop.conversation(after.session)).state.notices).toEqual([]);
  });

  it('is refused for a message that is gone, and does nothing then', async () => {
    const { lab } = await served([{ text: 'One.' }]);
    await lab.say('first', 'm1');
    expect(await lab.app.checkpoints.plan(lab.session, 'nothing')).toBeUndefined();
    expect(await lab.app.checkpoints.restore(lab.session, 'nothing', 'both')).toBe('refused');
    expect(notice(lab)?.text).toBe('That message is not there any more.');
    expect(await spoken(lab)).toEqual(['m1']);
  });

  it('counts the files of turns whose messages were taken out by an edited message', async () => {
    const { lab } = await served([...write('a.txt', 'from the first words\n'), { text: 'Nothing to do.' }]);
    await lab.say('first', 'm1');
    const message = { channel: 'vscode', sessionKey: lab.session, text: 'edited', attachments: [], watched: true };
    await lab.app.loop.resend(lab.session, 'm1', { ...message, id: 'm1b' });
    await lab.app.loop.idle(lab.session);
    expect((await lab.app.checkpoints.plan(lab.session, 'm1'))?.files).toMatchObject([{ label: 'a.txt' }]);
  });
});

describe('a restore past a subagent nobody waited for', () => {
  it('puts back what it changed, in the order in which files were changed, and that can be taken back', async () => {
    const hold = latch();
    const theirs = [...edit('both.txt', 'two', 'three').slice(0, 2), ...write('theirs.txt', 'made\n')];
    const { lab } = await served(
      scripts(
        [
          { text: 'Hello.' },
          { toolCalls: [spawnCall('Change it.', { label: 'changer' })] },
          { text: 'It works.' },
          ...edit('both.txt', 'one', 'two'),
          { text: 'The changer is done.' },
        ],
        async (_request, at) => {
          await hold.wait;
          return theirs[at] ?? { text: 'Done.' };
        },
      ),
      { files: { 'both.txt': 'one\n' } },
    );
    await lab.say('hello', 'm0');
    await lab.say('start it', 'm1');
    await lab.say('you too', 'm2');
    const { checkpoints } = lab.app;
    expect(await checkpoints.restore(lab.session, 'm1', 'both')).toBe('refused');
    expect(notice(lab)?.text).toContain('still at work: changer. Stop them first');
    expect(await spoken(lab)).toEqual(['m0', 'm1', 'm2']);
    const told = lab.event('turn_end');
    hold.open();
    await told;
    await lab.app.loop.idle(lab.session);
    expect(lab.text('both.txt')).toBe('three\n');
    const files = async (id: string) =>
      (await checkpoints.plan(lab.session, id))?.files.map(({ label, kind }) => `${kind} ${label}`).sort();
    expect(await files('m1')).toEqual(['put back both.txt', 'removed theirs.txt']);
    // It was started before.
    expect(await files('m2')).toEqual(['put back both.txt']);
    await checkpoints.restore(lab.session, 'm1', 'files');
    expect(lab.text('both.txt')).toBe('one\n');
    expect(existsSync(join(lab.project, 'theirs.txt'))).toBe(false);
    await checkpoints.undoRestore(lab.session);
    expect([lab.text('both.txt'), lab.text('theirs.txt')]).toEqual(['three\n', 'made\n']);
  });

  it('puts back what was there before both, where one changed a file after the other in a turn that had begun before', async () => {
    const done = latch();
    const theirs = [...edit('both.txt', 'one', 'two').slice(0, 2), ...write('theirs.txt', 'made\n').slice(0, 1)];
    const [read, ...then] = edit('both.txt', 'two', 'three');
    const { lab } = await served(
      scripts(
        [
          ...write('mine.txt', 'made\n').slice(0, 1),
          { toolCalls: [spawnCall('Change it.', { label: 'changer' })] },
          { ...read, gate: () => done.wait },
          ...then,
          { text: 'The changer is done.' },
        ],
        (_request, at) => {
          if (at === theirs.length) done.open();
          return theirs[at] ?? { text: 'Done.' };
        },
      ),
      { files: { 'both.txt': 'one\n' } },
    );
    await lab.say('do it', 'm1');
    expect(lab.text('both.txt')).toBe('three\n');
    await until('the subagent to end', async () => (await cardsOf(lab)).every(({ status }) => status === 'done'));
    await lab.app.loop.idle(lab.session);
    expect(await lab.app.checkpoints.restore(lab.session, 'm1', 'files')).toBeUndefined();
    expect(lab.text('both.txt')).toBe('one\n');
    expect(['mine.txt', 'theirs.txt'].filter((name) => existsSync(join(lab.project, name)))).toEqual([]);
    await lab.app.checkpoints.undoRestore(lab.session);
    expect([lab.text('both.txt'), lab.text('theirs.txt')]).toEqual(['three\n', 'made\n']);
  });
});

describe('a fork', () => {
  it('has the messages before, goes on alone, and leaves the chat it came from', async () => {
    const { lab, server } = await served([
      { text: 'One.' },
      { toolCalls: [{ name: 'list_dir', args: { path: '.' } }] },
      { text: 'Two.' },
      { text: 'Forked.' },
    ]);
    await lab.say('first', 'm1');
    await lab.say('second', 'm2');
    await (await lab.app.loop.conversation(lab.session)).choose({ approval: 'readonly' });
    const fork = await lab.app.checkpoints.fork(lab.session, 'm2');
    expect(fork.words?.text).toBe('second');
    const { session } = await lab.app.loop.conversation(fork.key);
    expect(session.visible().map(({ content }) => content)).toEqual(['first', 'One.']);
    expect(session.metadata.metadata).toMatchObject({ title: 'first (fork)', archivedTo: 2, approval: 'readonly' });
    expect(session.metadata.metadata['workspace']).toBe(lab.project);
    lab.app.bus.publish({
      id: 'f1',
      channel: 'vscode',
      sessionKey: fork.key,
      text: 'go',
      attachments: [],
      watched: true,
    });
    await lab.app.loop.idle(fork.key);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).not.toContain('second');
    expect(await spoken(lab)).toEqual(['m1', 'm2']);
  });

  it('of an answer ends with it, its calls and their results', async () => {
    const { lab } = await served([{ toolCalls: [{ name: 'list_dir', args: { path: '.' } }] }, { text: 'Two.' }]);
    await lab.say('first', 'm1');
    const { session } = await lab.app.loop.conversation(lab.session);
    const answer = session.messages.find(({ tool_calls }) => tool_calls)?.id ?? '';
    const fork = await lab.app.checkpoints.fork(lab.session, answer);
    expect(fork.words).toBeUndefined();
    const forked = await lab.app.loop.conversation(fork.key);
    expect(forked.session.visible().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });
});
