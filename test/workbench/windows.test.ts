import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  textbox,
  toolCard,
  transcriptOf,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';
import type { WorkbenchWindow } from '../support/workbench.js';

describe('windows and folders', () => {
  let workbench: ModelWorkbench;
  let second: WorkbenchWindow;

  beforeAll(async () => {
    workbench = await openWithModel({
      folders: { front: { 'a.txt': 'in front\n' }, back: { 'b.txt': 'in back\n' } },
    });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const folder = (name: string) => join(dirname(workbench.workspacePath ?? ''), 'folders', name);

  it('reads and edits in every folder of a workspace, and names the folder', async () => {
    const chat = await workbench.openChat();
    const there = join(folder('back'), 'b.txt');
    workbench.model.setScript([
      {
        toolCalls: [
          { name: 'glob', args: { pattern: '**/*.txt' } },
          { name: 'read_file', args: { path: there } },
          { name: 'read_file', args: { path: 'a.txt' } },
        ],
      },
      {
        toolCalls: [{ name: 'edit_file', args: { path: there, edits: [{ old_text: 'in back', new_text: 'behind' }] } }],
      },
      { text: 'Both seen.' },
    ]);
    expect(await workbench.ask('look at both')).toContain('Both seen.');
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toMatch(/front\/a\.txt[^]*1\| in front/);
    expect(told).toMatch(/back\/b\.txt[^]*1\| in back/);
    expect(readFileSync(there, 'utf8')).toBe('behind\n');
    await chat.getByRole('region', { name: '1 file changed' }).getByText('back/b.txt').waitFor();
    await workbench.screenshot('windows-folders');
  });

  it('shows a session that another window works on read-only, and what is said there once it is stored', async () => {
    const rest = gateAt(3);
    workbench.model.setScript([{ text: 'One two three four five six seven eight nine.', gate: rest.gate }]);
    await workbench.send('count slowly');
    await (await workbench.chat()).getByText('One two').waitFor();

    second = await workbench.openWindow();
    const chat = await second.openChat();
    await button(chat, 'Find in conversation').waitFor();
    await chat.getByRole('button', { name: /^Switch session/ }).click();
    await chat.getByRole('dialog', { name: 'Sessions' }).locator('.row').getByText('look at both').click();
    await chat.getByText('This conversation can only be read here.').waitFor();
    expect(await textbox(chat).isDisabled()).toBe(true);
    await second.screenshot('windows-second');
    rest.open();
    await workbench.lastAnswer();
    await until('the answer in the other window', async () =>
      (await transcriptOf(chat)).at(-1)?.includes('eight nine'),
    );
    expect(await transcriptOf(chat)).toEqual(await transcriptOf(await workbench.chat()));
  });

  it('goes on in the second window when asked to', async () => {
    const chat = await second.chat();
    await button(chat, 'Continue here').click();
    await until('the textbox', () => textbox(chat).isEnabled());
    workbench.model.setScript([{ text: 'Here now.' }]);
    await second.send('go on here');
    expect(await (await second.lastAnswer()).innerText()).toContain('Here now.');
    const first = await workbench.chat();
    await first.getByText('This conversation can only be read here.').waitFor();
    await until('the answer in the first window', async () =>
      (await transcriptOf(first)).at(-1)?.includes('Here now.'),
    );
    await second.page.close();
  });

  it('works in a window without a folder', async () => {
    const empty = await workbench.openWindow(null);
    const chat = await empty.openChat();
    await button(chat.getByRole('group', { name: 'Examples' }), 'What can you do?').waitFor();
    workbench.model.setScript([
      { toolCalls: [{ name: 'list_dir', args: { path: '.' } }] },
      { text: 'Nothing is open.' },
    ]);
    expect(await empty.ask('what is here?')).toContain('Nothing is open.');
    await toolCard(chat, 'list_dir').waitFor();
    await empty.screenshot('windows-empty');
  });
});
