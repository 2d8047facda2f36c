import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approvalCard,
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  textbox,
  toolCard,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const workspace = {
  'README.md': '# Sample\n\nTODO: describe it\n',
  'src/greet.ts': "export const greeting = 'Hello';\n",
  'src/part.ts': 'export const part = 1;\n',
};

describe('tools and their cards', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace, settings: { 'terminal.integrated.gpuAcceleration': 'off' } });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const read = (name: string) => readFileSync(path(name), 'utf8');

  it('streams an answer: the first words are shown while the model still speaks', async () => {
    const rest = gateAt(3);
    workbench.model.setScript([{ text: 'One two three **four five** six seven eight nine.', gate: rest.gate }]);
    await workbench.send('Count, please');
    const answer = chat.getByRole('article', { name: 'Nanobot' }).last();
    await answer.getByText('One two three').waitFor();
    expect(await answer.getAttribute('data-status')).toBe('streaming');
    expect(await button(chat, 'Stop').isVisible()).toBe(true);
    rest.open();
    expect(await (await workbench.lastAnswer()).locator('strong').innerText()).toBe('four five');
    expect(await chat.getByRole('article', { name: 'You' }).last().innerText()).toBe('Count, please');
  });

  it('reads, lists and searches the workspace without asking, each with a card', async () => {
    workbench.model.setScript([
      {
        toolCalls: [
          { name: 'read_file', args: { path: 'README.md' } },
          { name: 'list_dir', args: { path: '.' } },
          { name: 'glob', args: { pattern: '**/*.ts' } },
          { name: 'grep', args: { pattern: 'TODO' } },
        ],
      },
      { text: 'Looked around.' },
    ]);
    expect(await workbench.ask('look around')).toContain('Looked around.');
    for (const name of ['read_file', 'list_dir', 'glob', 'grep']) await toolCard(chat, name, 'ok').waitFor();
    expect(await approvalCard(chat).count()).toBe(0);
    // No call may be left that looks as if it still ran.
    expect(await chat.locator('[data-tool][data-status="running"]').count()).toBe(0);
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('TODO: describe it');
    expect(told).toContain('src/greet.ts');

    const card = toolCard(chat, 'read_file');
    await card.locator('summary').click();
    await card.getByRole('region', { name: 'Output' }).getByText('TODO: describe it').waitFor();
    await workbench.screenshot('tools-cards');
  });

  it('opens a file that a card names', async () => {
    const link = toolCard(chat, 'read_file').getByRole('button', { name: `Open ${path('README.md')}`, exact: true });
    await link.first().click();
    await workbench.page.locator('.tab.active[data-resource-name="README.md"]').waitFor();
    await toolCard(chat, 'read_file').locator('summary').click();
  });

  it('edits a file, shows the diff and the list of changes, and undoes the turn by its button', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'read_file', args: { path: 'src/greet.ts' } }] },
      {
        toolCalls: [
          { name: 'edit_file', args: { path: 'src/greet.ts', edits: [{ old_text: 'Hello', new_text: 'Good day' }] } },
          { name: 'write_file', args: { path: 'src/new.ts', content: 'export const made = true;\n' } },
        ],
      },
      { text: 'Edited.' },
    ]);
    expect(await workbench.ask('change the greeting')).toContain('Edited.');
    expect(read('src/greet.ts')).toBe("export const greeting = 'Good day';\n");
    expect(read('src/new.ts')).toBe('export const made = true;\n');

    const card = toolCard(chat, 'edit_file', 'ok');
    await card.locator('summary').click();
    const diff = await card.getByRole('region', { name: 'Changes' }).innerText();
    expect(diff).toContain("-export const greeting = 'Hello';");
    expect(diff).toContain("+export const greeting = 'Good day';");

    const changes = chat.getByRole('region', { name: '2 files changed' });
    expect(await changes.innerText()).toMatch(/greet\.ts\s+\+1\s+−1/);
    await workbench.screenshot('tools-edit');
    await button(changes, 'Undo').click();
    await changes.getByText('Undone').waitFor();
    expect(read('src/greet.ts')).toBe(workspace['src/greet.ts']);
    expect(existsSync(path('src/new.ts'))).toBe(false);
  });

  it('undoes the last turn by its command too, and says when there is nothing left', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'write_file', args: { path: 'src/made.ts', content: 'export {};\n' } }] },
      { text: 'Made.' },
    ]);
    await workbench.ask('make a file');
    expect(existsSync(path('src/made.ts'))).toBe(true);
    await workbench.runCommand('Nanobot: Undo Turn');
    await until('the file to go', () => !existsSync(path('src/made.ts')));
    await chat.getByRole('region', { name: '1 file changed' }).getByText('Undone').waitFor();
    await workbench.runCommand('Nanobot: Undo Turn');
    const notice = chat.locator('[data-notice="undo"]');
    await notice.getByText('no turn with file changes').waitFor();
    await button(notice, 'Dismiss').click();
    await notice.waitFor({ state: 'detached' });
  });

  it('runs a command once it is allowed, with a live tail and the Nanobot terminal', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'exec', args: { command: 'echo first-line; cat go >/dev/null; echo last-line' } }] },
      { text: 'Ran it.' },
    ]);
    // The command waits in the middle until this pipe is written to, so that the tail can be seen.
    execFileSync('mkfifo', [path('go')]);
    await workbench.send('run it');
    await approvalCard(chat).getByText('echo first-line').waitFor();
    await workbench.screenshot('tools-approval');
    await button(approvalCard(chat), 'Allow').click();
    const card = toolCard(chat, 'exec', 'running');
    await card.locator('.tail').getByText('first-line').waitFor();
    await workbench.screenshot('tools-tail');
    await writeFile(path('go'), 'on\n');
    expect(await (await workbench.lastAnswer()).innerText()).toContain('Ran it.');
    await toolCard(chat, 'exec', 'ok').waitFor();
    expect(await chat.locator('[data-tool][data-status="running"]').count()).toBe(0);
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('last-line');

    await workbench.runCommand('Terminal: Focus Terminal');
    const terminal = workbench.page.locator('.terminal-wrapper.active .xterm-rows');
    await terminal.getByText('last-line', { exact: true }).waitFor();
    await workbench.screenshot('tools-terminal');
    expect(await terminal.innerText()).toMatch(/echo first-line/);
    await workbench.runCommand('View: Hide Panel');
  });

  it('asks the person by a card and goes on with the chosen answer', async () => {
    workbench.model.setScript([
      { toolCalls: [{ name: 'ask_user', args: { question: 'Tabs or spaces?', options: ['Tabs', 'Spaces'] } }] },
      { toolCalls: [{ name: 'ask_user', args: { question: 'How many?' } }] },
      { text: 'Understood.' },
    ]);
    await workbench.send('set up the formatter');
    const card = chat.getByRole('group', { name: 'Question' });
    await card.getByText('Tabs or spaces?').waitFor();
    await workbench.screenshot('tools-question');
    await button(card, 'Spaces').click();
    await card.getByText('How many?').waitFor();
    await card.getByRole('textbox', { name: 'Your own answer' }).fill('two');
    await card.getByRole('textbox', { name: 'Your own answer' }).press('Enter');
    expect(await (await workbench.lastAnswer()).innerText()).toContain('Understood.');
    expect(await card.count()).toBe(0);
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('The person answered: Spaces');
    expect(told).toContain('The person answered: two');
  });

  it('shows the plan and keeps it current', async () => {
    const plan = (first: string, second: string) => ({
      items: [
        { text: 'Read the code', status: first },
        { text: 'Write the test', status: second },
      ],
    });
    workbench.model.setScript([
      { toolCalls: [{ name: 'todo', args: plan('in_progress', 'pending') }] },
      { toolCalls: [{ name: 'todo', args: plan('done', 'in_progress') }] },
      { text: 'On it.' },
    ]);
    await workbench.ask('plan it');
    const card = chat.locator('details[aria-label="Tasks"]');
    expect(await card.locator('summary').innerText()).toMatch(/1 of 2\s+Write the test/);
    await card.locator('summary').click();
    await card.locator('li[data-status="done"]').getByText('Read the code').waitFor();
    await workbench.screenshot('tools-todo');
    await card.locator('summary').click();
    await textbox(chat).focus();
  });
});
