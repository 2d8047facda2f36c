import type { Locator, Page } from 'playwright-core';
import { until } from './until.js';

/** What a test does with the surfaces of memory, found by what people see. */
export interface MemoryPage {
  /** The item in the status bar. */
  status(): Locator;
  /** Shows the History view and nothing else of Nanobot, so that all its rows are in sight. */
  openHistory(): Promise<void>;
  /** Rows of the History view whose text has these words. */
  row(words: string | RegExp): Locator;
  /** All rows in sight, from top to bottom, as `label | description`. */
  rows(): Promise<string[]>;
  /** Clicks an action of a row, which shows while the mouse is over it. */
  rowAction(row: Locator, name: string): Promise<void>;
  /** Clicks an action over the rows. */
  viewAction(name: string): Promise<void>;
  /** Resolves with the notification with these words once it is there: by itself, or in VS Code's list, where it hides some of several. */
  notification(words: string): Promise<Locator>;
  /** Presses a button of the notification with these words. */
  press(words: string, name: string): Promise<void>;
  /** The modal question that VS Code shows. */
  dialog(): Locator;
  /** Types into the box of a quick pick or an input box, without Enter. */
  type(text: string): Promise<void>;
  /** Rows of a quick pick. */
  picks(): Locator;
  /** Drags the edge of the side bar until it has this width in pixels, give or take the border. */
  widen(width: number): Promise<void>;
  /** Takes the mouse away from everything that shows a hover. */
  moveAway(): Promise<void>;
}

/** The surfaces of memory in one window. */
export function memoryPage(page: Page): MemoryPage {
  // A view's description is a part of its name.
  const header = (title: string) => page.getByRole('button', { name: new RegExp(`^${title}.* Section$`) });
  const pane = (title: string) => page.locator('.pane').filter({ has: header(title) });
  const history = pane('History');
  const fold = async (title: string, open: boolean) => {
    await until(`${title} to be ${open ? 'open' : 'folded'}`, async () => {
      if ((await header(title).getAttribute('aria-expanded')) === String(open)) return true;
      await header(title).click();
      return false;
    });
  };
  return {
    status: () =>
      page.locator('.statusbar-item[aria-label^="Dream"], .statusbar-item:has([aria-label^="Dream"])').first(),
    openHistory: async () => {
      const icon = page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"])');
      if (!(await icon.evaluate((element) => element.classList.contains('checked')))) await icon.click();
      await fold('History', true);
      await fold('Chat', false);
    },
    row: (words) => history.getByRole('treeitem').filter({ hasText: words }),
    rows: async () => {
      const rows = await history.getByRole('treeitem').evaluateAll((items) =>
        items.map((item) => {
          const text = (part: string) => item.querySelector(part)?.textContent.replace(/\s+/g, ' ').trim();
          const words = [text('.label-name'), text('.label-description')].filter(Boolean);
          return { top: item.getBoundingClientRect().top, words: words.join(' | ') };
        }),
      );
      return rows.sort((left, right) => left.top - right.top).map(({ words }) => words);
    },
    rowAction: async (row, name) => {
      await row.hover();
      await row.getByRole('button', { name, exact: true }).click();
      await moveAway(page);
    },
    viewAction: async (name) => {
      await header('History').hover();
      await history.locator('.pane-header').getByRole('button', { name, exact: true }).click();
      await moveAway(page);
    },
    notification: (words) => notification(page, words),
    press: (words, name) => pressIn(page, words, name),
    dialog: () => page.locator('.monaco-dialog-box'),
    type: async (text) => {
      const input = page.locator('.quick-input-widget:visible input').first();
      await input.waitFor();
      await input.fill(text);
    },
    picks: () => page.locator('.quick-input-list .monaco-list-row'),
    widen: async (width) => {
      const bar = page.locator('.part.sidebar');
      const { x = 0, y = 0, width: before = 0, height = 0 } = (await bar.boundingBox()) ?? {};
      await page.mouse.move(x + before, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width, y + height / 2, { steps: 4 });
      await page.mouse.up();
      await until(`a side bar of ${String(width)} px`, async () => {
        return Math.abs(((await bar.boundingBox())?.width ?? 0) - width) < 12;
      });
    },
    moveAway: () => moveAway(page),
  };
}

/** Milliseconds after which a press that has shown no effect is made again. */
const PRESS_AGAIN_MS = 2_000;

/** VS Code draws a notification anew when its words change, and a press in that moment is lost: so it is made again until the button is gone. */
async function pressIn(page: Page, words: string, name: string): Promise<void> {
  const pressed = (await notification(page, words)).getByRole('button', { name, exact: true });
  await until(`"${name}" to be pressed`, async () => {
    await pressed.click({ timeout: PRESS_AGAIN_MS }).catch(() => undefined);
    return pressed.waitFor({ state: 'detached', timeout: PRESS_AGAIN_MS }).then(
      () => true,
      () => false,
    );
  });
}

/** Milliseconds after which a notification that does not show is looked for in the list. */
const HIDDEN_MS = 3_000;

async function notification(page: Page, words: string): Promise<Locator> {
  const found = page.locator('.notification-list-item').filter({ hasText: words });
  const begun = Date.now();
  await until(`the notification "${words}"`, async () => {
    if (await found.first().isVisible()) return true;
    if (Date.now() - begun > HIDDEN_MS && !(await page.locator('.notifications-center').isVisible())) {
      // Not with the mouse: its hover would lie over the list.
      await page.locator('.statusbar-item[id="status.notifications"] a').dispatchEvent('click');
    }
    return false;
  });
  return found.first();
}

/** Away from everything that shows a hover. */
function moveAway(page: Page): Promise<void> {
  return page.mouse.move(640, 300);
}
