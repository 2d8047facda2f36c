import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf, statusOf, whyNot } from '../../../src/skills/skill.js';
import { skillShelf, skillText } from '../../support/skillShelf.js';
import { until } from '../../support/until.js';

describe('where skills come from', () => {
  it('takes the first of a name: the workspace in its order, the person, what is built in', async () => {
    const { put, loader } = await skillShelf();
    const places = ['project/.nanobot/skills', 'project/.agents/skills', 'project/.claude/skills', 'project/skills'];
    const all = [...places, 'workspace/skills', 'builtin'];
    for (const [at, place] of all.entries()) {
      for (const name of all.slice(0, at + 1).map((_, n) => `s${String(n)}`))
        put(`${place}/${name}/SKILL.md`, skillText(name));
    }
    const skills = await loader.current();
    expect(skills.map(({ name }) => name)).toEqual(['s0', 's1', 's2', 's3', 's4', 's5']);
    expect(skills.map(({ source }) => source.label)).toEqual([
      'workspace (.nanobot/skills)',
      'workspace (.agents/skills)',
      'workspace (.claude/skills)',
      'workspace (skills)',
      'personal',
      'built-in',
    ]);
    expect(skills[0]?.overrides.map(({ source }) => source.label)).toEqual(
      skills.slice(1).map(({ source }) => source.label),
    );
    expect(skills[5]?.overrides).toEqual([]);
  });

  it('names the folder where there are several', async () => {
    const { put, loader } = await skillShelf({ folders: ['api', 'web'] });
    put('api/.claude/skills/a/SKILL.md', skillText('a'));
    put('web/.claude/skills/a/SKILL.md', skillText('a'));
    const [skill] = await loader.current();
    expect(skill?.source.label).toBe('workspace (api/.claude/skills)');
    expect(skill?.overrides[0]?.source.label).toBe('workspace (web/.claude/skills)');
  });

  it('takes a skill of another agent as it is, with what lies beside it', async () => {
    const { put, loader, root } = await skillShelf();
    put(
      'project/.claude/skills/pdf/SKILL.md',
      skillText('pdf', 'allowed-tools: Read, Bash(python3:*)\nlicense: MIT\n', 'Run {baseDir}/scripts/fill.py'),
    );
    put('project/.claude/skills/pdf/references/forms.md', '# Forms');
    const skill = await loader.find('PDF');
    expect(skill).toMatchObject({ allowedTools: ['Read', 'Bash(python3:*)'], license: 'MIT', problems: [] });
    expect(skill && (await loader.body(skill))).toBe(`Run ${join(root, 'project/.claude/skills/pdf')}/scripts/fill.py`);
  });

  it('leaves the workspace out in Restricted Mode and takes it in once it is trusted', async () => {
    let isTrusted = false;
    const { put, loader } = await skillShelf({ workspace: { trusted: () => isTrusted } });
    put('project/.nanobot/skills/a/SKILL.md', skillText('a'));
    put('workspace/skills/b/SKILL.md', skillText('b'));
    expect((await loader.current()).map(({ name }) => name)).toEqual(['b']);
    isTrusted = true;
    expect((await loader.current()).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('takes a home that is opened as the folder for the home it is', async () => {
    const { put, loader } = await skillShelf({ folders: ['workspace'] });
    put('workspace/skills/a/SKILL.md', skillText('a'));
    expect((await loader.current()).map(({ source, overrides }) => [source.kind, overrides.length])).toEqual([
      ['personal', 0],
    ]);
  });

  it('has none where there is nothing at all', async () => {
    expect(await (await skillShelf()).loader.current()).toEqual([]);
  });
});

describe('what a skill needs', () => {
  it('is checked, and checked again when a program comes and goes', async () => {
    const { put, loader, bin } = await skillShelf();
    put('workspace/skills/gh/SKILL.md', skillText('gh', 'requires: {bins: [gh]}\n'));
    const status = () => statusOf(loader.list()[0] ?? (undefined as never));
    await loader.current();
    expect(status()).toBe('unavailable');
    expect(whyNot(loader.list()[0] ?? (undefined as never))).toBe('missing: gh');
    put('bin/gh', '#!/bin/sh\n');
    chmodSync(join(bin, 'gh'), 0o644);
    await loader.refresh();
    expect(status()).toBe('unavailable');
    chmodSync(join(bin, 'gh'), 0o755);
    await until('gh to be noticed', () => status() === 'available');
    rmSync(join(bin, 'gh'));
    await until('gh to be missed', () => status() === 'unavailable');
  });

  it('may be a variable, which counts as soon as it is set, one program of several, or a system', async () => {
    const env: Record<string, string> = { EMPTY: '' };
    const { put, loader, bin } = await skillShelf({ deps: { env } });
    env['PATH'] = bin;
    put('bin/codex', '#!/bin/sh\n');
    chmodSync(join(bin, 'codex'), 0o755);
    put('workspace/skills/a/SKILL.md', skillText('a', 'requires: {env: [TOKEN, EMPTY]}\n'));
    put('workspace/skills/b/SKILL.md', skillText('b', 'requires: {anyBins: [claude, codex]}\n'));
    put('workspace/skills/c/SKILL.md', skillText('c', 'requires: {anyBins: [x, y]}\nos: [darwin, win32]\n'));
    put('workspace/skills/d/SKILL.md', skillText('d', 'os: [linux]\n'));
    expect((await loader.current()).map(({ missing }) => missing)).toEqual([
      ['TOKEN', 'EMPTY'],
      [],
      ['macOS or Windows', 'one of x, y'],
      [],
    ]);
    env['TOKEN'] = 'x';
    expect(loader.list()[0]?.missing).toEqual(['EMPTY']);
  });

  it('keeps an always-skill out of the prompt while it is not met', async () => {
    const { put, loader } = await skillShelf();
    put('workspace/skills/a/SKILL.md', skillText('a', 'always: true\nrequires: {bins: [nope]}\n'));
    put('workspace/skills/b/SKILL.md', skillText('b', 'always: true\n'));
    expect((await loader.current()).map(statusOf)).toEqual(['unavailable', 'always']);
  });
});

describe('switching off', () => {
  it('counts at once, by name, whatever its case and source', async () => {
    const { put, loader, disabled } = await skillShelf();
    put('builtin/weather/SKILL.md', skillText('weather', 'always: true\n'));
    await loader.current();
    const before = loader.list();
    expect(loader.list()).toBe(before);
    disabled.push('Weather');
    expect(loader.list().map(statusOf)).toEqual(['disabled']);
  });
});

describe('watching', () => {
  it('sees a new skill, a changed one, one that goes, and a source that did not exist', async () => {
    const { put, loader, root } = await skillShelf();
    expect(await loader.current()).toEqual([]);
    let told = 0;
    loader.onChange(() => told++);
    put('project/.agents/skills/a/SKILL.md', skillText('a'));
    await until('the new skill', () => loader.list().length === 1);
    put('project/.agents/skills/a/SKILL.md', skillText('a').replace('Does a.', 'Does more.'));
    await until('the change', () => loader.list()[0]?.description === 'Does more.');
    put('workspace/skills/b/SKILL.md', skillText('b'));
    await until('the personal one', () => loader.list().length === 2);
    rmSync(join(root, 'project/.agents'), { recursive: true });
    await until(
      'the end of the first',
      () =>
        loader
          .list()
          .map(({ name }) => name)
          .join() === 'b',
    );
    expect(told).toBeGreaterThanOrEqual(4);
  });

  it('reads only what changed', async () => {
    const { put, loader, reads } = await skillShelf();
    for (let n = 0; n < 20; n++) put(`workspace/skills/s${String(n)}/SKILL.md`, skillText(`s${String(n)}`));
    await loader.current();
    expect(reads).toHaveLength(20);
    await loader.refresh();
    await loader.refresh();
    expect(reads).toHaveLength(20);
    put('workspace/skills/s3/SKILL.md', skillText('s3', 'always: true\n'));
    await until('the change', () => loader.list().some(({ always }) => always));
    expect(reads).toHaveLength(21);
  });

  it('finds what was written a moment ago', async () => {
    const { put, loader } = await skillShelf();
    await loader.current();
    put('workspace/skills/fresh/SKILL.md', skillText('fresh'));
    expect((await loader.find('fresh'))?.name).toBe('fresh');
    expect(await loader.find('nothing')).toBeUndefined();
  });

  it('tells nobody of a touch, and the list stays the same', async () => {
    const { put, loader, root } = await skillShelf();
    put('workspace/skills/a/SKILL.md', skillText('a'));
    await loader.current();
    const [before] = loader.list();
    utimesSync(join(root, 'workspace/skills/a/SKILL.md'), 1, 1);
    await loader.refresh();
    expect(loader.list()[0]).toEqual(before);
  });
});

describe('bad days', () => {
  it('uses a skill without a head by its folder and first words', async () => {
    const { put, loader } = await skillShelf();
    put('workspace/skills/plain/SKILL.md', '# Plain\n\nBrews tea.\n');
    const [skill] = await loader.current();
    expect(skill).toMatchObject({ name: 'plain', description: 'Brews tea.' });
    expect(skill && statusOf(skill)).toBe('available');
    expect(skill && (await loader.body(skill))).toBe('# Plain\n\nBrews tea.');
  });

  it('shows a broken one with its line, beside the others', async () => {
    const { put, loader } = await skillShelf();
    put('workspace/skills/broken/SKILL.md', '---\nname: broken\nmetadata: {a: [\n---\n');
    put('workspace/skills/fine/SKILL.md', skillText('fine'));
    put('workspace/skills/js/SKILL.md', '---js\nglobalThis.ranOnScan = true\n---\n');
    const skills = await loader.current();
    expect(skills.map(statusOf)).toEqual(['unavailable', 'available', 'unavailable']);
    expect(errorOf(skills[0] ?? (undefined as never))).toMatchObject({ line: 4 });
    expect('ranOnScan' in globalThis).toBe(false);
  });

  it('goes by the folder where the name is another', async () => {
    const { put, loader } = await skillShelf();
    put('workspace/skills/one/SKILL.md', skillText('two'));
    put('workspace/skills/My Skill/SKILL.md', skillText('my-skill'));
    const skills = await loader.current();
    expect(skills.map(({ name, problems }) => [name, problems.length])).toEqual([
      ['My Skill', 2],
      ['one', 1],
    ]);
    expect(skills.map(statusOf)).toEqual(['available', 'available']);
  });

  it('reads of a body of 5 MB only the beginning', async () => {
    const { put, loader, reads } = await skillShelf();
    put('workspace/skills/huge/SKILL.md', skillText('huge', 'always: true\n', '茶'.repeat(1_700_000)));
    const [skill] = await loader.current();
    expect(skill?.problems[0]?.message).toMatch(/It has 5\.1 MB; 24000 characters/);
    expect(skill?.body.length).toBeLessThan(24_200);
    expect(skill?.body).toContain(`read the rest at ${skill?.path ?? ''}`);
    expect(skill && (await loader.body(skill)).length).toBeLessThan(24_200);
    expect(reads.length).toBeLessThanOrEqual(2);
  });

  it('survives links that go in a circle, lead nowhere, or lead up', async () => {
    const { put, loader, root } = await skillShelf();
    const folder = join(root, 'workspace/skills');
    put('workspace/skills/fine/SKILL.md', skillText('fine'));
    symlinkSync('loop', join(folder, 'loop'));
    symlinkSync('nowhere', join(folder, 'gone'));
    symlinkSync('..', join(folder, 'up'));
    mkdirSync(join(folder, 'inner'));
    symlinkSync('SKILL.md', join(folder, 'inner', 'SKILL.md'));
    const skills = await loader.current();
    expect(skills.map(({ name }) => name)).toEqual(['fine', 'inner', 'loop']);
    for (const skill of skills.slice(1)) expect(whyNot(skill)).toMatch(/links go in a circle/);
  });

  it('follows a link of the person, and none of a repository that leads out of it', async () => {
    const { put, loader, root } = await skillShelf();
    put('elsewhere/shared/SKILL.md', skillText('shared'));
    put('project/.agents/skills/inside/SKILL.md', skillText('inside'));
    mkdirSync(join(root, 'workspace/skills'), { recursive: true });
    symlinkSync(join(root, 'elsewhere/shared'), join(root, 'workspace/skills/shared'));
    mkdirSync(join(root, 'project/.claude/skills'), { recursive: true });
    symlinkSync(join(root, 'elsewhere/shared'), join(root, 'project/.claude/skills/stolen'));
    symlinkSync(join(root, 'project/.agents/skills/inside'), join(root, 'project/.claude/skills/linked'));
    const skills = await loader.current();
    expect(skills.map((skill) => [skill.name, statusOf(skill)])).toEqual([
      ['inside', 'available'],
      ['linked', 'available'],
      ['shared', 'available'],
      ['stolen', 'unavailable'],
    ]);
    expect(whyNot(skills[3] ?? (undefined as never))).toMatch(/leads out of the workspace/);
    expect(skills[3]?.body).toBe('');
  });

  it('names scripts that may not be run', async () => {
    const { put, loader, root } = await skillShelf();
    put('workspace/skills/a/SKILL.md', skillText('a'));
    put('workspace/skills/a/scripts/go.sh', '#!/bin/sh\n');
    put('workspace/skills/a/scripts/data.json', '{}');
    await loader.current();
    expect(loader.list()[0]?.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('scripts/go.sh'),
    ]);
    chmodSync(join(root, 'workspace/skills/a/scripts/go.sh'), 0o755);
    await loader.refresh();
    expect(loader.list()[0]?.problems).toEqual([]);
  });

  it('says of a file that is no text, or no file, that it is none', async () => {
    const { put, loader, root } = await skillShelf();
    put('workspace/skills/binary/SKILL.md', new Uint8Array([0, 1, 2, 0, 0, 3]));
    mkdirSync(join(root, 'workspace/skills/folder/SKILL.md'), { recursive: true });
    expect((await loader.current()).map((skill) => whyNot(skill))).toEqual([
      expect.stringMatching(/not a text/),
      expect.stringMatching(/not a file/),
    ]);
  });

  it('holds 500 skills, and looks at them again without reading one', async () => {
    const { put, loader, reads } = await skillShelf();
    for (let n = 0; n < 500; n++) put(`workspace/skills/s${String(n)}/SKILL.md`, skillText(`s${String(n)}`));
    expect(await loader.current()).toHaveLength(500);
    await loader.refresh();
    expect(reads).toHaveLength(500);
    put('workspace/skills/s499/SKILL.md', skillText('s499', 'always: true\n'));
    await until('the change of the last', () => loader.list().some(({ always }) => always));
  });
});
