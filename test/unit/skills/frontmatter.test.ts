import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '../../../src/skills/frontmatter.js';
import { isSkillName, readManifest } from '../../../src/skills/manifest.js';
import { CASES, type FrontmatterCase } from './frontmatterCases.js';

describe('the head of a SKILL.md', () => {
  it('is read in at least 60 forms', () => {
    expect(CASES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(CASES.map(({ title }) => title)).size).toBe(CASES.length);
  });

  it.each(CASES)('$title', async (wanted: FrontmatterCase) => {
    const read = await readManifest(wanted.text, 'demo');
    const errors = read.problems.filter(({ severity }) => severity === 'error');
    if (wanted.error) {
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).toMatch(wanted.error[0]);
      expect(errors[0]?.line).toBe(wanted.error[1]);
      return;
    }
    expect(errors).toEqual([]);
    expect({ ...read, body: undefined, problems: undefined }).toEqual({
      description: wanted.description ?? 'Does it.',
      always: wanted.always ?? false,
      modelMayUse: wanted.modelMayUse ?? true,
      needs: { bins: wanted.bins ?? [], anyBins: wanted.anyBins ?? [], env: wanted.env ?? [], os: wanted.os ?? [] },
      emoji: wanted.emoji ?? '',
      license: wanted.license ?? '',
      allowedTools: wanted.tools ?? [],
    });
    if (wanted.body !== undefined) expect(read.body).toBe(wanted.body);
    const warnings = wanted.warnings ?? [];
    expect(read.problems.map(({ message }) => message)).toEqual(
      warnings.map(
        (words) =>
          (typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words)) as unknown,
      ),
    );
  });

  it('runs nothing, whatever stands in it', () => {
    expect('ranSkill' in globalThis).toBe(false);
  });

  it('says the same of a broken file each time it is read', async () => {
    const broken = '---\nmetadata: [\n---\n';
    const first = await readFrontmatter(broken);
    expect(await readFrontmatter(broken)).toEqual(first);
    expect(first).toHaveProperty('problem');
  });

  it('names the line of what it warns of', async () => {
    const { problems } = await readManifest('---\ndescription: x\nname: other\nalways: perhaps\n---\n', 'demo');
    expect(problems.map(({ line }) => line)).toEqual([3, 4]);
  });

  it('is read quickly however it repeats itself', async () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let n = 0; n < 12; n++) {
      const [own, former] = [String.fromCharCode(98 + n), String.fromCharCode(97 + n)];
      bomb.push(`${own}: &${own} [${Array.from({ length: 9 }, () => `*${former}`).join(', ')}]`);
    }
    const started = performance.now();
    const { problems } = await readManifest(
      `---\nname: demo\ndescription: x\n${bomb.join('\n')}\nallowed-tools: *m\n---\n`,
      'demo',
    );
    expect(problems).toEqual([]);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('the name of a skill', () => {
  it.each(['a', 'code-review', 'x1', 'a'.repeat(64)])('can be %s', (name) => expect(isSkillName(name)).toBe(true));
  it.each(['', 'A', 'a_b', '-a', 'a-', 'a--b', 'a b', 'é', 'a'.repeat(65)])('cannot be "%s"', (name) =>
    expect(isSkillName(name)).toBe(false),
  );
});
