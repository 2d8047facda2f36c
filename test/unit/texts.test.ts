import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestIn, rootJson } from '../support/manifest.js';
import { bareTexts, placeholders, translatedTexts } from '../support/texts.js';

const root = join(import.meta.dirname, '../..');
const table = (path: string) => rootJson(path) as Record<string, string>;

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

describe('package.json', () => {
  const english = table('package.nls.json');
  const chinese = table('package.nls.zh-cn.json');

  it('says nothing that is not in the tables, which hold nothing else', () => {
    const used = [...readFileSync(join(root, 'package.json'), 'utf8').matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key);
    expect(Object.keys(english).sort()).toEqual(used.sort());
    expect(Object.keys(chinese).sort()).toEqual(used);
    const { contributes } = rootJson('package.json') as { contributes: object };
    const shown =
      /^(title|shortTitle|contents|displayName|userDescription|altText|(markdown)?[dD]escription|contextualTitle)$/;
    const bare: string[] = [];
    JSON.stringify(contributes, (name, value: unknown) => {
      // What only the model reads.
      if (name === 'inputSchema') return undefined;
      if (typeof value === 'string' && shown.test(name) && !/^%.*%$|^Nanobot$/.test(value)) bare.push(value);
      return value;
    });
    expect(bare).toEqual([]);
  });

  it('is in Chinese but for names, with the same links, settings and code', () => {
    const parts = (text: string) =>
      [...text.matchAll(/\]\(command:[\w.]+\)|`#?[^`]+`|\*\*/g)].map(([part]) => part).sort();
    expect(
      Object.keys(english).filter((key) => english[key] === chinese[key] && !NAMES.test(english[key] ?? '')),
    ).toEqual([]);
    expect(
      Object.keys(english).filter((key) => parts(english[key] ?? '').join() !== parts(chinese[key] ?? '').join()),
    ).toEqual([]);
  });

  it('has a picture in each language', () => {
    const media = (name: 'package.nls.json' | 'package.nls.zh-cn.json') =>
      JSON.stringify(manifestIn(name)).match(/media\/start\/[\w/.-]+/g);
    expect(media('package.nls.json')).toHaveLength(6);
    for (const path of media('package.nls.zh-cn.json') ?? [])
      expect(readFileSync(join(root, path), 'utf8')).toMatch(/^<svg [^>]*viewBox/);
  });
});
