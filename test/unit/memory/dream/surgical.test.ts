import { describe, expect, it } from 'vitest';
import { changeOf, tooMuch, type Asked } from '../../../../src/memory/dream/surgical.js';

const facts = (...names: string[]) => `# Memory\n\n## Facts\n\n${names.map((name) => `- ${name}`).join('\n')}\n`;
const ten = [
  'Lives in Berlin',
  'Works on a tea timer',
  'Uses pnpm for packages',
  'Prefers tabs',
  'Speaks German',
  'Deploys on Fridays',
  'Tests with vitest',
  'Writes TypeScript',
  'Dislikes meetings',
  'Drinks oolong',
];
const asked = (more: Partial<Asked> = {}): Asked => ({ findings: 1, removals: 0, condense: false, ...more });

describe('a change of a file', () => {
  it('counts lines that went, that changed, and none that only moved or came', () => {
    const before = facts(...ten);
    expect(changeOf(before, facts(...ten, 'A new fact'))).toEqual({ of: 10, touched: 0, lost: 0 });
    expect(changeOf(before, facts(...ten.toReversed()))).toEqual({ of: 10, touched: 0, lost: 0 });
    expect(changeOf(before, before.replace('Lives in Berlin', 'Lives in Berlin since 2024'))).toEqual({
      of: 10,
      touched: 1,
      lost: 0,
    });
    expect(changeOf(before, facts(...ten.slice(2)))).toEqual({ of: 10, touched: 2, lost: 2 });
  });

  it('of a template that is filled in is none', () => {
    expect(changeOf('# User\n\n- Name:\n- Language:\n', '# User\n\n- Name: Ada\n- Language: German\n')).toEqual({
      of: 0,
      touched: 0,
      lost: 0,
    });
  });

  it.each([
    ['adds', facts(...ten, 'More'), asked()],
    ['corrects a line', facts(...ten).replace('Prefers tabs', 'Prefers tabs of four'), asked()],
    ['replaces a line by another', facts(...ten).replace('- Deploys on Fridays', '- Ships when it is ready'), asked()],
    ['removes what one finding names, which may be several lines', facts(...ten.slice(4)), asked({ removals: 1 })],
    ['condenses where it was told to', facts(...ten.slice(0, 4)), asked({ condense: true })],
  ])('is fine where it %s', (_, after, about) => {
    expect(tooMuch(facts(...ten), after, about)).toBeUndefined();
  });

  it.each([
    ['writes the file anew', facts('Only this is known'), asked({ findings: 5, removals: 1 })],
    ['empties it', '', asked({ removals: 2 })],
    ['says everything in other words', facts(...ten.map((fact) => `The person: ${fact}`)), asked({ findings: 2 })],
    ['drops lines nobody asked to drop', facts(...ten.slice(4)), asked({ findings: 3 })],
    ['condenses all of it away', facts('A short life'), asked({ condense: true })],
  ])('is too much where it %s', (_, after, about) => {
    expect(tooMuch(facts(...ten), after, about)).toMatch(/this would (take out|rewrite) \d+ of the 10 lines/);
  });

  it('of a small file may not replace it whole either, unless as many findings ask for it', () => {
    const three = facts('Lives in Berlin', 'Prefers tabs', 'Drinks oolong');
    expect(tooMuch(three, facts('Something else'), asked())).toBeDefined();
    expect(tooMuch(three, facts(), asked({ findings: 3, removals: 3 }))).toBeUndefined();
  });
});
