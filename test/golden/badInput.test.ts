import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { AppLab, LabOptions } from '../support/appLab.js';
import type { ModelServer, ScriptedCall } from '../support/modelServer.js';
import { expectNextTurn, resultTexts, served, toolEnds } from '../support/served.js';
import { tempHome } from '../support/tempHome.js';
import { until } from '../support/until.js';

type ToolEnd = Extract<AgentEvent, { type: 'tool_end' }>;

interface Outcome {
  lab: AppLab;
  server: ModelServer;
  /** What the person saw of each call. */
  ends: ToolEnd[];
  /** What the model was told of each call. */
  told: string[];
}

/** One turn in which the model makes these calls, one an answer, and then ends; the next turn has to work as well. */
async function turnWith(calls: ScriptedCall[], options: LabOptions = {}): Promise<Outcome> {
  const { lab, server } = await served(
    [...calls.map((call) => ({ toolCalls: [call] })), { text: 'That is all.' }],
    options,
  );
  expect((await lab.say('do it')).status).toBe('done');
  const outcome = {
    lab,
    server,
    ends: toolEnds(lab),
    told: resultTexts(server.requests.at(-1)?.body ?? { messages: [] }),
  };
  await expectNextTurn(lab, server);
  return outcome;
}

const edit = (path: string, old_text: string, new_text: string): ScriptedCall => ({
  name: 'edit_file',
  args: { path, edits: [{ old_text, new_text }] },
});
const read = (path: string): ScriptedCall => ({ name: 'read_file', args: { path } });

describe('what a model sends as a call', () => {
  const BAD: [string, ScriptedCall, RegExp][] = [
    ['is no JSON', { name: 'read_file', args: 'README.md please' }, /not valid JSON/],
    ['is cut off', { name: 'write_file', args: '{"path":"a.txt","content":"half of' }, /not valid JSON/],
    ['is a list', { name: 'read_file', args: '["README.md"]' }, /one JSON object, not a list/],
    ['is null', { name: 'read_file', args: 'null' }, /one JSON object, not null/],
    ['has a wrong type', { name: 'read_file', args: { path: { name: 'README.md' } } }, /path: .*string/],
    ['lacks a field', { name: 'write_file', args: { path: 'a.txt' } }, /content: /],
    ['names no tool there is', { name: 'raed_file', args: {} }, /Did you mean read_file/],
    ['names a field of objects', { name: 'constructor', args: {} }, /no tool named "constructor"/],
  ];
  for (const [name, call, says] of BAD) {
    it(`that ${name} is shown as an error and told to the model`, async () => {
      const { ends, told, lab } = await turnWith([call]);
      expect(ends).toMatchObject([{ status: 'error', output: expect.stringMatching(says) as string }]);
      expect(told).toEqual([expect.stringMatching(says)]);
      expect(() => lab.text('a.txt')).toThrow();
    });
  }

  it('that is JSON with small slips, or numbers as texts, is understood', async () => {
    const { ends } = await turnWith(
      [
        { name: 'read_file', args: "{'path': 'a.txt', limit: '2',}" },
        { name: 'read_file', args: JSON.stringify(JSON.stringify({ path: 'a.txt', force: 'true' })) },
      ],
      { files: { 'a.txt': 'one\ntwo\nthree\n' } },
    );
    expect(ends.map((end) => end.status)).toEqual(['ok', 'ok']);
  });
});

describe('places', () => {
  it('without a folder open a command and a relative path say so, and files in full are asked about', async () => {
    const { root } = await tempHome();
    writeFileSync(join(root, 'letter.txt'), 'dear reader\n');
    const asked: string[] = [];
    const { ends } = await turnWith(
      [
        { name: 'exec', args: { command: 'ls' } },
        { name: 'glob', args: { pattern: '*' } },
        read(join(root, 'letter.txt')),
      ],
      {
        root,
        ports: { workspace: createNodeWorkspace({ folders: [], userHome: join(root, 'userhome') }) },
        approve: (approval) => (asked.push(approval.detail), { kind: 'allow' }),
      },
    );
    expect(ends[0]).toMatchObject({ status: 'error', output: expect.stringMatching(/folder/) as string });
    expect(ends[1]).toMatchObject({ status: 'error', output: expect.stringMatching(/folder/) as string });
    expect(ends[2]).toMatchObject({ status: 'ok', output: expect.stringContaining('dear reader') as string });
    expect(asked.join()).toContain('letter.txt');
  });

  it('of several folders the first is meant, the others are reached by name, and results name the folder', async () => {
    const { root } = await tempHome();
    for (const name of ['front', 'back']) {
      mkdirSync(join(root, name), { recursive: true });
      writeFileSync(join(root, name, 'only.txt'), `in ${name}\n`);
    }
    const folders = ['front', 'back'].map((name) => ({ name, path: join(root, name) }));
    const { ends } = await turnWith(
      [read('only.txt'), read('back/only.txt'), { name: 'grep', args: { pattern: 'in ', output_mode: 'content' } }],
      { root, ports: { workspace: createNodeWorkspace({ folders, userHome: join(root, 'userhome') }) } },
    );
    expect(ends[0]?.output).toContain('in front');
    expect(ends[1]?.output).toContain('in back');
    expect(ends[2]?.output).toMatch(/front\/only\.txt[\s\S]*back\/only\.txt|back\/only\.txt[\s\S]*front\/only\.txt/);
  });

  it('outside the workspace are asked about, also by way of a link, and left alone when denied', async () => {
    const { root } = await tempHome();
    mkdirSync(join(root, 'project'), { recursive: true });
    writeFileSync(join(root, 'outside.txt'), 'secret plans\n');
    symlinkSync(root, join(root, 'project', 'way'));
    const asked: string[] = [];
    const { ends, told } = await turnWith(
      [
        read('../outside.txt'),
        read('way/outside.txt'),
        { name: 'write_file', args: { path: 'way/new.txt', content: 'x' } },
      ],
      { root, approve: (approval) => (asked.push(approval.tool), { kind: 'deny' }) },
    );
    expect(ends.map((end) => end.status)).toEqual(['denied', 'denied', 'denied']);
    expect(asked).toEqual(['read_file', 'read_file', 'write_file']);
    expect(told.join()).not.toContain('secret plans');
    expect(() => readFileSync(join(root, 'new.txt'))).toThrow();
  });

  it('with spaces, quotes, brackets and Chinese characters work from end to end', async () => {
    const name = `it's a "茶" folder/新 file [1] (a) $HOME.txt`;
    const { lab, ends } = await turnWith(
      [
        { name: 'write_file', args: { path: name, content: '红茶\n' } },
        read(name),
        edit(name, '红茶', '绿茶'),
        { name: 'grep', args: { pattern: '绿茶', output_mode: 'content' } },
        { name: 'exec', args: { command: `cat "it's a \\"茶\\" folder/新 file [1] (a) \\$HOME.txt"` } },
        { name: 'rename_file', args: { path: name, to: '旧/b c.txt' } },
      ],
      { files: { 'README.md': 'x' } },
    );
    expect(ends.map((end) => [end.status, end.status === 'ok' ? '' : end.output])).toEqual(
      Array.from({ length: 6 }, () => ['ok', '']),
    );
    expect(ends[4]?.output).toContain('绿茶');
    expect(lab.text('旧/b c.txt')).toBe('绿茶\n');
  });
});

describe('edits that do not fit', () => {
  it('twice, not at all, unread or changed since: each says why and touches nothing', async () => {
    const files = { 'tea.txt': 'green tea\nblack tea\n' };
    const { lab, ends } = await turnWith(
      [
        edit('tea.txt', 'green tea', 'white tea'),
        read('tea.txt'),
        edit('tea.txt', 'tea', 'coffee'),
        edit('tea.txt', 'green  tea', 'white tea'),
        { name: 'exec', args: { command: 'echo "red tea" >> tea.txt' } },
        edit('tea.txt', 'green tea', 'white tea'),
      ],
      { files },
    );
    expect(ends.map((end) => end.status)).toEqual(['error', 'ok', 'error', 'error', 'ok', 'error']);
    expect(ends[0]?.output).toMatch(/read/i);
    expect(ends[2]?.output).toMatch(/1.*2/s);
    expect(ends[3]?.output).toMatch(/green tea/);
    expect(ends[5]?.output).toMatch(/changed/i);
    expect(lab.text('tea.txt')).toBe(`${files['tea.txt']}red tea\n`);
  });

  it('keep CRLF, BOM and the missing final newline', async () => {
    const files = { 'dos.txt': '\uFEFFone\r\ntwo\r\nthree' };
    const { lab } = await turnWith([read('dos.txt'), edit('dos.txt', 'one\ntwo', 'one\n2')], { files });
    expect(lab.text('dos.txt')).toBe('\uFEFFone\r\n2\r\nthree');
  });
});

describe('files that are not for reading', () => {
  it('a binary one and a sparse one of 200 MB are refused or cut by name, in little memory', async () => {
    const { root } = await tempHome();
    mkdirSync(join(root, 'project'), { recursive: true });
    writeFileSync(join(root, 'project', 'image.bin'), Buffer.from([0, 1, 2, 3, 255, 254, 0, 0]));
    const huge = openSync(join(root, 'project', 'huge.log'), 'w');
    ftruncateSync(huge, 200 * 1024 * 1024);
    closeSync(huge);
    const before = process.memoryUsage().rss;
    const { ends } = await turnWith([read('image.bin'), read('huge.log'), { name: 'grep', args: { pattern: 'x' } }], {
      root,
    });
    expect(ends[0]).toMatchObject({ status: 'error', output: expect.stringMatching(/binary/) as string });
    expect(ends[1]).toMatchObject({ status: 'error', output: expect.stringMatching(/huge\.log/) as string });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('commands that misbehave', () => {
  it('printing 100 MB: head and tail for the model, the session file stays small, the page gets a tail', async () => {
    const { lab, ends } = await turnWith([
      {
        name: 'exec',
        args: { command: 'echo first; head -c 100000000 /dev/zero | tr "\\0" "x" | fold -w 99; echo last' },
      },
    ]);
    expect(ends[0]?.output).toMatch(/first[\s\S]*last/);
    expect(statSync(join(lab.home, 'sessions', 'vscode_test.jsonl')).size).toBeLessThan(64_000);
    const posted = lab.events
      .filter((event) => event.type === 'tool_update')
      .reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    expect(posted).toBeLessThan(4_000_000);
  }, 60_000);

  it('waiting for a password, or for input that never comes: ends or is stopped by its time limit, with what it said', async () => {
    const { ends } = await turnWith([
      { name: 'exec', args: { command: 'read -s -p "Password: " word < /dev/tty; echo "got [$word]"' } },
    ]);
    expect(ends[0]?.output).toMatch(/tty|got \[\]/);
  });

  it('that ignores SIGTERM and leaves grandchildren is gone after Stop, with all of its family', async () => {
    const mark = `stop-${String(process.pid)}-${String(Date.now())}`;
    const command = `trap '' TERM; sh -c 'trap "" TERM; exec -a ${mark} sleep 300' & bash -c 'trap "" TERM; exec -a ${mark} sleep 300' & exec -a ${mark} bash -c 'trap "" TERM; while true; do sleep 0.1; done'`;
    const { lab, server } = await served([{ toolCalls: [{ name: 'exec', args: { command } }] }]);
    const ended = lab.say('do it');
    const family = () =>
      execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.startsWith(mark));
    await until('the family', () => family().length >= 2);
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    expect(toolEnds(lab)).toMatchObject([{ status: 'aborted' }]);
    await until('the end of the family', () => family().length === 0);
    await expectNextTurn(lab, server);
  }, 40_000);
});
