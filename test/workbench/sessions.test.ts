import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isConsolidation } from '../support/consolidation.js';
import { button, type ModelWorkbench, openWithModel, textbox, transcriptOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('sessions and slash commands', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' } });
    chat = await workbench.openChat();
    for (const [question, answer] of [
      ['About apples', 'Apples are round.'],
      ['About pears', 'Pears are not.'],
    ] as const) {
      // Not over the first one, which is empty and named so as well: nobody could see when the other is there.
      if (question !== 'About apples') await workbench.runCommand('Nanobot: New Chat');
      await title('New chat').waitFor();
      // A chat that is left for a new one is asked for its facts in the background.
      workbench.model.setScript((request) => ({ text: isConsolidation(request) ? '<facts>\n</facts>' : answer }));
      await workbench.ask(question);
    }
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const panel = (): Locator => chat.getByRole('dialog', { name: 'Sessions' });
  const rows = (): Locator => panel().locator('li .row span');
  const title = (name: string) => button(chat, `Switch session (now ${name})`);

  it('lists the sessions, newest first, and switches between them', async () => {
    await title('About pears').click();
    await until('both', async () => (await rows().allInnerTexts()).join() === 'About pears,About apples');
    await workbench.screenshot('sessions-panel');
    await rows().getByText('About apples').click();
    await title('About apples').waitFor();
    await until('the other conversation', async () =>
      (await transcriptOf(chat)).join('|').includes('Apples are round'),
    );
    expect(await transcriptOf(chat)).toEqual(['You: About apples', 'Nanobot: Apples are round.']);
  });

  it('finds a session by what was said in it', async () => {
    await title('About apples').click();
    await panel().getByRole('textbox', { name: 'Search sessions' }).fill('are not');
    await until('the one', async () => (await rows().allInnerTexts()).join() === 'About pears');
    await workbench.page.keyboard.press('Enter');
    await title('About pears').waitFor();
  });

  it('renames a session', async () => {
    await title('About pears').click();
    await button(panel(), 'Rename About pears').click();
    await panel().getByRole('textbox', { name: 'Rename' }).fill('Orchard');
    await workbench.page.keyboard.press('Enter');
    await rows().getByText('Orchard', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await title('Orchard').waitFor();
  });

  it('deletes a session after a question', async () => {
    await title('Orchard').click();
    await button(panel(), 'Delete About apples').click();
    const confirm = panel().getByRole('alertdialog');
    await workbench.screenshot('sessions-delete');
    await button(confirm, 'Cancel').click();
    await rows().getByText('About apples', { exact: true }).waitFor();
    await button(panel(), 'Delete About apples').click();
    await button(confirm, 'Delete').click();
    await until('the row to go', async () => (await rows().allInnerTexts()).join() === 'Orchard');
    expect(await confirm.count()).toBe(0);
    await workbench.page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await workbench.reloadWindow();
    chat = await workbench.openChat();
    await title('Orchard').waitFor();
    await title('Orchard').click();
    await until('one session', async () => (await rows().allInnerTexts()).join() === 'Orchard');
    await workbench.page.keyboard.press('Escape');
  });

  it('answers slash commands by itself', async () => {
    const asked = workbench.model.requests.length;
    const notice = chat.locator('[data-notice="command"]');
    const said = async (command: string, words: string | RegExp) => {
      await textbox(chat).fill(command);
      await textbox(chat).press('Enter');
      await notice.getByText(words).waitFor();
    };
    await said('/help', '/status – Model, context, session and home');
    await workbench.screenshot('sessions-help');
    await said('/status', `Home: ${workbench.home}`);
    await workbench.screenshot('sessions-status');
    await said('/history', 'There are no summaries yet');
    await said('/halp', 'Did you mean /help');
    await said('/model', 'openai/test-model');
    await said('/model practice/practice', 'Model: practice/practice, from the next message on.');
    await until('the setting', () =>
      readFileSync(join(workbench.files.userDataDir, 'User', 'settings.json'), 'utf8').includes('practice/practice'),
    );
    await said('/model openai/test-model', 'Model: openai/test-model');
    await textbox(chat).fill('/undo');
    await textbox(chat).press('Enter');
    await chat.locator('[data-notice="undo"]').getByText('no turn with file changes').waitFor();
    expect(await transcriptOf(chat)).toEqual(['You: About pears', 'Nanobot: Pears are not.']);
    expect(workbench.model.requests.length).toBe(asked);
  });

  it('completes slash commands and files, and starts a new chat by /new', async () => {
    const list = chat.getByRole('listbox', { name: 'Suggestions' });
    await textbox(chat).pressSequentially('/sta');
    await list.getByRole('option').getByText('/status').waitFor();
    await textbox(chat).fill('');
    await textbox(chat).pressSequentially('look at @read');
    await list.getByRole('option').getByText('README.md').waitFor();
    await textbox(chat).press('Enter');
    await button(chat, 'Remove README.md').waitFor();
    workbench.model.setScript([{ text: 'Looked.' }]);
    await textbox(chat).press('Enter');
    await workbench.lastAnswer();
    expect(JSON.stringify(workbench.model.requests.at(-1)?.body.messages)).toContain('# Hi');

    await textbox(chat).fill('/new');
    await textbox(chat).press('Enter');
    await title('New chat').waitFor();
    expect(await transcriptOf(chat)).toEqual([]);
  });
});
