import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { safeFileName } from '../../../src/agent/sessionTransfer.js';
import { appLab } from '../../support/appLab.js';
import { served } from '../../support/served.js';

const bytes = (text: string) => Buffer.from(text);

async function talked() {
  const made = await served(
    [
      { thinking: 'Look first.', toolCalls: [{ name: 'read_file', args: { path: 'a.md' } }] },
      { text: 'It says ```hi``` to <you>.' },
    ],
    { files: { 'a.md': 'hi\n````\nfenced\n' } },
  );
  await made.lab.say('What says a.md?');
  return made;
}

it('Markdown has what was said, with calls folded away and no fence that ends early', async () => {
  const { lab } = await talked();
  const { content, fileName } = await lab.app.exportSession(lab.session, 'md');
  expect(fileName).toBe('What says a.md.md');
  expect(content).toMatch(/^# What says a\.md\?\n/);
  expect(content).toContain('## You\n');
  expect(content).toContain('It says ```hi``` to <you>.');
  expect(content).toMatch(/<details>\n<summary>read_file: a\.md.*\(ok\)<\/summary>/);
  expect(content).toMatch(/\n`````\n[^]*````[^]*\n`````\n/);
  expect(content).not.toContain('Runtime Context');
});

it.each(['json', 'jsonl'] as const)('%s loses nothing, and becomes a session of its own', async (format) => {
  const { lab } = await talked();
  const { content, fileName } = await lab.app.exportSession(lab.session, format);
  const before = readFileSync(join(lab.home, 'sessions', 'vscode_test.jsonl'), 'utf8');
  const lines = before
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
  if (format === 'jsonl') expect(content).toBe(before);
  else expect((JSON.parse(content) as { lines: unknown[] }).lines).toEqual(lines);
  const read = await lab.app.readImport(bytes(content), fileName);
  expect(read.problems).toEqual([]);
  const key = await lab.app.importSession(read, fileName);
  expect(key).not.toBe(lab.session);
  const copy = await lab.app.sessions.open(key);
  const essence = (messages: readonly { turn_id?: string; timestamp: string }[]) =>
    messages.map(({ turn_id: _turn, ...message }) => message);
  expect(essence(copy.messages)).toEqual(essence(lab.stored()));
  const turns = (messages: readonly { turn_id?: string }[]) => new Set(messages.map(({ turn_id }) => turn_id));
  expect(turns(copy.messages).size).toBe(1);
  expect([...turns(copy.messages)]).not.toEqual([...turns(lab.stored())]);
  expect(copy.metadata.metadata).toMatchObject({ title: 'What says a.md?', archivedTo: 4, workspace: lab.project });
  expect(copy.leaseState).toBe('none');
  expect(readFileSync(join(lab.home, 'sessions', 'vscode_test.jsonl'), 'utf8')).toBe(before);
});

it('takes a file of nanobot’s own, and goes on with it', async () => {
  const lab = await appLab();
  const text = [
    '\ufeff{"_type": "metadata", "key": "../../etc/passwd", "created_at": "2026-03-01T10:00:00", "metadata": {}, "last_consolidated": 0}',
    '{"role": "user", "content": "Hello from Python", "timestamp": "2026-03-01T10:00:00"}\r',
    '{"role": "assistant", "content": "Hi."}',
  ].join('\n');
  const key = await lab.app.importSession(
    await lab.app.readImport(bytes(text), 'cli_direct.jsonl'),
    'cli_direct.jsonl',
  );
  expect(key).toMatch(/^vscode:[\w-]+$/);
  expect(await lab.app.listSessions('')).toMatchObject([{ key, title: 'Hello from Python', messages: 2 }]);
});

it('says what is broken and where, and takes the rest', async () => {
  const lab = await appLab();
  const text = '{"role":"user","content":"a"}\n{"role":"assist\n[]\n{"role":"assistant","content":"b"}\n';
  const read = await lab.app.readImport(bytes(text), 'chat.jsonl');
  expect(read.problems).toEqual([
    'chat.jsonl, line 2: not JSON, perhaps cut off',
    'chat.jsonl, line 3: not a JSON object',
  ]);
  expect(read.messages).toHaveLength(2);
});

it('refuses what is no chat in words that lead on', async () => {
  const lab = await appLab();
  const refusal = async (text: string, name = 'x.json') =>
    lab.app.readImport(bytes(text), name).then(
      () => 'taken',
      (error: unknown) => (error as Error).message,
    );
  expect(await refusal('')).toContain('x.json holds no message. A chat is a JSON export of Nanobot');
  expect(await refusal('{\n"a": 1\n}')).toContain('"format": "nanobot-session"');
  expect(await refusal('{\n"lines": [')).toContain('x.json is not JSON: ');
  expect(await refusal('{"format":"nanobot-session","version":9,"lines":[]}')).toContain('newer version (9)');
  expect(await refusal('hello\nyou', 'x.jsonl')).toContain('x.jsonl, line 1: not JSON');
});

it('odd fields of a file from elsewhere do no harm', async () => {
  const lab = await appLab();
  const odd = {
    role: 'assistant',
    content: [null, { type: 'text', text: 'seen' }, 7],
    attachments: 'no',
    tool: 5,
    error: { code: 'x', message: 'said', next: ['rm -rf'] },
    sender: { kind: 'boss' },
    id: 'same',
    theirs: { kept: true },
  };
  const lines = [odd, { ...odd, role: 'user', content: 'u' }].map((line) => JSON.stringify(line)).join('\n');
  const key = await lab.app.importSession(await lab.app.readImport(bytes(lines), 'odd.jsonl'), 'odd.jsonl');
  const { messages } = await lab.app.sessions.open(key);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(2);
  expect(messages[0]).toMatchObject({ theirs: { kept: true }, error: { message: 'said', next: [] } });
  for (const field of ['attachments', 'tool', 'sender']) expect(messages[0]).not.toHaveProperty(field);
  const shown = await lab.app.loop.conversation(key);
  expect(shown.state.messages).toHaveLength(2);
  expect(JSON.stringify(shown.state.messages)).toContain('seen');
});

it('what was attached elsewhere is shown by its own name and never read here', async () => {
  const { lab, server } = await served([{ text: 'Nothing to see.' }], { files: { 'key.txt': 'SECRET' } });
  const path = join(lab.project, 'key.txt');
  const said = { role: 'user', content: 'Look', id: 'm1', untrusted: true };
  const attachments = [
    { path, label: 'README.md' },
    { path: 'C:\\a\\shot.png', label: 'x', kind: 'image', tokens: 9, error: 'no' },
    { path: 'https://a.test/%zz', label: 'x', kind: 'boss', startLine: 2 },
  ];
  const lines = [
    { ...said, attachments },
    { ...said, id: 'm2', untrusted: 'odd' },
  ].map((line) => JSON.stringify(line));
  const key = await lab.app.importSession(await lab.app.readImport(bytes(lines.join('\n')), 'a.jsonl'), 'a.jsonl');
  const { messages } = await lab.app.sessions.open(key);
  expect(messages.map(({ untrusted }) => untrusted)).toEqual([true, true]);
  const error = 'From another machine';
  expect(messages[0]?.attachments).toEqual([
    { path, label: 'key.txt', error },
    { path: 'C:\\a\\shot.png', label: 'shot.png', kind: 'image', error },
    { path: 'https://a.test/%zz', label: '%zz', startLine: 2, error },
  ]);
  const anew = { id: 'm3', channel: 'vscode', sessionKey: key, text: 'Again', attachments: [], watched: true };
  await lab.app.loop.resend(key, 'm1', anew);
  await lab.app.loop.idle(key);
  const asked = server.requests.map(({ body }) => JSON.stringify(body)).join();
  expect(asked).toContain('key.txt] (could not be read: From another machine)');
  expect(asked).not.toContain('SECRET');
});

it('/export writes to the file that is named, and never over another', async () => {
  const lab = await appLab();
  const notice = () => lab.events.filter((event) => event.type === 'notice').at(-1)?.notice.text ?? '';
  const command = async (text: string) => {
    lab.publish(text);
    await lab.app.loop.idle(lab.session);
    return notice();
  };
  expect(await command('/export chat.md')).toContain('There is nothing to export');
  await lab.say('What can you do?');
  expect(await command('/export')).toContain('/export chat.md to read it');
  expect(await command('/export chat.md')).toBe(`Exported to ${join(lab.project, 'chat.md')}`);
  expect(readFileSync(join(lab.project, 'chat.md'), 'utf8')).toContain('# What can you do?');
  writeFileSync(join(lab.project, 'chat.md'), 'mine');
  expect(await command('/export chat.md')).toContain('is there already');
  expect(readFileSync(join(lab.project, 'chat.md'), 'utf8')).toBe('mine');
  await command('/export chat.exe');
  expect(existsSync(join(lab.project, 'chat.exe'))).toBe(false);
});

it('makes a file name of any title', () => {
  expect(safeFileName('a/b: c?')).toBe('a b c');
  expect(safeFileName('..')).toBe('chat');
  expect(safeFileName('CON')).toBe('chat');
  expect(safeFileName('x'.repeat(300))).toHaveLength(80);
  expect(safeFileName('天气 📈')).toBe('天气 📈');
});
