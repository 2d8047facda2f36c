import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approvalCard,
  button,
  type ModelWorkbench,
  openWithModel,
  toolCard,
  wordsOf,
} from '../support/modelWorkbench.js';
import { acme } from '../support/otherExtension.js';
import { until } from '../support/until.js';

interface Answer {
  tools: string[];
  text?: string;
  error?: string;
}

describe("VS Code's language models, tools and chat", () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n' },
      extensions: { 'test.acme-1.0.0': acme },
      settings: { 'chat.disableAIFeatures': false },
    });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const inProject = (name: string) => join(workbench.workspacePath ?? '', name);

  /** Has the other extension call a tool; `confirm` is the answer to the editor's question, where there is one. */
  const invoke = async (name: string, input: object, confirm?: 'Yes' | 'Cancel'): Promise<Answer> => {
    rmSync(inProject('answer.json'), { force: true });
    writeFileSync(inProject('ask.json'), JSON.stringify({ name, input }));
    await workbench.runCommand('Acme: Ask');
    if (confirm) {
      const dialog = workbench.page.locator('.monaco-dialog-box');
      await dialog.waitFor();
      await workbench.screenshot(`${name}-question`);
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
    }
    await until('the answer', () => existsSync(inProject('answer.json')));
    return JSON.parse(readFileSync(inProject('answer.json'), 'utf8')) as Answer;
  };

  it('let other agents note something after the person said yes, and find it', async () => {
    const refused = await invoke('nanobot_remember', { text: 'Ann eats plums.' }, 'Cancel');
    expect(refused.error).toBeDefined();
    expect(refused.tools).toEqual(expect.arrayContaining(['nanobot_recall', 'nanobot_remember', 'nanobot_schedule']));
    const said = await invoke('nanobot_remember', { text: 'Ann eats pears.' }, 'Yes');
    expect(said.text).toMatch(/^Noted in memory\//);
    const { text } = await invoke('nanobot_recall', { query: 'eats' });
    expect(text).toContain('Ann eats pears.');
    expect(text).not.toContain('plums');
  });

  it('let other agents schedule, once the person saw how that is understood', async () => {
    const { text } = await invoke('nanobot_schedule', { message: 'Water the fern', when: 'every weekday at 9' }, 'Yes');
    expect(text).toMatch(/Water the fern.*Next: .+; .+; .+\./);
    const jobs = readFileSync(join(workbench.home, 'cron', 'jobs.json'), 'utf8');
    expect(jobs).toContain('Water the fern');
    const { error } = await invoke('nanobot_schedule', { message: 'x', when: 'whenever' }, 'Yes');
    expect(error).toContain('whenever');
  });

  it('offer Nanobot the tools of other extensions that the person checked', async () => {
    const { page } = workbench;
    chat = await workbench.openChat();
    await workbench.runCommand('Nanobot: Choose Tools of Other Extensions…');
    const list = page.locator('.quick-input-widget');
    await list.locator('input[type="text"]').fill('weigh');
    await list.locator('.label-name').getByText('acme_weigh', { exact: true }).click();
    await workbench.screenshot('choose-tools');
    await list.getByRole('button', { name: 'OK' }).click();
    await until('the setting', () =>
      readFileSync(join(workbench.files.userDataDir, 'User', 'settings.json'), 'utf8').includes('acme_weigh'),
    );
    const call = { name: 'lm_acme_weigh', args: { fruit: 'quince' } };
    workbench.model.setScript([{ toolCalls: [call] }, { text: 'Weighed.' }]);
    await workbench.send('weigh it');
    const card = approvalCard(chat);
    await card.getByText('Use a tool of another extension').waitFor();
    await workbench.screenshot('lm-approval');
    await button(card, 'Allow').click();
    await chat.getByText('Weighed.', { exact: true }).waitFor();
    await toolCard(chat, 'lm_acme_weigh', 'ok').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('a quince of 200 g');
    expect(JSON.stringify(workbench.model.requests.at(-1)?.body.tools)).not.toContain('lm_nanobot');
  });

  it("answer @nanobot in VS Code's own chat, and ask in Nanobot's where something has to be asked", async () => {
    const { page } = workbench;
    await workbench.runCommand('Chat: Open Chat');
    const session = page.locator('.interactive-session');
    const input = session.locator('.chat-input-container');
    await session.getByText('Acme 1').waitFor();
    const say = async (text: string) => {
      await input.locator('.monaco-editor').first().click();
      await page.keyboard.type(text);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
    };
    workbench.model.setScript([
      { toolCalls: [{ name: 'exec', args: { command: 'echo made > made.txt' } }] },
      { text: 'I **made** it.' },
      { text: 'As I said, it is made.' },
    ]);
    await say('@nanobot make it ');
    const response = page.locator('.interactive-response');
    await response.getByText('Answer in Nanobot').waitFor();
    const allow = button(approvalCard(await workbench.chat()), 'Allow');
    await allow.waitFor();
    await workbench.screenshot('participant-asks');
    await allow.click();
    await response.getByText('I made it.').waitFor();
    expect(readFileSync(inProject('made.txt'), 'utf8')).toBe('made\n');
    await workbench.screenshot('participant-answers');
    await say('what did you do?');
    await response.getByText('As I said, it is made.').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('I **made** it.');
  });
});
