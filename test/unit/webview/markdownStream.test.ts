import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deltasOf, longAnswer } from '../../support/longAnswer.js';
import type { MarkdownInPage } from '../../support/markdownInPage.js';
import { bundle, openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';

declare const markdownInPage: MarkdownInPage;

let lab: PageLab;
let chat: ChatPageUnderTest;
let page: Page;

beforeAll(async () => {
  lab = await openLab();
  chat = await lab.open({ state: null });
  page = chat.page;
  await page.evaluate(new TextDecoder().decode(await bundle('test/support/markdownInPage.ts')));
});

afterAll(async () => {
  await chat.close();
  await lab.close();
});

/** The HTML after each piece, and the HTML of the whole text drawn at once. */
async function draw(pieces: string[]): Promise<{ steps: string[]; final: string; whole: string }> {
  return await page.evaluate((list) => {
    const grown = markdownInPage.stream();
    const steps: string[] = [];
    let text = '';
    for (const piece of list) {
      text += piece;
      grown.update(text, false);
      steps.push(grown.element.innerHTML);
    }
    grown.update(text, true);
    const whole = markdownInPage.stream();
    whole.update(text, true);
    return { steps, final: grown.element.innerHTML, whole: whole.element.innerHTML };
  }, pieces);
}

const letters = (text: string) => Array.from(text);

const samples: Record<string, string> = {
  'headings, prose, code, tables and lists': longAnswer(3_200),
  'a fence that never closes': 'Look:\n\n```py\nprint("a")\n\nprint("b")',
  'a fence in a list': '1. First\n\n   ```js\n   const a = `x`;\n   2 ** 3;\n   ```\n\n2. Second\n\nEnd.',
  'a tilde fence with backticks in it': '~~~\n```\ninner\n```\n~~~\nafter',
  'a longer fence around a shorter one': '````md\n```js\nx\n```\n````\n\nafter',
  'a list that ends in a rule': '- a\n- b\n---\nafter',
  'loose and nested lists': '- a\n\n  more\n\n- b\n  - c\n  - d\n\n    deep\n- e\n\nend',
  'a list that changes its kind': '- a\n- b\n\n1. c\n2. d\n\n* e',
  'a long table with odd rows': `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(30)}| only |\n\nafter`,
  'a table without outer pipes': 'a | b\n--- | ---\n1 | 2\n3 | 4\n\nafter',
  'text before a table': 'Some text\n\n| a | b |\n| - | - |\n| 1 | 2 |\n',
  'underlined headings': 'Title\n=====\n\nPart\n----\n\ntext',
  'emphasis, code and links':
    'a **b c** *d* `e f` ~~g~~ [h i](https://x.test/y) ![j](https://x.test/k.png) **`l`** end',
  'Windows line ends': 'a\r\n\r\n- b\r\n- c\r\n\r\n```\r\nd\r\n```\r\n',
  'a reference that is defined at the end': 'See [the docs][1].\n\nMore.\n\n[1]: https://x.test/docs\n',
  formulas: 'Before\n\n$$\na^2 + b^2\n$$\n\nand\n\n\\[ x \\]\n\nafter',
  'raw HTML': 'a<br>b <script>alert(1)</script>\n\n<div onclick="x">\nhello\n</div>\n\nafter',
  'Chinese text': '你好。**世界**在这里：\n\n1. 第一\n2. 第二\n\n`代码`。',
};

describe('Markdown that grows', () => {
  for (const [name, text] of Object.entries(samples)) {
    it(`ends as if drawn at once: ${name}`, async () => {
      const { final, whole } = await draw(letters(text));
      expect(withoutLooseness(final)).toBe(withoutLooseness(whole));
    });
  }

  it('ends as if drawn at once wherever the pieces are cut', async () => {
    const text = longAnswer(6_000);
    for (const count of [7, 61, 250]) {
      const { final, whole } = await draw(deltasOf(text, count));
      expect(withoutLooseness(final)).toBe(withoutLooseness(whole));
    }
  });

  it('shows the first piece at once', async () => {
    const { steps } = await draw(['Hel', 'lo']);
    expect(steps[0]).toBe('<p>Hel</p>');
  });

  it('never shows marks that turn out to be Markdown', async () => {
    const { steps } = await draw(
      letters('**Bold** and `code` and [a link](https://x.test)\n\n- one\n- two\n\n```js\nx\n```\n'),
    );
    const shown = steps.map((html) => html.replace(/<[^>]*>/g, ''));
    expect(shown.filter((text) => /\*|`|\]\(|^- |\n- /.test(text))).toEqual([]);
  });

  it('never shows a heading, a rule or a table as something else first', async () => {
    const { steps } = await draw(letters('Text:\n- item\n\nNext\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'));
    expect(steps.filter((html) => html.includes('<h2'))).toEqual([]);
    expect(steps.filter((html) => /<p>\|/.test(html))).toEqual([]);
  });

  it('draws an open fence as code from its first character', async () => {
    const { steps } = await draw(['```ts\n', 'const a', ' = 1;\n', 'b']);
    expect(steps.at(-1)).toBe('<figure class="code" data-lang="ts"><pre tabindex="0">const a = 1;\nb</pre></figure>');
  });

  it('colours a code block without a node more, when it is finished, and takes the colours back', async () => {
    const counts = await page.evaluate(() => {
      const count = () => [...CSS.highlights.values()].reduce((sum, highlight) => sum + highlight.size, 0);
      const stream = markdownInPage.stream();
      const before = count();
      const seen: number[] = [];
      for (const text of ['```ts\nconst a = 1;\n', '```ts\nconst a = 1;\n```\n\nNext']) {
        stream.update(text, false);
        seen.push(count() - before);
      }
      seen.push(stream.element.querySelectorAll('pre *').length);
      stream.update('Something else', true);
      return [...seen, count() - before];
    });
    expect(counts).toEqual([0, 2, 0, 0]);
  });

  it('starts anew when the text does not continue', async () => {
    const html = await page.evaluate(() => {
      const stream = markdownInPage.stream();
      stream.update('# One\n\ntwo', false);
      stream.update('other', false);
      stream.update('other text', true);
      return stream.element.innerHTML;
    });
    expect(html).toBe('<p>other text</p>');
  });
});

describe('a 24 KB answer in 608 deltas', () => {
  const text = longAnswer();
  const deltas = deltasOf(text, 608);

  it('is parsed less than ten times over', async () => {
    const parsed = await page.evaluate((list) => {
      const stream = markdownInPage.stream();
      let whole = '';
      for (const delta of list) stream.update((whole += delta), false);
      stream.update(whole, true);
      return stream.parsed();
    }, deltas);
    expect(parsed).toBeLessThan(text.length * 10);
  });

  it('leaves finished blocks alone', async () => {
    const touched = await page.evaluate((list) => {
      const stream = markdownInPage.stream();
      const observer = new MutationObserver(() => {});
      observer.observe(stream.element, { subtree: true, childList: true, characterData: true, attributes: true });
      let whole = '';
      let count = 0;
      let finished = new Set<Node>();
      for (const delta of list) {
        stream.update((whole += delta), false);
        for (const { target } of observer.takeRecords()) {
          for (let node: Node | null = target; node; node = node.parentNode) if (finished.has(node)) count++;
        }
        // What has something after it is finished; so are the items of an open list and the rows of an open table.
        finished = new Set(
          stream.element.querySelectorAll(':scope > :has(+ *), :scope > :is(ul, ol) > li:has(+ li), tr:has(+ tr)'),
        );
      }
      return count;
    }, deltas);
    expect(touched).toBe(0);
  });

  it('costs a list of 600 items no more per item at its end than at its beginning', async () => {
    const list = Array.from({ length: 600 }, (_, index) => `- item ${index} with a few words\n`);
    const parsed = await page.evaluate((items) => {
      const stream = markdownInPage.stream();
      let whole = '';
      for (const item of items) stream.update((whole += item), false);
      return stream.parsed();
    }, list);
    expect(parsed).toBeLessThan(list.join('').length * 3);
  });
});

/** An item that was finished before its list turned out to be loose has no paragraph in it; the style sheet draws both alike. */
function withoutLooseness(html: string): string {
  const alike = html.replace(/<li>([\s\S]*?)(?=<li>|<\/li>)/g, (item) => item.replace(/<\/?p>/g, ''));
  return alike.replace(/\s*(<[^>]*>)\s*/g, '$1');
}
