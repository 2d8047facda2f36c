import type { Page } from 'playwright-core';

/** What the extension keeps for its workspace, as the window has it on disk; undefined while nothing is there. */
export async function workspaceStateOnDisk(page: Page): Promise<Record<string, unknown> | undefined> {
  const text = await page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(new Error(String(request.error)));
      });
    for (const { name = '' } of await indexedDB.databases()) {
      if (!name.startsWith('vscode-web-state-db-')) continue;
      const database = await done(indexedDB.open(name));
      const items = database.transaction('ItemTable').objectStore('ItemTable');
      const found: unknown = await done(items.get('nanobot.nanobot'));
      database.close();
      if (typeof found === 'string') return found;
    }
    return undefined;
  });
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

/** Whether the host has kept exactly this draft, so that a window finds it again even if it goes down now. */
export async function isDraftOnDisk(page: Page, text: string): Promise<boolean> {
  const drafts = (await workspaceStateOnDisk(page))?.['nanobot.drafts'] ?? {};
  return JSON.stringify(drafts).includes(JSON.stringify(text));
}
