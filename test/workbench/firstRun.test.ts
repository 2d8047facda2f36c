import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startModelServer, type ModelServer } from '../support/modelServer.js';
import { button, toolCard } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

describe('the first run, without a key', () => {
  let workbench: Workbench;
  let model: ModelServer;
  let chat: Frame;

  beforeAll(async () => {
    model = await startModelServer();
    workbench = await openWorkbench({
      workspace: { 'README.md': '# Hello\n', 'package.json': '{}' },
      settings: { 'nanobot.providers': { openai: { apiBase: `${model.url}/v1` } } },
    });
  });

  afterAll(async () => {
    await workbench?.close();
    await model?.close();
  });

  it('has an icon in the activity bar that opens the chat', async () => {
    const icon = workbench.page.locator('.activitybar a.action-label[aria-label^="Nanobot"]');
    expect(await icon.isVisible()).toBe(true);
    chat = await workbench.openChat();
    expect(await chat.getByRole('log', { name: 'Conversation' }).count()).toBe(1);
    expect(await chat.getByRole('textbox', { name: 'Message Nanobot' }).isEnabled()).toBe(true);
  });

  it('says what it works with and where to begin', async () => {
    const examples = chat.getByRole('group', { name: 'Examples' });
    await examples.getByRole('button').first().waitFor();
    expect(await examples.getByRole('button').allInnerTexts()).toEqual(['Read README.md', 'Find TODO', 'Run npm test']);
    await chat.getByText('No model is set up yet.').waitFor();
    expect(await chat.getByText(`Home: ${workbench.home}`).isVisible()).toBe(true);
    await workbench.screenshot('first-run');
  });

  it('works offline at once: an example reads a file', async () => {
    await button(chat.getByRole('group', { name: 'Examples' }), 'Read README.md').click();
    await toolCard(chat, 'read_file', 'ok').waitFor();
    await workbench.lastAnswer();
    await workbench.screenshot('first-run-practice');
    expect(model.requests.length).toBe(0);
  });

  it('refuses a key that the provider refuses, in words, and takes another one', async () => {
    await workbench.runCommand('Nanobot: New Chat');
    await button(chat, 'Set key').click();
    await choose('openai');
    model.setModels({
      status: 401,
      body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    });
    await typeKey('sk-wrong');
    const toast = (words: string) => workbench.page.locator('.notification-toast').filter({ hasText: words });
    const refused = toast('refused the API key');
    await refused.waitFor();
    await workbench.screenshot('first-run-refused');
    expect(await refused.innerText()).not.toContain('sk-wrong');

    await button(refused, 'Try another key').click();
    await choose('openai');
    model.setModels(['gpt-test']);
    await typeKey('sk-right');
    // VS Code shows no more than three notifications at once by themselves; all stand in its list.
    await until('the key to be tried', () => model.listRequests.at(-1)?.headers.authorization === 'Bearer sk-right');
    await workbench.runCommand('Notifications: Show Notifications');
    await workbench.page.locator('.notifications-center').getByText('works and is saved').waitFor();
    await workbench.runCommand('Notifications: Clear All Notifications');
    await chat.getByText('No model is set up yet.').waitFor({ state: 'detached' });
    await chat.getByText('Model: Practice').waitFor({ state: 'detached' });
  });

  it('answers with the provider from then on, also after a reload', async () => {
    model.setScript([{ text: 'A real answer.' }]);
    expect(await workbench.ask('hello')).toContain('A real answer.');
    expect(model.requests[0]?.headers.authorization).toBe('Bearer sk-right');
    await workbench.reloadWindow();
    chat = await workbench.openChat();
    model.setScript([{ text: 'Still here.' }]);
    expect(await workbench.ask('and now?')).toContain('Still here.');
  });

  it('offers to set the key where the provider refuses it later', async () => {
    model.setScript([{ status: 401, body: { error: { message: 'Key revoked' } } }]);
    await workbench.send('hello?');
    const failed = await workbench.lastAnswer({ status: 'error' });
    expect(await failed.innerText()).toContain('Key revoked');
    await workbench.screenshot('first-run-401');
    await button(failed, 'Set key').click();
    await workbench.page.locator('.quick-input-widget').getByText('openai', { exact: true }).waitFor();
    await workbench.page.keyboard.press('Escape');
  });

  async function choose(provider: string): Promise<void> {
    await workbench.page.locator('.quick-input-widget .label-name').getByText(provider, { exact: true }).click();
  }

  async function typeKey(key: string): Promise<void> {
    const input = workbench.page.locator('.quick-input-widget input[type="password"]');
    await input.waitFor();
    await input.fill(key);
    await input.press('Enter');
  }
});
