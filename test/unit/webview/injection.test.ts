import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, AT, userMessage } from '../../support/conversations.js';
import type { MarkdownInPage } from '../../support/markdownInPage.js';
import { PAYLOADS as payloads } from '../../support/injectionCorpus.js';
import { bundle, openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';

declare const markdownInPage: MarkdownInPage;

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

/** Looks at everything in the page, and clicks whatever looks like a link. */
async function inspect() {
  const links = chat.page.locator('[role="log"] [role="link"]');
  for (let index = 0; index < (await links.count()); index++) await links.nth(index).click({ force: true });
  return await chat.page.evaluate(() => ({
    pwned: 'pwned' in window,
    handlers: [...document.querySelectorAll('body *')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    foreign: [...document.querySelectorAll('[role="log"], .dock')]
      .flatMap((part) => [
        ...part.querySelectorAll(
          'script, iframe, object, embed, link, style, form, base, meta, video, audio, svg:not([aria-hidden])',
        ),
      ])
      .map((element) => element.outerHTML),
    addresses: [...document.querySelectorAll('[href], [src], [srcset], [action], [style]')]
      .filter((element) => element !== document.body && !element.closest('head') && element.tagName !== 'SCRIPT')
      .map((element) => element.outerHTML)
      .filter((html) => !/^<img src="data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+" alt="[^"]*">$/.test(html)),
  }));
}

const clean = { pwned: false, handlers: 0, foreign: [], addresses: [] };

describe('text that tries to be more', () => {
  it(`runs and fetches nothing as an answer drawn at once (${payloads.length} payloads)`, async () => {
    chat = await lab.open({ state: { messages: payloads.map((text, index) => answer(`a${index}`, text)) } });
    expect(await inspect()).toEqual(clean);
    expect(chat.requests).toEqual([]);
    const opened = (await chat.posted()).flatMap((message) => (message.type === 'openLink' ? [message.href] : []));
    expect(opened.filter((href) => !/^https?:\/\//.test(href))).toEqual([]);
  });

  it('runs and fetches nothing while it streams, letter by letter', async () => {
    chat = await lab.open();
    await chat.page.evaluate(new TextDecoder().decode(await bundle('test/support/markdownInPage.ts')));
    await chat.page.evaluate((texts) => {
      const log = document.querySelector('[role="log"]');
      for (const text of texts) {
        const stream = markdownInPage.stream();
        log?.append(stream.element);
        for (let end = 1; end <= text.length; end++) stream.update(text.slice(0, end), false);
        stream.update(text, true);
      }
    }, payloads);
    expect(await inspect()).toEqual(clean);
    expect(chat.requests).toEqual([]);
  });

  it('is plain text in prompts, tool calls, approvals, questions, tasks, queue, notices and titles', async () => {
    const text = payloads.join('\n');
    chat = await lab.open({
      state: {
        session: { key: 'k', title: text, readOnly: false, interrupted: false },
        messages: [
          { ...userMessage('u', text), attachments: [{ path: text, label: text }] },
          answer('a', '', {
            parts: [
              { kind: 'thinking', text },
              {
                kind: 'tool',
                callId: 'c',
                name: 'exec',
                status: 'ok',
                summary: text,
                args: text,
                startedAt: AT,
                ms: 1,
                output: text,
                diff: text,
                files: [{ path: text }],
              },
            ],
            status: 'error',
            error: { code: 'x', message: text, next: [] },
            turn: { id: 't', ms: 1, changes: [{ path: text, label: text, added: 1, removed: 1, kind: 'changed' }] },
          }),
        ],
        turn: { id: 't2', startedAt: AT, steps: 1 },
        approvals: [
          {
            id: 'p',
            callId: 'x',
            tool: text,
            title: text,
            detail: text,
            reasons: [text],
            diff: text,
            rules: [{ id: 'r', label: text }],
          },
        ],
        questions: [{ id: 'q', callId: 'y', text, options: [text] }],
        todo: [{ text, status: 'pending' }],
        queue: [{ id: 'w', text, attachments: [{ path: text, label: text }], armed: true }],
        notices: [{ id: 'n', level: 'info', text, next: [] }],
        retry: { until: AT, attempt: 1, reason: text },
        model: { id: text, label: text, window: 1 },
      },
      setup: { remembered: text, home: text, examples: [text] },
    });
    for (const summary of await chat.page.locator('[role="log"] summary').all()) await summary.click();
    expect(await inspect()).toEqual(clean);
    const file = { path: text, label: text, kind: 'put back' as const, changedSince: true };
    await chat.send({ type: 'restorePlan', for: 'restore', plan: { messageId: 'u', messages: 1, files: [file] } });
    await chat.page.getByRole('group', { name: 'Restore', exact: true }).waitFor();
    await chat.send({ type: 'attached', attachments: [{ path: text, label: text, kind: 'url', error: text }] });
    expect(await inspect()).toEqual(clean);
    expect(chat.requests).toEqual([]);
  });

  it('is shown as what it is: tags are text', async () => {
    chat = await lab.open({ state: { messages: [answer('a', 'Use <script src="x"> or <b>bold</b> and `<img>`.')] } });
    const shown = chat.page.getByRole('article');
    expect(await shown.innerText()).toBe('Use <script src="x"> or bold and <img>.');
    expect(await shown.locator('b').innerText()).toBe('bold');
  });
});
