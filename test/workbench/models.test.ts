import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesWith } from '../support/chatPage.js';
import { button, type ModelWorkbench, openWithModel } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('choosing a model', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n' },
      settings: { 'nanobot.profiles': { Careful: { thinking: 'high', approval: 'readonly' } } },
    });
    workbench.model.setModels(['test-model', 'gpt-5-mini']);
    workbench.model.setScript(() => ({ text: 'Yes.' }));
    chat = await workbench.openChat();
    await workbench.ask('Hello');
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const picker = () => workbench.page.locator('.quick-input-widget');
  const entry = (name: string) => picker().locator('.quick-input-list-entry').filter({ hasText: name }).first();
  const settings = () => readFileSync(join(workbench.files.userDataDir, 'User', 'settings.json'), 'utf8');
  const notice = (words: string) => workbench.page.locator('.notification-toast').getByText(words).first();

  const testConnection = async () => {
    await workbench.runCommand('Nanobot: Select Model…');
    // The list comes after what is always there.
    await entry('400k window').waitFor();
    await workbench.page.keyboard.type('Test the connection');
    await workbench.page.keyboard.press('Enter');
  };

  it('shows window, price and abilities, and chooses for this chat alone', async () => {
    await button(chat, 'Select model (now test-model)').click();
    const words = '400k window · $0.25 in, $2 out per million · images · thinking · tools';
    await picker().getByText(words).first().waitFor();
    await workbench.screenshot('models-picker');
    await entry('gpt-5-mini').click();
    await entry('For this chat only').click();
    const chosen = button(chat, 'Select model (now gpt-5-mini)');
    await chosen.waitFor();
    expect(await chosen.getAttribute('title')).toContain('this chat only');
    await workbench.ask('And now?');
    expect(workbench.model.requests.at(-1)?.body.model).toBe('gpt-5-mini');
    expect(settings()).not.toContain('gpt-5-mini');
    await button(chat, 'New chat').click();
    await button(chat, 'Select model (now test-model)').waitFor();
  });

  it('by the keyboard alone: how much it thinks, in a chat that has not begun', async () => {
    const { keyboard } = workbench.page;
    const choose = async (words: string, scope: string) => {
      await workbench.runCommand('Nanobot: Select Model…');
      await picker().getByText('gpt-5-mini').first().waitFor();
      await keyboard.type(words);
      await keyboard.press('Enter');
      if (words === 'Thinking') {
        await picker().getByText('as the model does by itself').waitFor();
        await keyboard.type('high');
        await keyboard.press('Enter');
      }
      await picker().getByText('For this chat only').waitFor();
      await keyboard.type(scope);
      await keyboard.press('Enter');
    };
    await choose('gpt-5-mini', 'For this');
    await button(chat, 'Select model (now gpt-5-mini)').waitFor();
    await choose('Thinking', 'For this');
    await until('the tooltip', async () =>
      (await button(chat, 'Select model (now gpt-5-mini)').getAttribute('title'))?.includes('thinking: high'),
    );
    await workbench.ask('Think hard');
    expect(workbench.model.requests.at(-1)?.body).toMatchObject({ model: 'gpt-5-mini', reasoning_effort: 'high' });
  });

  it('a profile is for the chat that is shown, until it is taken back', async () => {
    await button(chat, 'New chat').click();
    await button(chat, 'Select model (now test-model)').click();
    await picker().getByText('thinking high · approval readonly').first().waitFor();
    await entry('400k window').waitFor();
    await workbench.screenshot('models-profiles');
    await entry('Careful').click();
    const model = button(chat, 'Select model (now test-model)');
    const tooltip = async () => (await model.getAttribute('title')) ?? '';
    await until('the profile', async () => (await tooltip()).includes('approval: readonly · this chat only (Careful)'));
    await workbench.runCommand('Nanobot: Select Model…');
    await entry('400k window').waitFor();
    await entry('Follow the settings again').click();
    await until('the settings', async () => !(await tooltip()).includes('Careful'));
  });

  it('tries the connection and says how long it took', async () => {
    await testConnection();
    await notice('openai/test-model answers: first words after').waitFor();
    await workbench.screenshot('models-test');
  });

  it('shows what the week used, by day and source', async () => {
    await workbench.runCommand('Nanobot: Show Usage');
    const tableIn = (frame: Frame) => frame.locator('table', { hasText: 'Subagents' });
    const frame = await until('the table', async () => (await framesWith(workbench.page, tableIn))[0]);
    const table = tableIn(frame);
    await table.getByText('Together').waitFor();
    expect(await table.locator('tr').count()).toBe(9);
    await workbench.screenshot('usage');
  });
});
