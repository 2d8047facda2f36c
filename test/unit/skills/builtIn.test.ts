import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { skillProblem } from '../../../src/memory/dream/skillText.js';
import { readManifest } from '../../../src/skills/manifest.js';

const folder = join(import.meta.dirname, '../../../skills');
const names = readdirSync(folder).sort();
const read = (name: string) => readFileSync(join(folder, name, 'SKILL.md'), 'utf8');

describe('the built-in skills', () => {
  it('are these ten', () => {
    expect(names).toEqual([
      'code-review',
      'commit',
      'cron',
      'github',
      'memory',
      'skill-creator',
      'summarize',
      'tmux',
      'vscode',
      'weather',
    ]);
  });

  it.each(names)('%s is without fault, short, and says when to use it', async (name) => {
    const { problems, description, always, body } = await readManifest(read(name), name);
    expect(problems).toEqual([]);
    expect(always).toBe(name === 'memory');
    if (name !== 'memory') expect(description).toMatch(/^Use when /);
    expect(description.length).toBeLessThan(200);
    expect(body.split(/\s+/).length).toBeLessThan(name === 'memory' ? 200 : 700);
  });

  it('need what they say', async () => {
    const needs = await Promise.all(
      names.map(async (name) => [name, (await readManifest(read(name), name)).needs.bins] as const),
    );
    expect(Object.fromEntries(needs.filter(([, bins]) => bins.length > 0))).toEqual({
      commit: ['git'],
      github: ['gh'],
      tmux: ['tmux'],
      weather: ['curl'],
    });
  });

  it('show JSON that VS Code can read, and a skill that Dream could write', async () => {
    const blocks = read('vscode')
      .split('\n\n')
      .filter((block) => block.startsWith('    {'));
    expect(blocks).toHaveLength(2);
    for (const block of blocks) expect(JSON.parse(block)).toHaveProperty('version');
    const example = /\n( {4}---\n[\s\S]*?\n {4}## Example\n.*)/
      .exec(read('skill-creator'))?.[1]
      ?.replace(/^ {4}/gm, '');
    expect(await skillProblem('release-notes', `${example ?? ''}\n`)).toBeUndefined();
  });
});
