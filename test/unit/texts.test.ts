import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareTexts, placeholders, translatedTexts } from '../support/texts.js';

const root = join(import.meta.dirname, '../..');
const table = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, string>;

/** Named the same in every language. */
const NAMES =
  /^(?:\W|\d|\{\w+\}|Nanobot|Markdown|JSON Lines|JSON|MCP|Dream|ms|min|API|URL|Enter|Escape|Tab|k|M|h|s|d)*$/;

const texts = translatedTexts('src', 'webview');
const messages = new Map(texts.map(({ key, message }) => [key, message]));

describe('what people read', () => {
  it('goes through t where VS Code shows it', () => {
    expect(bareTexts('src/vscode').map(({ place, text }) => `${place} ${text}`)).toEqual([]);
  });

  it('is asked for when the language is known', () => {
    const early = texts.filter(({ place, isTooEarly }) => isTooEarly && place.startsWith('src/'));
    expect(early.map(({ place }) => place)).toEqual([]);
  });

  it('names its gaps from {0} on, without a hole', () => {
    const wrong = [...messages.values()].filter((message) => {
      const gaps = new Set(placeholders(message));
      return [...gaps].some((gap) => /^\d+$/.test(gap) && Number(gap) >= gaps.size);
    });
    expect(wrong).toEqual([]);
  });
});

describe.each(readdirSync(join(root, 'l10n')))('%s', (name) => {
  const translated = table(`l10n/${name}`);

  it('has every text, and none that nothing says', () => {
    expect([...messages.keys()].filter((key) => !(key in translated)).sort()).toEqual([]);
    expect(Object.keys(translated).filter((key) => !messages.has(key))).toEqual([]);
  });

  it('keeps the gaps of each', () => {
    const wrong = Object.entries(translated).filter(
      ([key, text]) => placeholders(messages.get(key) ?? '').join() !== placeholders(text).join(),
    );
    expect(wrong).toEqual([]);
  });

  it('leaves nothing as it is in English but names', () => {
    const same = Object.entries(translated).filter(([key, text]) => messages.get(key) === text && !NAMES.test(text));
    expect(same.map(([key]) => key)).toEqual([]);
  });
});
