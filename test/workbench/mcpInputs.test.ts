import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referenceServer } from '../support/mcpLab.js';
import { type ModelWorkbench, openWithModel, textbox, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe("a workspace's MCP server that wants a value", () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    const every = { ...referenceServer('everything'), env: { TOKEN: '${input:token}' } };
    const inputs = [{ type: 'promptString', id: 'token', description: 'Token of the garden', password: true }];
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n', '.vscode/mcp.json': JSON.stringify({ inputs, servers: { every } }) },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('asks for it once the person agreed to the server, hidden as it is typed', async () => {
    const { page } = workbench;
    workbench.model.setScript([{ text: 'Hello.' }]);
    await workbench.ask('hello');
    const notice = page.locator('.notification-toast', { hasText: 'wants to run this program' });
    await notice.getByText('TOKEN=${input:token}').waitFor();
    await notice.getByRole('button', { name: 'Start' }).click();
    const box = page.locator('.quick-input-widget', { hasText: 'the MCP server every of this workspace asks' });
    await box.getByText('Token of the garden').waitFor();
    const input = box.locator('input[type="password"]');
    await input.fill('s3cret');
    await workbench.screenshot('mcp-input');
    await input.press('Enter');
    await workbench.runCommand('Nanobot: MCP Servers');
    const row = page.locator('.quick-input-widget .quick-input-list').getByText('every', { exact: true });
    await row.click();
    await page.locator('.quick-input-widget').getByText('Ask for its inputs again').waitFor();
    await workbench.screenshot('mcp-inputs-again');
    await page.keyboard.press('Escape');
  });

  it('offers its prompts behind a slash, and puts one in as text from the server', async () => {
    const suggestion = chat.getByText('/mcp.every.args-prompt', { exact: true });
    // The server may still be starting; the list is made as words are typed.
    await until('the prompt', async () => {
      await textbox(chat).fill('');
      await textbox(chat).pressSequentially('/mcp.every.args');
      return suggestion.isVisible();
    });
    await workbench.screenshot('mcp-prompts');
    workbench.model.setScript([{ text: 'It rains.' }]);
    await workbench.send('/mcp.every.args-prompt Oslo');
    await chat.getByText('It rains.', { exact: true }).waitFor();
    const sent = wordsOf(workbench.model.requests.at(-1));
    expect(sent).toContain('[Prompt args-prompt of the MCP server every');
    expect(sent).toContain('weather in Oslo');
    expect(JSON.stringify(workbench.model.requests)).not.toContain('s3cret');
  });
});
