import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/approval/policy.js';
import { corpus, type Outcome } from './corpus.js';
import { makeKit, type Kit } from './kit.js';

let kit: Kit;

beforeAll(async () => {
  kit = await makeKit();
  await mkdir(join(kit.project, 'src'));
  await symlink(kit.outside, join(kit.project, 'link-out'));
});
afterAll(() => kit.dispose());

function outcomeOf(verdict: Verdict): Outcome {
  if (verdict.kind === 'allow') return 'plain';
  if (verdict.kind === 'deny') return verdict.reason.startsWith('Blocked in every mode') ? 'blocked' : 'plain';
  return verdict.reasons.some((reason) => reason.startsWith('This line cannot be checked'))
    ? 'unparsable'
    : 'dangerous';
}

describe('command lines in mode auto', () => {
  it.each(corpus)('%s: %j', async (expected, line) => {
    kit.settings.mode = 'auto';
    expect(outcomeOf(await kit.exec(line))).toBe(expected);
  });

  it.each(corpus.filter(([outcome]) => outcome === 'blocked'))('%s in mode all too: %j', async (_, line) => {
    kit.settings.mode = 'all';
    expect(outcomeOf(await kit.exec(line))).toBe('blocked');
  });
});

describe('command lines in mode ask', () => {
  it('asks every line that is not blocked, with dangers as reasons', async () => {
    kit.settings.mode = 'ask';
    for (const [outcome, line] of corpus) {
      const verdict = await kit.exec(line);
      if (outcome === 'blocked') expect(verdict.kind, line).toBe('deny');
      else if (verdict.kind !== 'ask') expect.fail(`${line} is not asked`);
      else if (outcome === 'plain') expect(verdict.reasons, line).toEqual([]);
      else expect(verdict.reasons.length, line).toBeGreaterThan(0);
    }
  });
});
