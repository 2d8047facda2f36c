import { expect, it } from 'vitest';
import { isOutsideName, mayBeOutside } from '../../../src/platform/outsideName.js';

it.each([
  ['/home/.nanobot/results/1.outside.txt', true],
  // The same file, where a disk takes names in any case.
  ['/home/.nanobot/Results/1.OUTSIDE.txt', true],
  ['/home/.nanobot/attachments/page.outside.md', true],
  ['/home/.nanobot/results/1.txt', false],
  ['/project/1.outside.txt', false],
])('%s was written by others: %s', (path, isOutside) => {
  expect(isOutsideName(path)).toBe(isOutside);
});

it('a link with such a name may lead to one', () => {
  expect(mayBeOutside('/project/1.Outside.txt')).toBe(true);
});
