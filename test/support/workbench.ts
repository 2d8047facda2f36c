import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { ensureBrowser } from '../../scripts/lib/browser.mjs';
import { ensureUnpacked } from '../../scripts/lib/extension.mjs';
import { picturesDir } from '../../scripts/lib/paths.mjs';
import { extensionHostsOf, freePort, type Server, startServer, workbenchAddress } from '../../scripts/lib/server.mjs';
import { ensureWorkbench } from '../../scripts/lib/workbench.mjs';
import { type ChatPage, chatPage } from './chatPage.js';
import { until } from './until.js';
import { makeWorkbenchFiles, type WorkbenchFiles, type WorkbenchOptions } from './workbenchFiles.js';

/** One VS Code window: a page of the browser with the workbench in it. */
export interface WorkbenchWindow extends ChatPage {
  page: Page;
  /** What the window and its webviews wrote to the browser's console, as `type: text`. */
  consoleMessages: string[];
  /** Resolves when the window is usable and has read the extension's contributions. */
  ready(): Promise<void>;
  /** Runs the command with exactly this title (`Nanobot: New Chat`) from the command palette. */
  runCommand(title: string): Promise<void>;
  /** Opens a file by its name through Quick Open and waits until its editor has the focus. */
  openFile(name: string): Promise<void>;
  /** Loads the window anew, as "Developer: Reload Window" does, and waits until it is usable. */
  reloadWindow(): Promise<void>;
  /** Saves a picture of the window as `.workbench/pictures/<name>.png` and resolves with its path. */
  screenshot(name: string): Promise<string>;
}

/** One open VS Code window with its server, in folders of its own. */
export interface Workbench extends WorkbenchWindow {
  server: Server;
  /** All folders of this workbench; `home` and `workspacePath` are the two that tests ask for most. */
  files: WorkbenchFiles;
  home: string;
  workspacePath: string | undefined;
  /** Opens one more window of the same browser, on the same workspace unless another path is given; null: no folder. */
  openWindow(path?: string | null): Promise<WorkbenchWindow>;
  /** The process id of the running extension host; waits for one if there is none. It may not be connected yet. */
  extensionHost(): Promise<number>;
  /**
   * Kills the extension host as a crash would and resolves when it is gone. VS Code starts another by itself, but only
   * for one that it was connected to (`openChat` has resolved), and gives up after three crashes in five minutes.
   */
  killExtensionHost(): Promise<void>;
  /** Ends browser and server with everything they started and removes the folders. May be called twice. */
  close(): Promise<void>;
}

const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No test may reach for the network: every other host name is unknown to this browser.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/**
 * Opens a real VS Code with the packaged extension in it and resolves when the window is usable. Packages and installs
 * what is missing first; NANOBOT_TEST_EXTENSION names an unpacked extension to use as it is, which is how `npm test`
 * gives every file the same one. The caller closes it.
 */
export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const extension = process.env['NANOBOT_TEST_EXTENSION'] ?? (await ensureUnpacked());
  await ensureWorkbench();
  const executablePath = await ensureBrowser();
  const files = makeWorkbenchFiles(options, extension);
  let server: Server | undefined;
  let browser: Browser | undefined;
  try {
    server = await startServer({
      ...files,
      port: await freePort(),
      trust: options.trust ?? true,
      locale: options.locale,
    });
    browser = await chromium.launch({ executablePath, args: browserArguments });
    const viewport = options.size ?? { width: 1280, height: 800 };
    const context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
    return await makeWorkbench(context, browser, server, files);
  } catch (error) {
    await browser?.close();
    await server?.stop();
    rmSync(files.temp, { recursive: true, force: true });
    throw error;
  }
}

async function makeWorkbench(
  context: BrowserContext,
  browser: Browser,
  server: Server,
  files: WorkbenchFiles,
): Promise<Workbench> {
  const openWindow = async (path: string | null = files.workspacePath ?? null) => {
    const window = makeWindow(await context.newPage());
    await window.page.goto(workbenchAddress(server.origin, path ?? undefined));
    await window.ready().catch(async (error: unknown) => {
      const picture = await window.screenshot('not-ready');
      throw new Error(`The window did not get ready: see ${picture}. The server said:\n${server.log()}`, {
        cause: error,
      });
    });
    return window;
  };
  return {
    ...(await openWindow()),
    server,
    files,
    home: files.home,
    workspacePath: files.workspacePath,
    openWindow,
    extensionHost: () => until('an extension host', () => extensionHostsOf(server.pid).at(-1)),
    killExtensionHost: () => killExtensionHost(server),
    close: async () => {
      await browser.close();
      await server.stop();
      rmSync(files.temp, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function makeWindow(page: Page): WorkbenchWindow {
  const consoleMessages: string[] = [];
  page.on('console', (message) => consoleMessages.push(`${message.type()}: ${message.text()}`));
  const ready = async () => {
    await page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"])').waitFor({ timeout: 60_000 });
  };
  return {
    ...chatPage(page),
    page,
    consoleMessages,
    ready,
    runCommand: (title) => runCommand(page, title),
    openFile: (name) => openFile(page, name),
    reloadWindow: async () => {
      await page.reload();
      await ready();
    },
    screenshot: async (name) => {
      const path = join(picturesDir, `${name}.png`);
      mkdirSync(picturesDir, { recursive: true });
      await page.screenshot({ path });
      return path;
    },
  };
}

async function runCommand(page: Page, title: string): Promise<void> {
  const palette = page.locator('.quick-input-widget');
  const input = palette.locator('input').first();
  const label = palette.locator('.label-name').getByText(title, { exact: true }).first();
  const choose = async () => {
    if (!(await input.isVisible())) await page.keyboard.press('F1');
    await input.fill(`>${title}`, { timeout: 2_000 });
    await label.click({ timeout: 5_000 });
    return true;
  };
  /** The list is made when the palette opens: a command that is there a moment later is only in the next one. */
  const giveUp = async () => {
    if (await input.isVisible()) await page.keyboard.press('Escape');
    return false;
  };
  // An editor that is shown a moment later takes the focus, and the palette closes: then it is opened again.
  await until(`the command ${title}`, () => choose().catch(giveUp), 30_000);
  // The command may ask for something in the same place, so the widget need not go away.
  await until('the command palette to close', async () => {
    return !(await input.isVisible()) || (await input.inputValue().catch(() => '')) !== `>${title}`;
  });
}

async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+p');
  const input = page.locator('.quick-input-widget input').first();
  await input.waitFor();
  await input.fill(name);
  await page.locator('.quick-input-widget .label-name').getByText(name, { exact: true }).first().click();
  await page.locator(`.editor-instance .monaco-editor.focused[data-uri$="/${name}"]`).waitFor();
}

async function killExtensionHost(server: Server): Promise<void> {
  const pid = await until('an extension host', () => extensionHostsOf(server.pid).at(-1));
  process.kill(pid, 'SIGKILL');
  await until('the extension host to end', () => !extensionHostsOf(server.pid).includes(pid));
}
