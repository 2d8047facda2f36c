import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesWith } from '../support/chatPage.js';
import { approvalCard, button, type ModelWorkbench, openWithModel, textbox } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('bad days of the chat', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' } });
    chat = await workbench.openChat();
  });

  afterAll(() => workbench?.close());

  const { made, waits } = {
    made: (name: string) => existsSync(join(workbench.workspacePath ?? '', name)),
    /** A turn that asks before it makes a file. */
    waits: async (name: string) => {
      workbench.model.setScript([
        { toolCalls: [{ name: 'exec', args: { command: `touch ${name}` } }] },
        { text: `There is ${name} now.` },
      ]);
      await workbench.send(`make ${name}`);
      await approvalCard(chat).waitFor();
    },
  };
  /** Wherever the view is now. */
  const chatAgain = async (former: Frame) => {
    const log = (frame: Frame) => frame.getByRole('log', { name: 'Conversation' });
    chat = await until('the page', async () => {
      for (const frame of await framesWith(workbench.page, log))
        if (frame !== former || (await approvalCard(frame).count()) > 0) return frame;
      return undefined;
    });
  };

  it('closed while an approval waits: it waits on, and is decided when the view comes back', async () => {
    await waits('closed.txt');
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.page.locator('.part.sidebar').waitFor({ state: 'hidden' });
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await chatAgain(chat);
    await button(approvalCard(chat), 'Allow').click();
    await until('the file', () => made('closed.txt'));
    await chat.getByText('There is closed.txt now.', { exact: true }).waitFor();
  });

  it('moved to the other side bar while an approval waits: it is there, too, and is decided there', async () => {
    await waits('moved.txt');
    const { page } = workbench;
    await workbench.runCommand('View: Move View');
    const input = page.locator('.quick-input-widget');
    await input.getByText('Chat', { exact: true }).first().click();
    await input.getByText('New Secondary Side Bar Entry', { exact: true }).click();
    await page.locator('.part.auxiliarybar').waitFor();
    await chatAgain(chat);
    await workbench.screenshot('bad-days-moved');
    await button(approvalCard(chat), 'Allow').click();
    await until('the file', () => made('moved.txt'));
    await chat.getByText('There is moved.txt now.', { exact: true }).waitFor();
    await workbench.runCommand('View: Reset View Locations');
    await page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    chat = await workbench.openChat();
    await chat.getByText('There is moved.txt now.', { exact: true }).waitFor();
  });

  it('a message of a million characters, pasted: it goes with the message and the chat goes on', async () => {
    const line = 'a line of a log that somebody pasted\n';
    await workbench.page.evaluate((text) => navigator.clipboard.writeText(text), line.repeat(27_000));
    await textbox(chat).focus();
    await workbench.page.keyboard.press('Control+V');
    await chat.getByRole('button', { name: /27,?00[01] lines/ }).waitFor();
    workbench.model.setScript([{ text: 'A long log.' }]);
    expect(await workbench.ask('what is this?')).toContain('A long log.');
    expect(JSON.stringify(workbench.model.requests.at(-1)?.body.messages).length).toBeGreaterThan(10_000);
    workbench.model.setScript([{ text: 'Still here.' }]);
    expect(await workbench.ask('and now?')).toContain('Still here.');
  });

  it('a table of 20,000 columns and a fence that never ends: the page stays as wide as it is and answers', async () => {
    const row = `|${' x |'.repeat(20_000)}`;
    const text = `${row}\n|${'-|'.repeat(20_000)}\n${row}\n\n\`\`\`html\n<script>alert(1)</script>\n<img src=x onerror=alert(1)>`;
    workbench.model.setScript([{ text, chunkSize: 4_000 }]);
    await workbench.send('a wide one');
    await workbench.lastAnswer({ timeout: 60_000 });
    await workbench.screenshot('bad-days-table');
    expect(await chat.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    workbench.model.setScript([{ text: 'Quick again.' }]);
    expect(await workbench.ask('and now?')).toContain('Quick again.');
  });
});
