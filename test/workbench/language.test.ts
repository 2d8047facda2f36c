import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesWith } from '../support/chatPage.js';
import { until } from '../support/until.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

const texts = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../l10n/bundle.l10n.zh-cn.json'), 'utf8'),
) as Record<string, string>;

/** What a text is in Chinese, with its gaps filled. */
function zh(key: string, ...gaps: string[]): string {
  const text = texts[key];
  if (text === undefined) throw new Error(`There is no translation of "${key}".`);
  return text.replace(/\{(\d)\}/g, (_, at: string) => gaps[Number(at)] ?? '');
}

describe('VS Code in 简体中文', () => {
  let workbench: Workbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWorkbench({
      locale: 'zh-cn',
      workspace: { 'README.md': '# 茶\n\n怎样泡茶。\n', 'package.json': '{ "scripts": { "test": "true" } }' },
    });
  });

  afterAll(() => workbench?.close());

  const { icon, input } = {
    icon: () => workbench.page.locator('.activitybar a.action-label[aria-label^="Nanobot"]'),
    input: () => workbench.page.locator('.quick-input-widget input'),
  };
  const log = () => chat.getByRole('log', { name: zh('Conversation') });

  it('names commands and views in Chinese, and finds the commands by their English names too', async () => {
    await workbench.page.keyboard.press('F1');
    await input().fill('>Nanobot: 将文件添加到对话');
    await workbench.page.locator('.quick-input-list').getByText('Nanobot: 将文件添加到对话').waitFor();
    await input().fill('>Nanobot: Add File to Chat');
    await workbench.page.locator('.quick-input-list').getByText('Nanobot: 将文件添加到对话').waitFor();
    await workbench.page.keyboard.press('Escape');
    await icon().click();
    for (const view of ['技能', '历史记录', '定时任务'])
      await workbench.page.locator('.pane-header').getByText(view, { exact: true }).waitFor();
  });

  it('shows the page in Chinese', async () => {
    const welcomed = (frame: Frame) => frame.getByText(zh('What shall we do?'));
    chat = await until('the page', async () => (await framesWith(workbench.page, welcomed))[0]);
    expect(await chat.evaluate(() => document.documentElement.lang)).toBe('zh-cn');
    await chat.getByRole('textbox', { name: zh('Message Nanobot') }).waitFor();
    await chat.getByRole('button', { name: zh('Switch session (now {0})', zh('New chat/title of a chat')) }).waitFor();
    await chat.getByText(zh('Practice/name of the practice model')).first().waitFor();
    await chat.getByRole('button', { name: zh('Read README.md') }).waitFor();
    await workbench.screenshot('language-chat');
    expect(await log().innerText()).not.toMatch(/\b(?:Model|Remembered|Home|Open|Run|Find|Set|Switch)\b/);
  });

  it('answers an example, and asks before a command', async () => {
    await chat.getByRole('button', { name: zh('Read README.md') }).click();
    await log().locator('[data-tool="read_file"][data-status="ok"]').waitFor();
    await log().getByText('怎样泡茶。').first().waitFor();
    await chat.getByRole('textbox', { name: zh('Message Nanobot') }).fill(zh('Run {0}', 'npm test'));
    await workbench.page.keyboard.press('Enter');
    const card = chat.getByRole('group', { name: zh('Approval'), exact: true });
    await card.getByRole('button', { name: zh('Allow'), exact: true }).waitFor();
    await workbench.screenshot('language-approval');
    expect((await card.innerText()).replace('npm test', '')).not.toMatch(/[A-Za-z]{3}/);
    await card.getByRole('button', { name: zh('Deny'), exact: true }).click();
    await log().locator('[data-tool="exec"][data-status="denied"]').waitFor();
  });

  it('says in Chinese what VS Code shows for it', async () => {
    await workbench.runCommand('Nanobot: Dream 日志…');
    const none = zh('There are no Dreams yet: nothing was learned so far.');
    await workbench.page.locator('.notification-toast').getByText(none).waitFor();
    await workbench.screenshot('language-notification');
    await workbench.runCommand('Nanobot: 选择模型…');
    await workbench.page.locator('.quick-input-widget').getByText(zh('Practice model')).waitFor();
    await workbench.page.keyboard.press('Escape');
  });
});
