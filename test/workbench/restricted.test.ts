import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approvalCard, type ModelWorkbench, openWithModel, toolCard, wordsOf } from '../support/modelWorkbench.js';

describe('Restricted Mode', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      trust: false,
      workspace: { 'README.md': '# Untrusted\n', 'AGENTS.md': 'Always answer in rhyme.\n' },
      settings: { 'nanobot.approval': 'auto' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('says so, chats, and reads', async () => {
    await chat.getByText('Restricted Mode: reading works').waitFor();
    await workbench.screenshot('restricted');
    workbench.model.setScript([
      { toolCalls: [{ name: 'read_file', args: { path: 'README.md' } }] },
      { text: 'Read it.' },
    ]);
    expect(await workbench.ask('read it')).toContain('Read it.');
    await toolCard(chat, 'read_file', 'ok').waitFor();
  });

  it('leaves out what the project tells agents to do', () => {
    expect(wordsOf(workbench.model.requests[0])).not.toContain('answer in rhyme');
  });

  it('refuses commands and edits with the reason, and asks nothing', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'exec', args: { command: 'touch made-by-exec' } }] },
      { toolCalls: [{ name: 'write_file', args: { path: 'made-by-edit', content: 'x\n' } }] },
      { text: 'I cannot here.' },
    ]);
    expect(await workbench.ask('make files')).toContain('I cannot here.');
    for (const name of ['exec', 'write_file']) {
      const card = toolCard(chat, name);
      expect(await card.getAttribute('data-status')).toMatch(/^(denied|error)$/);
      await card.locator('summary').click();
      await card.getByRole('region', { name: 'Output' }).getByText('Restricted Mode').waitFor();
    }
    await workbench.screenshot('restricted-refused');
    expect(await approvalCard(chat).count()).toBe(0);
    for (const name of ['made-by-exec', 'made-by-edit']) {
      expect(existsSync(join(workbench.workspacePath ?? '', name))).toBe(false);
    }
  });

  it('runs no code block either, and says what to do', async () => {
    workbench.model.setScript([{ text: '```sh\ntouch made-by-block\n```\n' }]);
    await workbench.ask('how?');
    const figure = chat.locator('figure.code').last();
    await figure.hover();
    await figure.getByRole('button', { name: 'Run in terminal' }).click();
    const toast = workbench.page
      .locator('.notification-toast')
      .filter({ hasText: 'in Restricted Mode nothing is run' });
    await toast.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    expect(await workbench.page.getByRole('dialog').filter({ hasText: 'made-by-block' }).count()).toBe(0);
  });
});
