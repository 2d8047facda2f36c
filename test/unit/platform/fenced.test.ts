import { expect, it } from 'vitest';
import { fenced } from '../../../src/platform/fenced.js';

it('is longer than every run of backticks in the text, and three at least', () => {
  expect(fenced('a')).toBe('```\na\n```');
  expect(fenced('a ` b', 'ts')).toBe('```ts\na ` b\n```');
  expect(fenced('````\na\n```')).toBe('`````\n````\na\n```\n`````');
});
