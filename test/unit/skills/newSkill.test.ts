import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { readManifest } from '../../../src/skills/manifest.js';
import { createSkill } from '../../../src/skills/newSkill.js';
import { tempHome } from '../../support/tempHome.js';

describe('a new skill', () => {
  it.each([
    '',
    'gathers "what" changed: since the last tag',
    'line\n---\nname: evil',
    '发布说明：每周',
    '\\ $& {{name}}',
  ])('is a proper one whatever its purpose: %j', async (purpose) => {
    const { home } = await tempHome();
    const path = await createSkill(nodeFiles(), join(home, 'skills'), { name: 'release-notes', purpose });
    expect(path).toBe(join(home, 'skills/release-notes/SKILL.md'));
    const read = await readManifest(readFileSync(path, 'utf8'), 'release-notes');
    expect(read.problems).toEqual([]);
    expect(read.description).toContain(purpose.replace(/\s+/g, ' '));
    expect(read.body).toContain('# Release notes');
  });

  it('is never written over another one', async () => {
    const { home } = await tempHome();
    const path = await createSkill(nodeFiles(), home, { name: 'a', purpose: 'first' });
    await expect(createSkill(nodeFiles(), home, { name: 'a', purpose: 'second' })).rejects.toThrow(
      /something named a in .* already/,
    );
    expect(readFileSync(path, 'utf8')).toContain('first');
  });

  it.each(['A', 'a b', '../a', 'a/b', ''])('has a proper name, and not "%s"', async (name) => {
    const { home } = await tempHome();
    await expect(createSkill(nodeFiles(), home, { name, purpose: '' })).rejects.toThrow(/no name for a skill/);
  });
});
