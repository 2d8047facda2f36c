import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/memory/dream/findings.js';
import { Workbench, type Plan } from '../../../../src/memory/dream/workbench.js';
import { nodeFiles } from '../../../../src/platform/nodeFiles.js';
import { realPathOnDisk } from '../../../../src/platform/nodeWorkspace.js';
import type { ToolContext } from '../../../../src/runner/tool.js';
import { dreamFileTools } from '../../../../src/tools/dreamFiles.js';
import { skillGuide } from '../../../support/skillGuide.js';
import { tempHome } from '../../../support/tempHome.js';

const MEMORY =
  '# Memory\n\n- Lives in Berlin\n- Prefers tabs\n- Drinks oolong\n- Works on a tea timer\n- Speaks German\n';
const ALL: Finding[] = [
  { kind: 'add', file: 'SOUL.md', text: 'a' },
  { kind: 'add', file: 'USER.md', text: 'b' },
  { kind: 'add', file: 'memory/MEMORY.md', text: 'c' },
  { kind: 'skill', name: 'brew-tea', text: 'd' },
];
const SKILL = [
  '---',
  'name: brew-tea',
  'description: Use when tea is wanted.',
  '---',
  '',
  '# Brew tea',
  '',
  '1. Boil water.',
  '',
].join('\n');

async function fence(plan: Partial<Plan> = {}) {
  const { root, home } = await tempHome();
  const put = (path: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  put('SOUL.md', '# Soul\n\n- Is brief\n- Is honest\n');
  put('USER.md', '# User\n\n- Name:\n');
  put('memory/MEMORY.md', MEMORY);
  put('memory/history.jsonl', '{"cursor":1}\n');
  writeFileSync(join(root, 'outside.md'), 'outside\n');
  let stopped = 0;
  const deps = { files: nodeFiles(), home, realPath: (path: string) => realPathOnDisk(path), skillGuide };
  const bench = await Workbench.open(deps, { findings: ALL, condense: false, ...plan }, () => void stopped++);
  const tools = new Map(dreamFileTools(bench).map((tool) => [tool.name, tool]));
  const run = async (name: string, args: object): Promise<string> => {
    const tool = tools.get(name);
    const parsed = tool?.schema.parse(args);
    const result = await tool?.run(parsed, {} as ToolContext);
    return result?.text ?? '';
  };
  return {
    home,
    root,
    bench,
    put,
    tools,
    stopped: () => stopped,
    read: (path: string, more: object = {}) => run('read_file', { path, ...more }),
    edit: (path: string, ...pairs: [string, string][]) =>
      run('edit_file', { path, edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })) }),
    write: (path: string, content: string) => run('write_file', { path, content }),
  };
}

describe('the tools of the second phase', () => {
  it('bear the names of the agent’s own tools', async () => {
    expect([...(await fence()).tools.keys()]).toEqual(['read_file', 'edit_file', 'write_file']);
  });

  it('edit the three files by any name that means them, and change nothing on the disk', async () => {
    const { home, edit, bench } = await fence();
    expect(await edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers tabs of four'])).toContain(
      '+- Prefers tabs of four',
    );
    await edit('MEMORY.md', ['Drinks oolong', 'Drinks green tea']);
    await edit(join(home, 'USER.md'), ['- Name:', '- Name: Ada']);
    await edit('./SOUL.md', ['', '- Answers in German\n']);
    expect(readFileSync(join(home, 'memory/MEMORY.md'), 'utf8')).toBe(MEMORY);
    const changes = await bench.changes();
    expect(changes.map(({ path }) => path)).toEqual(['SOUL.md', 'USER.md', 'memory/MEMORY.md']);
    expect(Buffer.from(changes[0]?.after ?? []).toString()).toBe(
      '# Soul\n\n- Is brief\n- Is honest\n- Answers in German\n',
    );
    expect(Buffer.from(changes[2]?.after ?? []).toString()).toContain('- Prefers tabs of four\n- Drinks green tea\n');
  });

  it('read the three files and skills with their lines, and what was edited as it is now', async () => {
    const { read, edit, put } = await fence();
    put('skills/other/SKILL.md', 'one\ntwo\n');
    expect(await read('memory/MEMORY.md', { offset: 3, limit: 2 })).toBe(
      'memory/MEMORY.md, lines 3–4 of 7\n3| - Lives in Berlin\n4| - Prefers tabs\n(more: offset 5)',
    );
    await edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers spaces']);
    expect(await read('memory/MEMORY.md')).toContain('Prefers spaces');
    expect(await read('skills/other/SKILL.md')).toContain('2| two');
    expect(await read('skills/skill-creator/SKILL.md')).toContain('Writing a skill');
    await expect(read('skills/none/SKILL.md')).rejects.toThrow('There is no skills/none/SKILL.md.');
  });

  it('read a very long line without end', async () => {
    const { read, put } = await fence();
    put('memory/MEMORY.md', 'x'.repeat(300_000));
    expect((await read('memory/MEMORY.md')).length).toBeLessThan(13_000);
  });

  it.each([
    '../outside.md',
    'memory/../../outside.md',
    '/etc/passwd',
    '~/outside.md',
    '..\\outside.md',
    'memory/history.jsonl',
    'memory/.dream_cursor',
    'memory/2026-04-15.md',
    'AGENTS.md',
    '.nanobot/undone.jsonl',
    '.git/config',
    'skills',
    'skills/brew-tea/../../memory/history.jsonl',
    'skills/brew-tea/run.sh',
    '',
    '.',
    'memory/MEMORY.md\0',
  ])('reach no other path: %j', async (path) => {
    const { read, edit, write, bench, home } = await fence();
    await read('skills/skill-creator/SKILL.md');
    await expect(read(path)).rejects.toThrow(/may not be read|outside of the home|reached/);
    await expect(edit(path, ['cursor', 'x'])).rejects.toThrow(/may not be edited|outside of the home|reached/);
    await expect(write(path, SKILL)).rejects.toThrow(/may not be written|outside of the home|reached/);
    expect(await bench.changes()).toEqual([]);
    expect(readFileSync(join(home, 'memory/history.jsonl'), 'utf8')).toBe('{"cursor":1}\n');
  });

  it('write through no link: not to a file, not to a folder, not out of a skill', async () => {
    const { root, home, read, write, put, bench } = await fence();
    mkdirSync(join(root, 'elsewhere'));
    put('skills/other/SKILL.md', 'x');
    symlinkSync(join(root, 'elsewhere'), join(home, 'skills', 'linked'));
    symlinkSync(join(home, 'memory', 'history.jsonl'), join(home, 'skills', 'other', 'link.md'));
    await read('skills/skill-creator/SKILL.md');
    await expect(read('skills/linked/SKILL.md')).rejects.toThrow('is a link');
    await expect(write('skills/other/link.md', SKILL)).rejects.toThrow('may not be written');
    await expect(write('skills/linked/SKILL.md', SKILL)).rejects.toThrow(/No finding asks|already/);
    expect(await bench.changes()).toEqual([]);
    expect(existsSync(join(root, 'elsewhere', 'SKILL.md'))).toBe(false);
  });

  it('do not follow MEMORY.md itself where it is a link to something else', async () => {
    const { root, home } = await tempHome();
    mkdirSync(join(home, 'memory'), { recursive: true });
    writeFileSync(join(root, 'mine.md'), 'mine\n');
    symlinkSync(join(root, 'mine.md'), join(home, 'memory', 'MEMORY.md'));
    const deps = { files: nodeFiles(), home, realPath: (path: string) => realPathOnDisk(path), skillGuide };
    await expect(Workbench.open(deps, { findings: ALL, condense: false }, () => undefined)).rejects.toThrow(
      /is a link to/,
    );
  });

  it('work in a home that is reached by a link', async () => {
    const { root } = await tempHome();
    mkdirSync(join(root, 'real', 'memory'), { recursive: true });
    writeFileSync(join(root, 'real', 'memory', 'MEMORY.md'), MEMORY);
    symlinkSync(join(root, 'real'), join(root, 'home'));
    const deps = {
      files: nodeFiles(),
      home: join(root, 'home'),
      realPath: (path: string) => realPathOnDisk(path),
      skillGuide,
    };
    const bench = await Workbench.open(deps, { findings: ALL, condense: false }, () => undefined);
    await bench.edit('memory/MEMORY.md', (text) => `${text}- More\n`);
    expect(await bench.changes()).toHaveLength(1);
  });

  it('change only files that a finding is about', async () => {
    const { edit, write, read } = await fence({ findings: [{ kind: 'add', file: 'memory/MEMORY.md', text: 'c' }] });
    await read('skills/skill-creator/SKILL.md');
    await expect(edit('SOUL.md', ['Is brief', 'Pushes to evil.example'])).rejects.toThrow(
      'No finding is about SOUL.md',
    );
    await expect(write('skills/brew-tea/SKILL.md', SKILL)).rejects.toThrow(
      'No finding asks for a skill named brew-tea',
    );
    await edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers spaces']);
  });

  it('refuse an edit whose old and new text are equal, one that is not found, and edits that cancel each other out', async () => {
    const { edit, bench } = await fence();
    await expect(edit('USER.md', ['- Name:', '- Name:'])).rejects.toThrow(/the same/);
    await expect(edit('USER.md', ['- Nmae: x', '- Name: Ada'])).rejects.toThrow(/not in USER.md/);
    await expect(edit('USER.md', ['Name', 'Nome'], ['Nome', 'Name'])).rejects.toThrow(/the same/);
    await expect(edit('USER.md', ['', ''])).rejects.toThrow(/neither old nor new/);
    await expect(edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers spaces'], ['none such', 'x'])).rejects.toThrow();
    expect(await bench.changes()).toEqual([]);
  });

  it('refuse to write a file anew, in one step or in several', async () => {
    const { edit, bench } = await fence({ findings: [{ kind: 'add', file: 'memory/MEMORY.md', text: 'c' }] });
    await expect(edit('memory/MEMORY.md', [MEMORY.trim(), '# Memory\n\n- All new'])).rejects.toThrow(
      /take out 5 of the 5/,
    );
    await edit('memory/MEMORY.md', ['- Speaks German\n', '']);
    await expect(edit('memory/MEMORY.md', ['- Drinks oolong\n', ''])).rejects.toThrow(/take out 2 of the 5/);
    expect(bench.text('memory/MEMORY.md')).toContain('Drinks oolong');
  });

  it('refuse to pour a book into a file', async () => {
    const { edit } = await fence();
    await expect(edit('memory/MEMORY.md', ['', '- word\n'.repeat(3_000)])).rejects.toThrow(/adds 21000 characters/);
  });

  it('keep line ends, BOM and encoding', async () => {
    const { put, home, root } = await fence();
    put('USER.md', '\uFEFF# User\r\n\r\n- Name: Ada\r\n');
    const deps = { files: nodeFiles(), home, realPath: (path: string) => realPathOnDisk(path), skillGuide };
    const bench = await Workbench.open(deps, { findings: ALL, condense: false }, () => undefined);
    const edit = dreamFileTools(bench)[1];
    const args = {
      path: 'USER.md',
      edits: [
        { old_text: 'Ada', new_text: 'Ada\n- Lives here' },
        { old_text: '', new_text: '- Last' },
      ],
    };
    await edit?.run(args, {} as ToolContext);
    const [change] = await bench.changes();
    expect(Buffer.from(change?.after ?? []).toString('utf8')).toBe(
      '\uFEFF# User\r\n\r\n- Name: Ada\r\n- Lives here\r\n- Last\r\n',
    );
    expect(root).not.toBe('');
  });

  it('mask what looks like a key', async () => {
    const { edit, bench } = await fence();
    await edit('USER.md', ['- Name:', '- Key: sk-ant-REDACTED']);
    expect(bench.text('USER.md')).not.toContain('abcdefghijkl');
  });
});

describe('a file that changes while Dream works', () => {
  it('is taken in where others lines were changed, and the edit is made on it', async () => {
    const { put, edit, bench } = await fence();
    await edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers spaces']);
    put('memory/MEMORY.md', MEMORY.replace('Speaks German', 'Speaks German and French'));
    await edit('memory/MEMORY.md', ['Drinks oolong', 'Drinks green tea']);
    const [change] = await bench.changes();
    const text = Buffer.from(change?.after ?? []).toString();
    expect(text).toContain('Prefers spaces');
    expect(text).toContain('German and French');
    expect(text).toContain('Drinks green tea');
  });

  it('fails an edit that no longer fits, and says so', async () => {
    const { put, edit, stopped } = await fence();
    put('memory/MEMORY.md', MEMORY.replace('Prefers tabs', 'Prefers two spaces'));
    await expect(edit('memory/MEMORY.md', ['- Prefers tabs', '- Prefers tabs of four'])).rejects.toThrow(
      /nearest text/,
    );
    expect(stopped()).toBe(0);
  });

  it('ends the run where both changed the same line: the person’s stands', async () => {
    const { put, edit, bench, stopped } = await fence();
    await edit('memory/MEMORY.md', ['Prefers tabs', 'Prefers spaces']);
    put('memory/MEMORY.md', MEMORY.replace('Prefers tabs', 'Prefers neither'));
    await expect(edit('memory/MEMORY.md', ['Drinks oolong', 'Drinks tea'])).rejects.toThrow(/Your edit stands/);
    expect(stopped()).toBe(1);
    expect(bench.blocked?.message).toMatch(/Your edit stands/);
  });
});

describe('a skill that Dream writes', () => {
  const withHead = (...lines: string[]) => ['---', ...lines, '---', '', '# Brew tea', '', 'Steps.', ''].join('\n');

  it('is written once the rules were read, and only where there is none', async () => {
    const { read, write, put, bench, home } = await fence();
    await expect(write('skills/brew-tea/SKILL.md', SKILL)).rejects.toThrow('Read skills/skill-creator/SKILL.md first');
    await read('skills/skill-creator/SKILL.md');
    expect(await write('skills/brew-tea/SKILL.md', SKILL)).toBe('Created skills/brew-tea/SKILL.md.');
    await expect(write('skills/brew-tea/SKILL.md', SKILL)).rejects.toThrow('There is a skill named brew-tea already');
    expect(await bench.changes()).toMatchObject([{ path: 'skills/brew-tea/SKILL.md', before: undefined }]);
    expect(existsSync(join(home, 'skills'))).toBe(false);
    put('skills/brew-tea/SKILL.md', 'mine');
    await expect(bench.changes()).rejects.toThrow('was made by somebody else');
  });

  it('never takes the place of one that exists, in whatever letters', async () => {
    const { read, write, put } = await fence();
    put('skills/Brew-Tea/SKILL.md', 'mine');
    await read('skills/skill-creator/SKILL.md');
    await expect(write('skills/brew-tea/SKILL.md', SKILL)).rejects.toThrow('already');
  });

  it.each([
    ['no head', '# Brew tea\n', /does not begin with a YAML head/],
    ['a head that is code', SKILL.replace('---', '---js'), /only --- may stand there/],
    ['a head that is code under another name', SKILL.replace('---', '--- javascript'), /only --- may stand there/],
    ['a head that is never closed', '---\nname: brew-tea\ndescription: x\n\nText', /is not closed/],
    ['a head that is no YAML', withHead('name: [brew-tea', 'description: x'), /cannot be read/],
    ['a colon without quotes', withHead('name: brew-tea', 'description: Use when: asked'), /in double quotes/],
    ['a head that is a list', withHead('- name', '- description'), /not a list of names|name: brew-tea/],
    ['another name', withHead('name: other', 'description: x'), /must say name: brew-tea/],
    ['no description', withHead('name: brew-tea'), /no description/],
    ['a description that is a list', withHead('name: brew-tea', 'description: [5]'), /no description/],
    ['a description without end', withHead('name: brew-tea', `description: ${'x'.repeat(1_100)}`), /1100 characters/],
    ['always', withHead('name: brew-tea', 'description: x', 'always: true'), /only, not always/],
    [
      'tools it allows itself',
      withHead('name: brew-tea', 'description: x', 'allowed-tools: exec'),
      /only, not allowed-tools/,
    ],
    [
      'a YAML type that runs code',
      withHead('name: brew-tea', "description: !!js/function 'function () {}'"),
      /cannot be read/,
    ],
    ['nothing below the head', '---\nname: brew-tea\ndescription: x\n---\n', /nothing below the head/],
    ['too many words', `${SKILL}${'word '.repeat(2_000)}`, /fewer than 2000/],
    ['too many Chinese words', `${SKILL}${'茶'.repeat(4_100)}`, /fewer than 2000/],
  ])('is refused with %s', async (_, content, reason) => {
    const { read, write, bench } = await fence();
    await read('skills/skill-creator/SKILL.md');
    await expect(write('skills/brew-tea/SKILL.md', content)).rejects.toThrow(reason);
    expect(await bench.changes()).toEqual([]);
  });

  it('is never run, whatever its head says', async () => {
    const { read, write } = await fence();
    await read('skills/skill-creator/SKILL.md');
    for (const mark of ['---js', '---javascript', '--- js', '---coffee', '---json', '---\njs']) {
      const content = `${mark}\n{ name: (globalThis.ranByHead = 'yes') }\n---\n\nText\n`;
      await expect(write('skills/brew-tea/SKILL.md', content)).rejects.toThrow('The skill was not written.');
    }
    expect('ranByHead' in globalThis).toBe(false);
  });

  it.each(['Brew-Tea', 'brew_tea', '-tea', 'tea-', 'x'.repeat(65), 'brew tea', 'CON.'])(
    'has a name that is one: not %j',
    async (name) => {
      const { read, write } = await fence();
      await read('skills/skill-creator/SKILL.md');
      await expect(write(`skills/${name}/SKILL.md`, SKILL)).rejects.toThrow(
        /is no name for a skill|may not be written/,
      );
    },
  );
});
