import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, AT } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const show = async (text: string, options: OpenOptions = {}) =>
  (chat = await lab.open({ ...options, state: { messages: [answer('a', text)] } }));
const bar = () => chat.page.getByRole('toolbar', { name: 'Code block actions' });
const names = () =>
  bar()
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((each) => each.ariaLabel));
const press = async (name: string) => {
  await bar().getByRole('button', { name, exact: true }).click();
  return (await chat.waitFor('code')).at(-1);
};
const point = (n = 0) => chat.page.locator('figure.code').nth(n).hover();
const EDITOR = ['Copy', 'Insert at cursor', 'Apply to file', 'New file'];

describe('the buttons of a code block', () => {
  it('hand on the code, what the fence says and what the text before names', async () => {
    await show('Change `src/a.ts` and [this](b.ts:3):\n\n```ts title="x.ts"\nconst a = 1;\n\nconst b = 2;\n```\n');
    await point();
    expect(await names()).toEqual(EDITOR);
    expect(await press('Apply to file')).toEqual({
      type: 'code',
      action: 'apply',
      text: 'const a = 1;\n\nconst b = 2;',
      info: 'ts title="x.ts"',
      named: ['src/a.ts', 'b.ts'],
    });
    expect(await press('Insert at cursor')).toMatchObject({ action: 'insert' });
    expect(await press('New file')).toMatchObject({ action: 'newFile' });
  });

  it('name no file that stands elsewhere, and find that of a list item', async () => {
    await show('See `c.ts`.\n\nThen:\n\n```\nplain\n```\n\n1. In `d.ts`:\n\n   ```js\n   x();\n   ```\n');
    await point(0);
    expect(await press('Apply to file')).toMatchObject({ info: '', named: [] });
    await point(1);
    expect(await press('Apply to file')).toMatchObject({ info: 'js', named: ['d.ts'] });
  });

  it('run a block only where its language is one of a shell', async () => {
    await show('```bash\nls\n```\n\n```console\n$ ls\n```\n\n```python\nls()\n```\n');
    for (const [n, expected] of [
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      await point(n);
      expect((await names()).includes('Run in terminal')).toBe(expected);
    }
    await point(1);
    expect(await press('Run in terminal')).toMatchObject({ action: 'run', text: '$ ls', info: 'console' });
  });

  it('copy only, while the block is being written', async () => {
    await show('');
    await chat.frame(
      { type: 'turn_start', turnId: 't', at: AT },
      { type: 'message_start', id: 'b', at: AT },
      { type: 'text', text: 'So:\n\n```ts src/a.ts\nconst a = 1;\n' },
    );
    await point();
    expect(await names()).toEqual(['Copy']);
    await chat.frame({ type: 'text', text: 'const b = 2;\n```\n\nThat is it.' });
    await point();
    expect(await names()).toEqual(EDITOR);
    expect(await press('Insert at cursor')).toMatchObject({ text: 'const a = 1;\nconst b = 2;', info: 'ts src/a.ts' });
    await chat.frame({ type: 'message_end', id: 'b', status: 'done' });
  });

  it('are reached by keyboard alone, and stay while the mouse passes another block', async () => {
    await show('```ts\none();\n```\n\n```ts\ntwo();\n```\n');
    await chat.page.getByRole('log').focus();
    await chat.page.keyboard.press('Tab');
    const focused = () =>
      chat.page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
    expect(await focused()).toBe('one();');
    for (const name of EDITOR) {
      await chat.page.keyboard.press('Tab');
      expect(await focused()).toBe(name);
    }
    await chat.page.keyboard.press('Shift+Tab');
    await point(1);
    expect(await focused()).toBe('Apply to file');
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('code')).toMatchObject([{ action: 'apply', text: 'one();' }]);
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Tab');
    expect(await focused()).toBe('two();');
  });

  it('fit into 300 pixels', async () => {
    await show(
      'Run:\n\n```shellscript\nnpm ci\n```\n\nNext:\n\n```\nplain text without a language, rather long\n```\n',
      { width: 300 },
    );
    for (const n of [0, 1]) {
      await point(n);
      const box = await bar().boundingBox();
      expect(box && box.x > 0 && box.x + box.width <= 300).toBe(true);
    }
  });

  it('take a block of 5 MB without a language', async () => {
    await show(`\`\`\`\n${'x'.repeat(5_000_000)}\n\`\`\`\n`);
    await chat.page.locator('figure.code pre').focus();
    await bar().getByRole('button', { name: 'Copy' }).press('Enter');
    expect((await chat.waitFor('copy'))[0]?.text.length).toBe(5_000_000);
    await bar().getByRole('button', { name: 'New file' }).press('Enter');
    expect((await chat.waitFor('code'))[0]?.text.length).toBe(5_000_000);
  });

  it('leave mermaid and math as source with a preview', async () => {
    await show('```mermaid\ngraph LR\n```\n\n$$\nx^2\n$$\n');
    expect(await chat.page.getByRole('link', { name: 'Open in preview' }).count()).toBe(2);
    await chat.page.getByRole('link', { name: 'Open in preview' }).nth(1).press('Enter');
    expect(await chat.waitFor('openPreview')).toEqual([{ type: 'openPreview', markdown: '$$\nx^2\n$$\n' }]);
  });
});
