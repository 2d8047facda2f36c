import type { Locator, Page } from 'playwright-core';
import { until } from './until.js';

/** What a test does with the Skills view, found by what people see. */
export interface SkillsPage {
  /** Shows the Skills view with room for its rows. */
  open(): Promise<void>;
  /** Rows whose text has these words. */
  row(words: string | RegExp): Locator;
  /** All rows in sight, from top to bottom, as `label | description`. */
  rows(): Promise<string[]>;
  /** The rows below a group, from its row to the next group's. */
  group(name: string): Promise<string[]>;
  /** Clicks an action of a row, which shows while the mouse is over it. */
  rowAction(row: Locator, name: string | RegExp): Promise<void>;
  /** Clicks an action over the rows. */
  viewAction(name: string): Promise<void>;
}

const GROUP = /^(Always on|Available|Unavailable|Disabled) \| \d+$/;

/** The Skills view of one window. */
export function skillsPage(page: Page): SkillsPage {
  const header = (title: string) => page.getByRole('button', { name: new RegExp(`^${title}.* Section$`) });
  const pane = page.locator('.pane').filter({ has: header('Skills') });
  const fold = async (title: string, open: boolean) => {
    await until(`${title} to be ${open ? 'open' : 'folded'}`, async () => {
      if ((await header(title).getAttribute('aria-expanded')) === String(open)) return true;
      await header(title).click();
      return false;
    });
  };
  const rows = async () => {
    const found = await pane.getByRole('treeitem').evaluateAll((items) =>
      items.map((item) => {
        const text = (part: string) => item.querySelector(part)?.textContent.replace(/\s+/g, ' ').trim();
        const words = [text('.label-name'), text('.label-description')].filter(Boolean);
        return { top: item.getBoundingClientRect().top, words: words.join(' | ') };
      }),
    );
    return found.sort((left, right) => left.top - right.top).map(({ words }) => words);
  };
  const away = () => page.mouse.move(640, 4);
  return {
    open: async () => {
      const icon = page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"])');
      if (!(await icon.evaluate((element) => element.classList.contains('checked')))) await icon.click();
      await fold('Skills', true);
      await fold('Chat', false);
      await away();
    },
    row: (words) => pane.getByRole('treeitem').filter({ hasText: words }),
    rows,
    group: async (name) => {
      const all = await rows();
      const from = all.findIndex((words) => words.startsWith(`${name} | `));
      if (from < 0) return [];
      const length = all.slice(from + 1).findIndex((words) => GROUP.test(words));
      return all.slice(from + 1, length < 0 ? undefined : from + 1 + length);
    },
    rowAction: async (row, name) => {
      await row.hover();
      await row.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).click();
      await away();
    },
    viewAction: async (name) => {
      await header('Skills').hover();
      await pane.locator('.pane-header').getByRole('button', { name }).first().click();
      await away();
    },
  };
}
