import { memoryHome } from '../support/memoryHome.js';
import { openWorkbench } from '../support/workbench.js';
import type { Row } from './table.js';

const ENTRIES = 10_000;
const WINDOWS = 3;

/** From a click on the header of the History view to its newest entry on the screen, of many that Dream has not read; each in a fresh window. */
export async function measureHistoryTree(): Promise<Row> {
  const content = (n: number) => `- Fact ${String(n)}: ${'and so on, '.repeat(40)}`;
  const home = memoryHome(Array.from({ length: ENTRIES }, (_, n) => ({ content: content(n + 1) })));
  const values: number[] = [];
  for (let n = 0; n < WINDOWS; n++) {
    const workbench = await openWorkbench({ home: home.path, workspace: { 'README.md': '# Tea\n' } });
    try {
      await workbench.openChat();
      values.push(await workbench.page.evaluate(clickToEntry, `Fact ${String(ENTRIES)}`));
    } finally {
      await workbench.close();
    }
  }
  home.remove();
  return { name: 'click on History → newest of 10,000 undigested entries', unit: 'ms', values };
}

/** Runs in the page. */
async function clickToEntry(words: string): Promise<number> {
  const header = document.querySelector<HTMLElement>('.pane-header[aria-label^="History"]');
  const begun = performance.now();
  header?.click();
  for (;;) {
    const rows = [...document.querySelectorAll('.pane .monaco-list-row')];
    if (rows.some((row) => row.textContent.includes(words))) return performance.now() - begun;
    if (performance.now() - begun > 30_000) throw new Error(`The History view did not show "${words}".`);
    await new Promise(requestAnimationFrame);
  }
}
