import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMORY_FOLDER, memoryFolderExtension } from '../support/memoryFolder.js';
import {
  approvalCard,
  button,
  type ModelWorkbench,
  openWithModel,
  textbox,
  toolCard,
  wordsOf,
} from '../support/modelWorkbench.js';
import type { WorkbenchWindow } from '../support/workbench.js';
import { writeFiles } from '../support/workbenchFiles.js';

/** What a repository sets that makes Nanobot more careful, and what would take the person's say away. */
const repository = {
  'nanobot.approveEdits': 'before',
  'nanobot.restrictToWorkspace': true,
  'nanobot.approval': 'auto',
  'nanobot.exec.allow': ['touch'],
  'nanobot.model': 'practice/practice',
  'nanobot.providers': { openai: { apiBase: 'http://127.0.0.1:9/v1' } },
};
const looseRepository = { 'nanobot.approveEdits': 'after', 'nanobot.restrictToWorkspace': false };
const strictPerson = { 'nanobot.approveEdits': 'before', 'nanobot.restrictToWorkspace': true };

describe('folders of every kind', () => {
  let workbench: ModelWorkbench;
  let outside: string;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n', '.vscode/settings.json': JSON.stringify(repository) },
      extensions: memoryFolderExtension({ 'beds.md': 'Roses in the east.\n', 'shed/tools.txt': 'rake\nspade\n' }),
    });
    outside = join(dirname(workbench.workspacePath ?? ''), 'outside.txt');
    writeFiles(dirname(outside), { 'outside.txt': 'not of this folder\n' });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  /** Changes the person's settings for windows that are opened from now on; gives what puts them back. */
  const changeSettings = (more: object) => {
    const path = join(workbench.files.userDataDir, 'User', 'settings.json');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(before) as object), ...more }));
    return () => writeFileSync(path, before);
  };
  const write = (path: string) => call('write_file', { path, content: 'Made.\n' });
  const told = () => wordsOf(workbench.model.requests.at(-1));
  const made = (name: string) => existsSync(join(workbench.workspacePath ?? '', name));

  /** What both the person and a repository can ask for: edits are shown before they are made, what lies outside is refused. */
  async function expectCareful(window: WorkbenchWindow, name: string): Promise<void> {
    const chat = await window.openChat();
    workbench.model.setScript([write(name), call('read_file', { path: outside }), { text: 'Neither, then.' }]);
    await window.send('write this and read that');
    await approvalCard(chat).getByText('+Made.').waitFor();
    await button(approvalCard(chat), 'Deny').click();
    await window.lastAnswer();
    await toolCard(chat, 'read_file', 'denied').waitFor();
    expect(told()).toContain('The person denied this.');
    expect(told()).toContain('nanobot.restrictToWorkspace refuses that');
    expect(told()).not.toContain('not of this folder');
  }

  describe('the settings of a repository', () => {
    it('make Nanobot more careful: edits are asked first, what lies outside is refused', async () => {
      await expectCareful(workbench, 'careful.md');
      expect(made('careful.md')).toBe(false);
    });

    it('take nothing of the say of the person: neither the approval, nor the commands, nor the provider', async () => {
      const chat = await workbench.chat();
      const asked = workbench.model.requests.length;
      workbench.model.setScript([call('exec', { command: 'touch let-in' }), { text: 'Not let in.' }]);
      await workbench.send('touch it');
      await approvalCard(chat).getByText('touch let-in').waitFor();
      await button(approvalCard(chat), 'Deny').click();
      await workbench.lastAnswer();
      expect(made('let-in')).toBe(false);
      expect(workbench.model.requests.length).toBe(asked + 2);
      await workbench.page.close();
    });
  });

  it('without a folder, a command and an edit say so in their cards, and the next turn works', async () => {
    const window = await workbench.openWindow(null);
    const chat = await window.openChat();
    workbench.model.setScript([call('exec', { command: 'echo hi' }), write('a.md'), { text: 'There is no folder.' }]);
    expect(await window.ask('do something')).toContain('There is no folder.');
    for (const name of ['exec', 'write_file']) {
      const card = toolCard(chat, name, 'error');
      await card.locator('summary').click();
      await card.getByRole('region', { name: 'Output' }).getByText('No folder is open').waitFor();
    }
    await window.screenshot('folders-none');
    expect(await approvalCard(chat).count()).toBe(0);
    workbench.model.setScript([{ text: 'Still here.' }]);
    expect(await window.ask('and now?')).toContain('Still here.');
    await window.page.close();
  });

  describe('a repository with 100,000 files and loose settings', () => {
    let window: WorkbenchWindow;
    let relax: () => void;

    beforeAll(async () => {
      const folder = join(dirname(outside), 'huge');
      makeFiles(folder, 1_000, 100);
      writeFiles(folder, {
        'part-777/needle.txt': 'the only line\n',
        '.vscode/settings.json': JSON.stringify(looseRepository),
      });
      relax = changeSettings(strictPerson);
      window = await workbench.openWindow(folder);
    });

    afterAll(async () => {
      relax?.();
      await window?.page.close();
    });

    it('opens the chat, finds by name and by content, and completes the names of files', async () => {
      const chat = await window.openChat();
      workbench.model.setScript([
        {
          toolCalls: [
            { name: 'glob', args: { pattern: '**/needle.*' } },
            { name: 'grep', args: { pattern: 'only line', output_mode: 'content' } },
            { name: 'glob', args: { pattern: '**/*.txt', head_limit: 5 } },
          ],
        },
        { text: 'Found it.' },
      ]);
      expect(await window.ask('find the needle')).toContain('Found it.');
      expect(told()).toContain('part-777/needle.txt');
      expect(told()).toContain('the only line');
      expect(told()).toContain('(cut; more: offset 5)');
      // The time limit of a search, which is 20 s.
      expect(told()).not.toMatch(/stopped after|took longer/);
      await textbox(chat).fill('see @needle');
      await chat.getByRole('option').getByText('needle.txt').waitFor();
      await window.screenshot('folders-huge');
      await textbox(chat).fill('');
    });

    it('loosens nothing that the person has tightened', async () => {
      await expectCareful(window, 'strict.md');
    });
  });

  describe('a folder that is not on a disk', () => {
    let window: WorkbenchWindow;
    let chat: Frame;

    beforeAll(async () => {
      window = await workbench.openWindow(MEMORY_FOLDER);
      chat = await window.openChat();
    });

    it('is read, listed and edited', async () => {
      workbench.model.setScript([
        {
          toolCalls: [
            { name: 'list_dir', args: { path: '.' } },
            { name: 'read_file', args: { path: 'beds.md' } },
            { name: 'read_file', args: { path: 'shed/tools.txt' } },
          ],
        },
        call('edit_file', { path: 'beds.md', edits: [{ old_text: 'east', new_text: 'west' }] }),
        call('read_file', { path: 'beds.md' }),
        { text: 'Moved the roses.' },
      ]);
      expect(await window.ask('move the roses')).toContain('Moved the roses.');
      await window.screenshot('folders-virtual');
      expect(told()).toMatch(/beds\.md[^]*Roses in the east\.[^]*rake[^]*Roses in the west\./);
      expect(await approvalCard(chat).count()).toBe(0);
      expect(await chat.locator('[data-tool]:not([data-status="ok"])').count()).toBe(0);
    });

    it('runs no commands and is not searched, and says why', async () => {
      workbench.model.setScript([
        call('exec', { command: 'echo hi' }),
        call('grep', { pattern: 'Roses' }),
        { text: 'Not there.' },
      ]);
      expect(await window.ask('run it')).toContain('Not there.');
      expect(told()).toMatch(/not on a disk/);
      for (const [name, words] of [
        ['exec', 'no command can run in it'],
        ['grep', 'cannot be searched'],
      ] as const) {
        const card = toolCard(chat, name);
        expect(await card.getAttribute('data-status')).toMatch(/^(denied|error)$/);
        await card.locator('summary').click();
        await card.getByRole('region', { name: 'Output' }).getByText(words).waitFor();
      }
      expect(await approvalCard(chat).count()).toBe(0);
    });
  });
});

function call(name: string, args: object) {
  return { toolCalls: [{ name, args }] };
}

/** Empty files `part-<n>/file-<n>.txt`. Those of a folder are links to its first, which are made many times faster. */
function makeFiles(root: string, folders: number, each: number): void {
  for (let at = 0; at < folders; at++) {
    const folder = join(root, `part-${String(at)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/file-0.txt`, '');
    for (let index = 1; index < each; index++) linkSync(`${folder}/file-0.txt`, `${folder}/file-${String(index)}.txt`);
  }
}
