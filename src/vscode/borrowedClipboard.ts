import { randomUUID } from 'node:crypto';

/** The clipboard as VS Code has it: texts only. */
export interface Clipboard {
  readText(): PromiseLike<string>;
  writeText(text: string): PromiseLike<void>;
}

/** Who borrows a clipboard next waits for who has it now. */
const waiting = new WeakMap<Clipboard, Promise<unknown>>();

/**
 * What `copy` copies; empty where it copies nothing. The text that was in the clipboard is put back, a picture cannot be. One after another: who came while
 * the clipboard is borrowed would put back what the other one put there. Rejects as `copy` does.
 */
export function borrowedText(clipboard: Clipboard, copy: () => PromiseLike<unknown>): Promise<string> {
  const before = waiting.get(clipboard) ?? Promise.resolve();
  const borrowed = before.then(() => copiedText(clipboard, copy));
  waiting.set(
    clipboard,
    borrowed.catch(() => undefined),
  );
  return borrowed;
}

async function copiedText(clipboard: Clipboard, copy: () => PromiseLike<unknown>): Promise<string> {
  const kept = await clipboard.readText();
  // Where there is nothing to copy the clipboard stays as it is, which can only be seen by something that nobody copies.
  const mark = `nanobot-${randomUUID()}`;
  try {
    await clipboard.writeText(mark);
    await copy();
    const text = await clipboard.readText();
    return text === mark ? '' : text;
  } finally {
    await clipboard.writeText(kept);
  }
}
