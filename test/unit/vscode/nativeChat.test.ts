import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ParticipantResult } from '../../../src/channels/participant.js';
import { quoteForeign } from '../../../src/memory/quotedFacts.js';
import { rawEntry } from '../../../src/memory/rawEntry.js';
import { addedWords } from '../../../src/vscode/cronWords.js';
import { createNativeChat, type NativeChat } from '../../../src/vscode/nativeChat.js';
import { appLab, type AppLab, type LabOptions } from '../../support/appLab.js';
import type { Script } from '../../support/modelServer.js';
import { saying } from '../../support/saying.js';
import { latch, scripts, spawnCall } from '../../support/subagents.js';
import { served } from '../../support/served.js';

type Asked = Partial<Parameters<NativeChat['answer']>[0]>;

interface Lab {
  lab: AppLab;
  native: NativeChat;
  /** What the response shows: Markdown as it is, every other part as a line of its own. */
  shown: string[];
  revealed: string[];
  ask(request: Asked, signal?: AbortSignal): Promise<ParticipantResult>;
  markdown(): string;
}

function around(lab: AppLab): Lab {
  const shown: string[] = [];
  const revealed: string[] = [];
  const native = createNativeChat(lab.app, {
    toPath: (uri) => uri.fsPath,
    reveal: (key) => Promise.resolve(void revealed.push(key)),
  });
  const stream = {
    markdown: (text: string) => void shown.push(text),
    progress: (text: string) => void shown.push(`<progress ${text}>`),
    reference: (path: string, line?: number) => void shown.push(`<reference ${path}:${String(line ?? '')}>`),
    button: (title: string, command: string, ...args: unknown[]) =>
      void shown.push(`<button ${title} ${command} ${args.join(' ')}>`),
  };
  return {
    ...{ lab, native, shown, revealed },
    ask: (request, signal = new AbortController().signal) =>
      native.answer({ text: '', references: [], attachments: [], ...request }, stream, signal),
    markdown: () => shown.filter((part) => !part.startsWith('<')).join(''),
  };
}

async function asking(script: Script, options: LabOptions = {}) {
  const { lab, server } = await served(script, options);
  return { ...around(lab), server };
}

const file = (path: string, range?: [line: number, character: number, endLine: number, endCharacter: number]) => {
  const uri = { scheme: 'file', fsPath: path };
  if (!range) return { id: path, value: uri };
  const [line, character, endLine, endCharacter] = range;
  const at = { start: { line, character }, end: { line: endLine, character: endCharacter } };
  return { id: path, value: { uri, range: at } };
};

describe('@nanobot', () => {
  it('answers with a turn of the loop, and goes on in the same session', async () => {
    const { ask, markdown, shown, server, lab } = await asking(
      [
        { thinking: 'Hm.', toolCalls: [{ name: 'read_file', args: { path: 'README.md' } }] },
        { text: 'It says hi.' },
        { text: 'Again.' },
      ] as Script,
      { files: { 'README.md': 'hi\n' } },
    );
    const first = await ask({ text: 'read it' });
    expect(first).toEqual({ sessionKey: saying(/^participant:/) });
    expect(markdown()).toBe('It says hi.');
    expect(shown).toContain('<progress read_file: README.md>');
    expect(shown).toContain(`<reference ${join(lab.project, 'README.md')}:>`);
    expect(shown.join()).not.toContain('Hm.');
    const second = await ask({ text: 'and now?', sessionKey: first.sessionKey });
    expect(second).toEqual(first);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('It says hi.');
    const [row] = await lab.app.listSessions('');
    expect(row).toMatchObject({ key: first.sessionKey, title: 'read it' });
  });

  it('takes files, ranges and texts that come with a request, and names what it cannot take', async () => {
    const { ask, shown, server, lab } = await asking([{ text: 'Seen.' }], { files: { 'a.txt': 'one\ntwo\nthree\n' } });
    const path = join(lab.project, 'a.txt');
    await ask({
      text: 'look',
      references: [
        file(path),
        file(path, [1, 0, 2, 0]),
        { id: 'terminal', value: 'ls: ```no``` such file' },
        { id: 'picture', value: { mimeType: 'image/png' } },
      ],
    });
    const sent = JSON.stringify(server.requests[0]?.body.messages);
    expect(sent).toContain('[Attached: a.txt, lines 2–2]\\ntwo');
    expect(sent).not.toContain('three');
    expect(sent).toContain('[Attached: terminal]\\n````\\nls: ```no``` such file\\n````');
    expect(shown).toContain('<progress Left out, since it is neither a file nor a text: picture>');
  });

  it('takes texts that others attach for what they are: text from outside, and no words of the person', async () => {
    const { ask, server, lab, shown } = await asking([
      { text: 'Seen.' },
      { toolCalls: [{ name: 'remember', args: { text: 'It is warm.' } }] },
      { text: 'Noted.' },
    ]);
    const references = [{ id: 'page', value: 'The person adores purple aardvarks and says so.' }];
    const approvals: string[] = [];
    lab.app.bus.subscribe(({ sessionKey, event }) => {
      if (event.type !== 'approval_start') return;
      approvals.push(...event.approval.reasons);
      void lab.app.loop.conversation(sessionKey).then(({ interaction }) => {
        interaction.decide(event.approval.id, { kind: 'deny' });
      });
    });
    const { sessionKey } = await ask({ text: 'look', references });
    const { session } = await lab.app.loop.conversation(sessionKey);
    expect(session.messages[0]).toMatchObject({ content: 'look', untrusted: true });
    expect(quoteForeign('- The person adores purple aardvarks and says so.', session.messages)).toMatch(/^> /);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toMatch(/did not write it[^]*purple aardvarks/);
    await ask({ text: 'look again', references, sessionKey });
    expect(approvals).toEqual([saying('text from outside')]);
    await ask({ text: 'Ann grows quinces.', command: 'remember', references });
    expect(noteIn(lab)).toContain('Ann grows quinces.');
    expect(noteIn(lab)).not.toContain('aardvarks');
    expect(shown).toContain('<progress Attached texts are not noted: only your own words are.>');
    await ask({ text: '/mcp.none.such', references });
    expect(shown.join()).toContain('There is no prompt /mcp.none.such');
    expect(server.requests).toHaveLength(3);
  });

  it('asks in the chat view what has to be asked, and goes on with the answer', async () => {
    const { ask, markdown, shown, revealed, lab } = await asking([
      { toolCalls: [{ name: 'exec', args: { command: 'touch made' } }] },
      { text: 'Made.' },
    ]);
    lab.app.bus.subscribe(({ sessionKey, event }) => {
      if (event.type !== 'approval_start') return;
      void lab.app.loop.conversation(sessionKey).then(({ interaction }) => {
        interaction.decide(event.approval.id, { kind: 'allow' });
      });
    });
    const { sessionKey, error } = await ask({ text: 'make it' });
    expect(error).toBeUndefined();
    expect(revealed).toEqual([sessionKey]);
    expect(markdown()).toContain('**Waits for your approval in Nanobot’s chat:**');
    expect(markdown()).toContain('```\ntouch made\n```');
    expect(shown).toContain(`<button Answer in Nanobot nanobot.openSession ${sessionKey}>`);
    expect(markdown()).toMatch(/\n\nMade\.$/);
    expect(existsSync(join(lab.project, 'made'))).toBe(true);
  });

  it('stops with the request, which denies what waits, and answers the next one', async () => {
    const { ask, lab } = await asking([
      { toolCalls: [{ name: 'exec', args: { command: 'touch made' } }] },
      { text: 'Well.' },
    ]);
    const stopping = new AbortController();
    lab.app.bus.subscribe(({ event }) => {
      if (event.type === 'approval_start') stopping.abort();
    });
    const { sessionKey, error } = await ask({ text: 'make it' }, stopping.signal);
    expect(error).toBeUndefined();
    expect(existsSync(join(lab.project, 'made'))).toBe(false);
    expect(lab.app.loop.isBusy(sessionKey)).toBe(false);
    expect(await ask({ text: 'are you well?', sessionKey })).toEqual({ sessionKey });
    const gone = new AbortController();
    gone.abort();
    expect(await ask({ text: 'never sent' }, gone.signal)).toEqual({ sessionKey: saying(/^participant:/) });
  });

  it('shows what its subagents bring back, and what is asked then', async () => {
    const holds = [latch(), latch()];
    const { ask, markdown, revealed, lab } = await asking(
      scripts(
        [
          { toolCalls: [spawnCall('Count the files.')] },
          { text: 'They are counted.' },
          { toolCalls: [spawnCall('Count again.'), { name: 'exec', args: { command: 'touch made' } }] },
          { text: 'Three, says it.' },
          { text: 'Three again.' },
        ],
        async (_request, n) => {
          await holds[n]?.wait;
          return { text: 'Three files.' };
        },
      ),
    );
    let ends = 0;
    lab.app.bus.subscribe(({ sessionKey, event }) => {
      if (event.type === 'turn_end' && sessionKey.startsWith('participant:')) holds[ends++]?.open();
      if (event.type !== 'approval_start') return;
      void lab.app.loop.conversation(sessionKey).then(({ interaction }) => {
        interaction.decide(event.approval.id, { kind: 'allow' });
      });
    });
    const { sessionKey, error } = await ask({ text: 'count' });
    expect(error).toBeUndefined();
    expect(markdown()).toMatch(
      /^They are counted\.\n\n[^]*Waits for your approval[^]*Three, says it\.[^]*\n\nThree again\.$/,
    );
    expect(revealed).toEqual([sessionKey]);
    expect(lab.app.loop.isBusy(sessionKey)).toBe(false);
  });

  it('stops the subagents with the request', async () => {
    const { ask, markdown, lab } = await asking(
      scripts([{ toolCalls: [spawnCall('Count for ever.')] }, { text: 'They are counted.' }], () => ({ stall: true })),
    );
    const stopping = new AbortController();
    lab.app.bus.subscribe(({ sessionKey, event }) => {
      if (event.type === 'turn_end' && sessionKey.startsWith('participant:')) stopping.abort();
    });
    const { sessionKey, error } = await ask({ text: 'count' }, stopping.signal);
    expect(error).toBeUndefined();
    expect(markdown()).toBe('They are counted.');
    expect(lab.app.subagents.isLive(sessionKey)).toBe(false);
    const { state } = await lab.app.loop.conversation(sessionKey);
    expect(state.subagents.map(({ status }) => status)).toEqual(['stopped']);
  });

  it('ends in words where the turn before it is stopped in the chat view, and leaves nothing queued', async () => {
    let requests = 0;
    const { ask, lab } = await asking(() => (++requests === 2 ? { stall: true } : { text: 'Here I am.' }));
    const { sessionKey } = await ask({ text: 'hello' });
    lab.app.bus.publish({
      ...{ id: 'typed', channel: 'vscode', sessionKey, text: 'wait', attachments: [], watched: true },
    });
    lab.app.bus.subscribe(({ event }) => {
      if (event.type === 'queue' && event.queue.some(({ armed }) => armed)) lab.app.loop.stop(sessionKey);
    });
    const { error } = await ask({ text: 'and me?', sessionKey });
    expect(error).toContain('stopped in Nanobot’s chat');
    expect((await lab.app.loop.conversation(sessionKey)).state.queue).toEqual([]);
    await lab.app.loop.idle(sessionKey);
    expect(await ask({ text: 'and now?', sessionKey })).toEqual({ sessionKey });
  });

  it('lists the files it changed, with a button that undoes that', async () => {
    const { ask, markdown, shown, lab } = await asking([
      { toolCalls: [{ name: 'write_file', args: { path: 'new.txt', content: 'a\n' } }] },
      { text: 'Written.' },
    ]);
    const { sessionKey } = await ask({ text: 'write' });
    expect(markdown()).toContain('Changed files:\n\n- new.txt +1 −0');
    const [, key = '', turn = ''] = /<button Undo changes nanobot.undoTurn (\S+) (\S+)>/.exec(shown.join()) ?? [];
    expect(key).toBe(sessionKey);
    await lab.app.changes.undo(key, turn);
    expect(existsSync(join(lab.project, 'new.txt'))).toBe(false);
  });

  it('says in words what failed, with the step that leads on', async () => {
    const { ask, shown } = await asking([{ status: 401, body: '{"error":{"message":"no such key"}}' }] as never);
    const { error } = await ask({ text: 'hello' });
    expect(error).toMatch(/key/i);
    expect(error).toContain('Next: "Set key"');
    expect(shown).toContain('<button Set key nanobot.setApiKey >');
  });

  it('says where no model is set, and offers to choose one', async () => {
    const lab = around(await appLab({ settings: { model: 'auto' } }));
    await lab.ask({ text: 'hello' });
    expect(lab.markdown()).toContain('No model is set up for Nanobot');
    expect(lab.shown).toContain('<button Select model nanobot.selectModel >');
  });

  it('notes, searches and dreams on its commands, and answers other commands in words', async () => {
    const lab = around(await appLab());
    expect(await lab.ask({ command: 'remember', text: ' ' })).toMatchObject({ error: saying('Say what to remember') });
    await lab.ask({ command: 'remember', text: 'Ann grows quinces.' });
    expect(noteIn(lab.lab)).toMatch(/- \d\d:\d\d Ann grows quinces\.\n$/);
    await lab.ask({ command: 'recall', text: 'quinces' });
    expect(lab.markdown()).toMatch(/\(note\) - \d\d:\d\d Ann grows quinces\./);
    await lab.ask({ command: 'dream', text: '' });
    expect(lab.markdown()).toContain('There is nothing new to read.');
    await lab.ask({ text: '/nonsense' });
    expect(lab.markdown()).toContain('There is no command /nonsense.');
  });
});

describe('tools for other agents', () => {
  const signal = new AbortController().signal;

  it('remember as a quotation that is not the person’s words, and recall finds it with its date and source', async () => {
    const { lab, native } = around(await appLab());
    const said = await native.otherAgents.invoke(
      'nanobot_remember',
      { text: 'Ann likes tabs.\n- always\n\nyes' },
      signal,
    );
    expect(said).toMatch(/^Noted in memory\/\d{4}-\d\d-\d\d\.md\.$/);
    expect(noteIn(lab)).toMatch(
      /- \d\d:\d\d Quoted from another agent, not said by the person:\n {2}> Ann likes tabs\.\n {2}> - always\n {2}> \n {2}> yes\n$/,
    );
    const found = await native.otherAgents.invoke('nanobot_recall', { query: 'tabs' }, signal);
    expect(found).toMatch(/^- \d{4}-\d\d-\d\d memory\/\d{4}-\d\d-\d\d\.md:3 \(note\) .*not said by the person: > Ann/);
    expect(await native.otherAgents.invoke('nanobot_recall', { query: 'zebra' }, signal)).toContain(
      'Nothing was found',
    );
  });

  it('schedule with words or fields, and tell the next three times', async () => {
    const { lab, native } = around(await appLab());
    const { otherAgents } = native;
    const said = await otherAgents.invoke(
      'nanobot_schedule',
      { message: 'Stretch', when: 'every weekday at 9' },
      signal,
    );
    expect(said).toMatch(
      /^Scheduled "Stretch" \(id: [0-9a-f]{8}\), every weekday at 0?9:00.*Next: [^;]+; [^;]+; [^;]+\./,
    );
    await otherAgents.invoke('nanobot_schedule', { message: 'Blink', every_seconds: '120', name: 'eyes' }, signal);
    expect((await lab.app.cron.service.jobs.list()).map(({ name, schedule }) => [name, schedule.kind])).toEqual([
      ['Stretch', 'cron'],
      ['eyes', 'every'],
    ]);
    expect(otherAgents.understood({ message: 'x', when: 'every weekday at 9' })).toMatch(/weekday.*Next: /);
    expect(otherAgents.understood({ message: 'x', when: 'whenever' })).toBeUndefined();
  });

  it('schedule what stays another’s words: no facts of the person come of it, and its turn has read text from outside', async () => {
    const { lab, native, server } = await asking([
      { toolCalls: [{ name: 'remember', args: { text: 'It is so.' } }] },
      { text: 'I may not.' },
    ]);
    const message = 'The person adores purple aardvarks and says so.';
    await native.otherAgents.invoke('nanobot_schedule', { message, when: 'every weekday at 9' }, signal);
    const { jobs } = lab.app.cron.service;
    const [added] = await jobs.list();
    const job = await jobs.update(added?.id ?? '', { name: 'beasts' });
    expect(job).toMatchObject({ name: 'beasts', payload: { from: 'agent' } });
    expect(addedWords(job)).toBe('Added by another agent.');
    const record = await lab.app.cron.service.runNow(job.id);
    expect(record.denied).toEqual([saying('remember')]);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('purple aardvarks');
    const { messages } = (await lab.app.loop.conversation(`cron:${job.id}`)).session;
    expect(messages[0]).toMatchObject({ sender: { kind: 'agent' }, untrusted: true });
    expect(quoteForeign(`- ${message}`, messages)).toBe(`> ${message} (quoted from another agent)`);
    expect(rawEntry(messages)).not.toContain('aardvarks');
    const own = await jobs.add({ message: 'Stretch', schedule: { kind: 'every', everyMs: 3_600_000 } });
    expect([own.payload.from, addedWords(own)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['nanobot_remember', {}, /text: /],
    ['nanobot_remember', { text: '  ' }, /text: /],
    ['nanobot_remember', { text: 'x'.repeat(4_001) }, /text: /],
    ['nanobot_remember', 'just words', /Invalid arguments|JSON|object/],
    ['nanobot_recall', { query: 7, limit: 'many' }, /limit: /],
    ['nanobot_schedule', { when: 'every day at 9' }, /message: /],
    ['nanobot_schedule', { message: 'x' }, /exactly one/],
    ['nanobot_schedule', { message: 'x', when: 'whenever it rains' }, /rains|understand|when/i],
    ['nanobot_schedule', { message: 'x', when: 'every day at 9', at: '2100-01-01T09:00' }, /either when, or one of/],
    ['nanobot_schedule', { message: 'x', at: '2001-01-01T09:00' }, /past/],
    ['nanobot_schedule', { message: 'x', every_seconds: 1 }, /60|minute/],
  ] as const)('%s %# is refused in words, and nothing is written', async (tool, input, words) => {
    const { lab, native } = around(await appLab());
    await expect(native.otherAgents.invoke(tool, input, signal)).rejects.toThrow(words);
    expect(existsSync(join(lab.home, 'memory')) && noteIn(lab)).toBeFalsy();
    expect(await lab.app.cron.service.jobs.list()).toEqual([]);
  });
});

function noteIn(lab: AppLab): string {
  const folder = join(lab.home, 'memory');
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{4}-\d\d-\d\d\.md$/.test(name)) : [];
  return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
}
