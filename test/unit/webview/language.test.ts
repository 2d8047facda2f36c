import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HostMessage } from '../../../src/protocol/wire.js';
import { defaultSetup, openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';
import { misfits } from '../../support/pageFit.js';
import { furtherStates } from '../../support/furtherStates.js';
import { pageStates } from '../../support/pageStates.js';
import { translatedTexts } from '../../support/texts.js';

const states = { ...pageStates, ...furtherStates };

/** A language in which every piece of every text stands in brackets, and what fills its gaps does not. */
const bracketed = Object.fromEntries(
  translatedTexts('webview', 'src/protocol').map(({ key, message }) => [
    key,
    message.replace(/\{\d+\}|(?:(?!\{\d+\})[^])+/g, (piece) => (/^\{\d+\}$/.test(piece) ? piece : `⟦${piece}⟧`)),
  ]),
);
const chinese = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../l10n/bundle.l10n.zh-cn.json'), 'utf8'),
) as Record<string, string>;

/** Called the same in every language: names, keys, thousands and millions of tokens. */
const NAMES = /^(?:Nanobot|[kM]|(?:(?:Ctrl|Alt|Shift|Enter|Escape|Tab|Backspace|Delete|F\d*|[A-Z])\+?)+)$/;
/** What of a state is there for programs, not for people. */
const CODES = new Set(['kind', 'status', 'type', 'role', 'level', 'next', 'state', 'code', 'callId', 'for']);

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

describe('in a language of brackets every word of the page is translated in', () => {
  it.each(Object.keys(states))('%s', async (name) => {
    const { state, setup, reach } = states[name] ?? {};
    const sent: HostMessage[] = [];
    chat = await lab.open({ texts: bracketed, ...(state ? { state } : {}), ...(setup ? { setup } : {}) });
    await reach?.({
      ...chat,
      send: (message) => {
        sent.push(message);
        return chat.send(message);
      },
    });
    const data = wordsOf([chat.state(), sent, { ...defaultSetup, ...setup }]).map(dense);
    const bare = (await readable()).flatMap((text) => leftOf(text).filter((piece) => !isGiven(piece, data)));
    expect(bare).toEqual([]);
  });
});

describe.each([300, 500])('in 简体中文, %i pixels wide, everything has its place in', (width) => {
  it.each(Object.keys(states))('%s', async (name) => {
    const { state, setup, reach } = states[name] ?? {};
    chat = await lab.open({ texts: chinese, width, ...(state ? { state } : {}), ...(setup ? { setup } : {}) });
    await reach?.(chat);
    expect(await misfits(chat.page)).toEqual([]);
  });
});

/** Every text of the page that is seen or heard, those of the toolkit's own trees too. */
async function readable(): Promise<string[]> {
  return chat.page.evaluate(() => {
    const texts: string[] = [];
    const read = (root: Node): void => {
      for (const node of root.childNodes) {
        if (node instanceof Text) texts.push(node.data);
        if (!(node instanceof Element) || node.matches('script, style')) continue;
        for (const name of ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'placeholder', 'alt'])
          texts.push(node.getAttribute(name) ?? '');
        read(node);
        if (node.shadowRoot) read(node.shadowRoot);
      }
    };
    read(document.documentElement);
    return [...new Set(texts)];
  });
}

/** What of a text stands in no brackets and has letters. */
function leftOf(text: string): string[] {
  return text
    .split(/⟦[^⟧]*⟧|\n| · |, | \(/)
    .map((piece) => piece.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, ''))
    .filter((piece) => piece !== '');
}

function isGiven(piece: string, data: string[]): boolean {
  return NAMES.test(piece) || data.some((words) => words.includes(dense(piece)));
}

/** Without white space: arguments are drawn with other line breaks than they have. */
function dense(text: string): string {
  return text.replace(/\s+/g, '');
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (CODES.has(key) ? [] : wordsOf(inner)));
}
