import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalCard, button, type ModelWorkbench, openWithModel, toolCard } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const answer = `## What I found

The function \`fits\` in src/shelf.ts:12 compares with **<** where it must be <=.

| width | books | fits |
| --- | --- | --- |
| 30 | 10, 20 | yes |

- [x] read the test
- [ ] fix the code

\`\`\`ts
export const fits = (width: number, books: number[]) => sum(books) <= width; // a line that is too long for the view
\`\`\`
`;

describe('the chat in every theme and width', () => {
  let workbench: ModelWorkbench;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'a.txt': 'one\n' } });
    const chat = await workbench.openChat();
    const edit = { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] };
    const items = [
      { text: 'Read the code', status: 'done' },
      { text: 'Fix it', status: 'in_progress' },
    ];
    workbench.model.setScript([
      {
        thinking: 'Let me see what there is.',
        toolCalls: [
          { name: 'todo', args: { items } },
          { name: 'read_file', args: { path: 'a.txt' } },
        ],
      },
      { toolCalls: [{ name: 'edit_file', args: edit }] },
      { text: answer },
      { toolCalls: [{ name: 'exec', args: { command: 'npm test -- --reporter=verbose --run src/shelf.test.ts' } }] },
      { text: 'Fine.' },
    ]);
    await workbench.ask('Why does the test fail?');
    const card = toolCard(chat, 'edit_file', 'ok');
    await card.locator('summary').click();
    await card.getByRole('region', { name: 'Changes' }).waitFor();
    await workbench.send('Then run the tests, please.');
    await approvalCard(chat).waitFor();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const themes = {
    dark: ['Dark Modern', 'vs-dark'],
    light: ['Light Modern', 'vs'],
    hc: ['Dark High Contrast', 'hc-black'],
    hcLight: ['Light High Contrast', 'hc-light'],
  } as const;

  for (const [name, [setting, className]] of Object.entries(themes)) {
    it(`is whole and readable in ${name}, 300 and 500 px wide`, async () => {
      await choose(setting);
      await workbench.page.locator(`.monaco-workbench.${className}`).waitFor();
      const chat = await workbench.chat();
      await until('the page to take the theme', () => chat.evaluate(isThemed, className));
      for (const width of [300, 500]) {
        await widen(width);
        expect(await chat.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        expect(await button(approvalCard(chat), 'Allow').isVisible()).toBe(true);
        expect(existsSync(await workbench.screenshot(`theme-${name}-${String(width)}`))).toBe(true);
      }
    });
  }

  async function choose(theme: string): Promise<void> {
    await workbench.runCommand('Preferences: Color Theme');
    const list = workbench.page.locator('.quick-input-widget');
    await list.locator('input').first().fill(theme);
    await list.locator('.label-name').getByText(theme, { exact: true }).first().click();
    await list.waitFor({ state: 'hidden' });
  }

  function isThemed(className: string): boolean {
    const kinds: Record<string, string> = {
      'vs-dark': 'vscode-dark',
      vs: 'vscode-light',
      'hc-black': 'vscode-high-contrast',
      'hc-light': 'vscode-high-contrast-light',
    };
    return document.body.classList.contains(kinds[className] ?? '');
  }

  /** Drags the edge of the side bar until the view has this width in pixels, give or take the border. */
  async function widen(width: number): Promise<void> {
    const { mouse } = workbench.page;
    const bar = await workbench.page.locator('.part.sidebar').boundingBox();
    if (!bar) throw new Error('The side bar is not shown.');
    const y = bar.y + bar.height / 2;
    await mouse.move(bar.x + bar.width, y);
    await mouse.down();
    await mouse.move(bar.x + width, y, { steps: 4 });
    await mouse.up();
    await mouse.move(900, 20);
    const chat = await workbench.chat();
    await until(`a view of ${String(width)} px`, async () => {
      return Math.abs((await chat.evaluate(() => innerWidth)) - width) < 12;
    });
  }
});
