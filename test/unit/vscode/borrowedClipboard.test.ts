import { expect, it } from 'vitest';
import { borrowedText } from '../../../src/vscode/borrowedClipboard.js';

/** A clipboard that answers a moment later, as VS Code's does. */
function clipboardWith(text: string) {
  const held = { text };
  const later = () => new Promise((resolve) => setImmediate(resolve));
  return {
    held,
    readText: () => later().then(() => held.text),
    writeText: (given: string) => later().then(() => void (held.text = given)),
  };
}

it('two that copy at once both get theirs, and the person’s text is back', async () => {
  const clipboard = clipboardWith('mine');
  const copy = (text: string) => borrowedText(clipboard, () => clipboard.writeText(text));
  expect(await Promise.all([copy('first'), copy('second')])).toEqual(['first', 'second']);
  expect(clipboard.held.text).toBe('mine');
});

it('is empty where nothing was copied, and a copy that failed holds nobody up', async () => {
  const clipboard = clipboardWith('mine');
  const failed = borrowedText(clipboard, () => Promise.reject(new Error('No such command.')));
  const next = borrowedText(clipboard, () => Promise.resolve());
  await expect(failed).rejects.toThrow('No such command.');
  expect(await next).toBe('');
  expect(clipboard.held.text).toBe('mine');
});
