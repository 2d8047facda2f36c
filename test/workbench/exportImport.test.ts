import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, textbox, transcriptOf } from '../support/modelWorkbench.js';
import { isConsolidation } from '../support/consolidation.js';
import { until } from '../support/until.js';

describe('chats as files', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' } });
    workbench.model.setScript((request) => ({
      text: isConsolidation(request) ? '<facts>\n</facts>' : 'Apples are round.',
    }));
    chat = await workbench.openChat();
    await workbench.ask('About apples');
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const inWorkspace = (name: string) => join(workbench.workspacePath ?? '', name);
  const input = () => workbench.page.locator('.quick-input-widget input[type="text"]').first();
  /** VS Code's own file dialog, which in a browser is a line to type a path into. */
  const choosePath = async (path: string, offered: string) => {
    // It fills in what it offers a moment after it has opened, over whatever was typed before.
    await until('the file dialog', async () =>
      (
        await input()
          .inputValue()
          .catch(() => '')
      ).endsWith(offered),
    );
    await until('the path to be taken', async () => {
      const shown = await input()
        .inputValue({ timeout: 1_000 })
        .catch(() => undefined);
      if (shown === undefined || !(await input().isVisible())) return true;
      if (shown === path) await workbench.page.keyboard.press('Enter');
      else await input().fill(path);
      return false;
    });
  };
  const pick = (label: string) =>
    workbench.page.locator('.quick-input-widget .label-name').getByText(label, { exact: true }).first().click();

  it('exports as Markdown and as JSON', async () => {
    await workbench.runCommand('Nanobot: Export Chat…');
    await pick('Markdown');
    await choosePath(inWorkspace('apples.md'), 'About apples.md');
    await until('the file', () => existsSync(inWorkspace('apples.md')));
    expect(readFileSync(inWorkspace('apples.md'), 'utf8')).toMatch(/^# About apples\n[^]*## You[^]*Apples are round\./);
    await workbench.page.getByText('the chat was exported to apples.md').first().waitFor();
    await textbox(chat).fill('/export json');
    await textbox(chat).press('Enter');
    await choosePath(inWorkspace('apples.json'), 'About apples.json');
    await until('the file', () => existsSync(inWorkspace('apples.json')));
    const document = JSON.parse(readFileSync(inWorkspace('apples.json'), 'utf8')) as { lines: { role?: string }[] };
    expect(document.lines.map(({ role }) => role).filter(Boolean)).toEqual(['user', 'assistant']);
  });

  it('imports an export as a chat of its own, which goes on', async () => {
    await button(chat, 'New chat').click();
    await button(chat, 'Switch session (now New chat)').waitFor();
    await workbench.runCommand('Nanobot: Import Chat…');
    await choosePath(inWorkspace('apples.json'), '/');
    await button(chat, 'Switch session (now About apples)').waitFor();
    expect(await transcriptOf(chat)).toEqual(['You: About apples', 'Nanobot: Apples are round.']);
    await workbench.ask('And?');
    await button(chat, 'Switch session (now About apples)').click();
    const rows = chat.getByRole('dialog', { name: 'Sessions' }).locator('li .row span');
    await until('both', async () => (await rows.allInnerTexts()).join() === 'About apples,About apples');
    await workbench.page.keyboard.press('Escape');
  });

  it('names what is broken, and imports the rest only where that is wanted', async () => {
    writeFileSync(inWorkspace('torn.jsonl'), '{"role":"user","content":"Half a chat"}\n{"role":"assistant","cont');
    await workbench.runCommand('Nanobot: Import Chat…');
    await choosePath(inWorkspace('torn.jsonl'), '/');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('torn.jsonl, line 2: not JSON, perhaps cut off').waitFor();
    await workbench.screenshot('import-torn');
    await dialog.getByRole('button', { name: 'Import the Other 1 Message' }).click();
    await button(chat, 'Switch session (now Half a chat)').waitFor();
    writeFileSync(inWorkspace('other.json'), '{\n"name": "a package"\n}');
    await workbench.runCommand('Nanobot: Import Chat…');
    await choosePath(inWorkspace('other.json'), '/');
    await workbench.page
      .getByText('nothing was imported. other.json is JSON, and not an export of a chat')
      .first()
      .waitFor();
  });
});
