import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.js';
import type { Workbench } from '../support/workbench.js';
import { clickToInput, processorSeconds, renderers } from './inWindow.js';

/** What VS Code itself needs for a page with nothing in it but a box to write in. */
export interface BarePage {
  /** Milliseconds from the press on the icon to the box. */
  click: number;
  /** Processor seconds of page and host while messages pass between them that nothing is done with. */
  page: number;
  host: number;
}

declare global {
  interface Window {
    /** Asks the host for messages: so many, so many milliseconds apart. */
    askForMessages(count: number, everyMs: number): void;
    /** How many came. */
    messagesTaken: number;
  }
}

/** Writes an extension whose chat view is a page that appends each message to its text: the least that a streamed answer can cost in VS Code. */
export function writeBareExtension(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.includes('dist') });
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<string, unknown>;
  writeFileSync(join(to, 'package.json'), JSON.stringify({ ...manifest, main: './bare.js' }));
  writeFileSync(join(to, 'bare.js'), HOST.replace('PAGE', JSON.stringify(PAGE)));
}

/** How soon the box is there, and what as many messages cost as an answer of 6 s at 67 chunks a second has, less what page and host use without them. */
export async function measureBarePage(workbench: Workbench): Promise<BarePage> {
  const { frame, ms: click } = await clickToInput(workbench);
  const host = await workbench.extensionHost();
  const used = () => ({ page: processorSeconds(renderers()), host: processorSeconds([host]) });
  const idle = used();
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  const before = used();
  await frame.evaluate(() => {
    window.askForMessages(400, 15);
  });
  await until('all messages', () => frame.evaluate(() => window.messagesTaken === 400), 30_000);
  const after = used();
  const cost = (of: 'page' | 'host') => after[of] - before[of] - (before[of] - idle[of]);
  return { click, page: cost('page'), host: cost('host') };
}

const PAGE = `<!DOCTYPE html><body><p role="log" aria-label="Conversation"></p><textarea aria-label="Message Nanobot"></textarea><script>
const api = acquireVsCodeApi();
window.messagesTaken = 0;
window.askForMessages = (count, everyMs) => api.postMessage({ count, everyMs });
addEventListener('message', ({ data }) => {
  document.querySelector('p').append(data.text);
  window.messagesTaken++;
});
</script></body>`;

const HOST = `import * as vscode from 'vscode';
export function activate() {
  vscode.window.registerWebviewViewProvider('nanobot.chat', {
    resolveWebviewView({ webview }) {
      webview.options = { enableScripts: true };
      webview.onDidReceiveMessage(({ count, everyMs }) => {
        const start = Date.now();
        let n = 0;
        const step = () => {
          webview.postMessage({ text: 'word' + n + ' ' });
          if (++n < count) setTimeout(step, Math.max(0, start + n * everyMs - Date.now()));
        };
        step();
      });
      webview.html = PAGE;
    },
  });
}
`;
