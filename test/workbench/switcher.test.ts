import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approvalCard,
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  wordsOf,
} from '../support/modelWorkbench.js';
import { isConsolidation } from '../support/consolidation.js';
import { until } from '../support/until.js';

describe('the switcher of sessions', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  const slow = gateAt(1);

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n' },
      settings: { 'nanobot.sessionTitles': true },
    });
    workbench.model.setScript((request) => {
      const words = wordsOf({ body: request.body });
      const last = JSON.stringify(request.body.messages.findLast(({ role }) => role === 'user')?.content ?? '');
      if (isConsolidation(request)) return { text: '<facts>\n</facts>' };
      if (words.includes('You name conversations'))
        return { text: words.includes('pears') ? 'All about <i>pears</i>' : 'Round apples' };
      if (last.includes('slowly'))
        return { text: 'Slow and steady it comes to its end.', chunkSize: 4, gate: slow.gate };
      if (last.includes('make a file') && request.body.messages.at(-1)?.role === 'user')
        return { toolCalls: [{ name: 'exec', args: { command: 'touch made' } }] };
      return { text: 'Apples are round.' };
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const panel = (): Locator => chat.getByRole('dialog', { name: 'Sessions' });
  const title = (name: string) => button(chat, `Switch session (now ${name})`);
  const row = (name: string) => panel().locator('li').filter({ hasText: name });
  const newChat = async () => {
    await button(chat, 'New chat').click();
    await title('New chat').waitFor();
  };

  it('the model names a chat, and its words show as they are', async () => {
    await workbench.ask('Tell me about pears');
    await title('All about <i>pears</i>').waitFor();
    await newChat();
    await workbench.ask('And apples?');
    await title('Round apples').waitFor();
  });

  it('a turn goes on in a chat that is not shown; it is seen to run, to wait and to end', async () => {
    await newChat();
    await workbench.send('Say it slowly');
    await button(chat, 'Stop').waitFor();
    await newChat();
    await button(chat, '1 other session: running').click();
    await row('Say it slowly').getByText('running').waitFor();
    await workbench.page.keyboard.press('Escape');
    await workbench.send('make a file');
    await approvalCard(chat).waitFor();
    await newChat();
    await button(chat, '1 other session: waiting for approval, 1 other session: running').click();
    await row('make a file').getByText('waiting for approval').waitFor();
    await workbench.screenshot('switcher-states');
    slow.open();
    await row('Round apples').first().waitFor();
    await panel().locator('[data-state="finished"]').waitFor();
    await panel().locator('[data-state="waiting"]').getByRole('button').first().click();
    await button(approvalCard(chat), 'Deny').click();
    await workbench.lastAnswer();
    await button(chat, '1 other session: finished').click();
    await panel().locator('[data-state="finished"] .row').click();
    await until('nothing more to see', async () => (await chat.locator('.header .activity').count()) === 0);
  });

  it('by the keyboard alone: finds by letters and by words, pins, and opens', async () => {
    const { keyboard } = workbench.page;
    await chat.locator('.header .title').focus();
    await keyboard.press('Enter');
    await panel().waitFor();
    await until('the focus in the search box', () =>
      chat.evaluate(() => document.activeElement?.tagName === 'VSCODE-TEXT-FIELD'),
    );
    await keyboard.type('abpear');
    await until('the one', async () => (await panel().locator('li').count()) === 1);
    expect(await panel().locator('mark').allInnerTexts()).toEqual(['ab', 'pear']);
    await keyboard.press('Alt+p');
    await button(panel(), 'Unpin All about <i>pears</i>').waitFor();
    for (let n = 0; n < 6; n++) await keyboard.press('Backspace');
    await panel().locator('li.group').first().waitFor();
    const lines = (await panel().locator('li').allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(lines.slice(0, 3)).toEqual(['Pinned', 'All about <i>pears</i>', 'This workspace']);
    await keyboard.type('are round');
    await panel().locator('mark').getByText('are round').first().waitFor();
    await keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  });

  it('keeps pin and folder in the session’s own file', () => {
    const folder = join(workbench.home, 'sessions');
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const pinned = texts.filter((text) => text.includes('"pinned":true'));
    expect(pinned).toHaveLength(1);
    expect(pinned[0]).toContain('Tell me about pears');
    expect(pinned[0]).toContain(`"workspace":${JSON.stringify(workbench.workspacePath)}`);
  });
});
