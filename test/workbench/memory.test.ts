import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedSession, turns } from '../support/consolidation.js';
import { type MemoryHome, memoryHome } from '../support/memoryHome.js';
import { type MemoryPage, memoryPage } from '../support/memoryPage.js';
import type { ScriptedCall } from '../support/modelServer.js';
import { button, type ModelWorkbench, openWithModel, transcriptOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const MEMORY = 'memory/MEMORY.md';

/** A call that adds lines at the end of a file. */
function adding(path: string, ...lines: string[]): ScriptedCall {
  return { name: 'edit_file', args: { path, edits: [{ old_text: '', new_text: lines.join('\n') }] } };
}

const raw =
  '[RAW] 2 messages that could not be summarised\n[2026-04-03 00:02] PERSON: why does the build fail?\nAGENT: line ends';

describe('memory in the window', () => {
  let workbench: ModelWorkbench;
  let home: MemoryHome;
  let memory: MemoryPage;
  const text = (path: string) => readFileSync(join(home.path, path), 'utf8');
  const write = (path: string, content: string) => writeFileSync(join(home.path, path), content);
  const addEntry = (content: string) => {
    const path = join(home.path, 'memory/history.jsonl');
    const cursor = readFileSync(path, 'utf8').trim().split('\n').length + 1;
    appendFileSync(path, `${JSON.stringify({ cursor, timestamp: '2026-01-01 10:00', content })}\n`);
  };
  const statusText = async () => (await memory.status().innerText()).trim();

  beforeAll(async () => {
    home = memoryHome(
      [
        { daysAgo: 3, time: '09:00', content: '- Uses pnpm, not npm' },
        { daysAgo: 3, time: '10:30', content: raw },
        { daysAgo: 1, time: '08:15', content: '- Releases on Thursdays', session_key: 'vscode:old' },
        { time: '00:01', content: '- Wants short answers\n- No emoji' },
        { time: '00:02', content: '- The API moved to api.example.com' },
      ],
      { dreamCursor: 3 },
    );
    seedSession(home.path, 'vscode:old', turns(2, 20), { metadata: { title: 'About releases' } });
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n' },
      home: home.path,
      // In a browser VS Code saves by itself unless it is told not to.
      settings: { 'files.autoSave': 'off' },
    });
    memory = memoryPage(workbench.page);
  });

  afterAll(async () => {
    await workbench?.close();
    home?.remove();
  });

  it('counts what is new in the status bar before the agent is loaded, and keeps the count true', async () => {
    await until('the count', async () => (await statusText()) === 'Dream · 2 new');
    expect(existsSync(join(home.path, '.nanobot'))).toBe(false);
    write('memory/.dream_cursor', '4');
    await until('one less', async () => (await statusText()) === 'Dream · 1 new');
    write('memory/.dream_cursor', '3');
    await until('two again', async () => (await statusText()) === 'Dream · 2 new');
  });

  it('shows days, entries, what is not summarised, and where Dream has read to', async () => {
    await memory.openHistory();
    await memory.row('Releases').or(memory.row('Yesterday')).first().waitFor();
    await memory.row('Yesterday').click();
    await memory
      .row(/^\w+ \d+ \w+/)
      .first()
      .click();
    await memory.row('Uses pnpm').waitFor();
    const rows = await memory.rows();
    expect(rows.slice(0, 6)).toEqual([
      'Today | 2 · 2 new',
      '00:02 The API moved to api.example.com',
      '00:01 Wants short answers',
      'Dream has read all below',
      'Yesterday | 1',
      '08:15 Releases on Thursdays',
    ]);
    expect(rows[7]).toBe('10:30 PERSON: why does the build fail? | not summarised');
    expect(rows.at(-1)).toBe('Dreams');
    await workbench.screenshot('memory-history');
  });

  it('opens an entry as a read-only document, and the chat it is from', async () => {
    await memory.row('The API moved').click();
    const editor = workbench.page.locator('.editor-instance .monaco-editor');
    await editor.getByText('not read by Dream yet').waitFor();
    await workbench.screenshot('memory-entry');
    await editor.click();
    await workbench.page.keyboard.type('x');
    await workbench.page.getByText('Cannot edit in read-only editor').first().waitFor();

    await memory.rowAction(memory.row('Releases on'), 'Open Chat');
    const chat = await workbench.chat();
    await until('the chat', async () => (await transcriptOf(chat))[0]?.includes('question 0'));
  });

  it('copies an entry', async () => {
    await memory.openHistory();
    await memory.rowAction(memory.row('Wants short'), 'Copy');
    await until('the clipboard', async () => {
      return (
        (await workbench.page.evaluate(() => navigator.clipboard.readText())) === '- Wants short answers\n- No emoji'
      );
    });
  });

  it('filters, says by what, and shows all again', async () => {
    await memory.viewAction('Filter History…');
    await memory.type('emoji');
    await workbench.page.keyboard.press('Enter');
    await until('one entry', async () => (await memory.rows()).join('|') === 'Today | 1|00:01 No emoji');
    expect(await workbench.page.getByText('“emoji”').isVisible()).toBe(true);
    await workbench.screenshot('memory-filter');
    await memory.viewAction('Filter History…');
    await memory.type('nothing like it');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.getByText('No entry has all these words.').waitFor();
    await workbench.screenshot('memory-filter-nothing');
    await memory.viewAction('Clear History Filter');
    await memory.row('Dreams').waitFor();
    expect(await workbench.page.getByText('“nothing like it”').count()).toBe(0);
  });

  it('shows what another process appends', async () => {
    addEntry('- From elsewhere');
    await memory.row('Thursday 1 January').waitFor();
    await until('the count', async () => (await statusText()) === 'Dream · 3 new');
  });

  it('dreams from the status bar, says how far it is, and what it learned', async () => {
    let open = () => undefined as void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    workbench.model.setScript([
      {
        text: '[USER] Wants short answers\n[MEMORY] The API is at api.example.com\n[MEMORY] No emoji',
        gate: () => gate,
      },
      {
        toolCalls: [
          adding('USER.md', '- Wants short answers'),
          adding(MEMORY, '- The API is at api.example.com', '- No emoji'),
        ],
      },
      { text: 'Done.' },
    ]);
    await memory.status().click();
    await memory.moveAway();
    await memory.notification('Reading what is new');
    await until('the phase', async () => (await statusText()) === 'Dream · reading');
    await workbench.screenshot('memory-dreaming');
    await memory.status().click();
    await memory.moveAway();
    await memory.notification('Dream is running already in this window.');
    open();
    await memory.notification('Learned 3 things from 3 entries.');
    expect(text('USER.md')).toContain('- Wants short answers');
    await until('nothing new', async () => (await statusText()) === 'Dream');
    await memory.row('Dream has read everything').waitFor();
    await workbench.screenshot('memory-learned');
  });

  it('shows its changes in VS Code’s own editor for several files', async () => {
    await memory.press('Learned 3 things', 'Show changes');
    await workbench.page
      .locator('.tab')
      .filter({ hasText: /^Dream, today .*\(2 files\)/ })
      .waitFor();
    await workbench.page.locator('.view-line').filter({ hasText: 'Wants' }).first().waitFor();
    await workbench.screenshot('memory-changes');
  });

  it('says so where there is nothing new', async () => {
    await workbench.runCommand('Nanobot: Dream');
    await memory.notification('There is nothing new to read.');
    await workbench.runCommand('Notifications: Clear All Notifications');
  });

  it('asks before it restores, with the very lines, and leaves what was changed later to a merge editor', async () => {
    await memory.row('Dreams').click();
    await memory.row('3 changes').waitFor();
    expect(await memory.row('the beginning').count()).toBe(1);
    write(MEMORY, text(MEMORY).replace('No emoji', 'No emoji at all'));
    await memory.rowAction(memory.row('3 changes'), 'Restore');
    await memory.dialog().waitFor();
    await workbench.screenshot('memory-restore');
    expect(await memory.dialog().innerText()).toContain('− The API is at api.example.com');
    await button(memory.dialog(), 'Restore').click();
    await memory.notification('Choose in the merge editor');
    await workbench.page.locator('.tab').filter({ hasText: 'Merging: MEMORY.md' }).waitFor();
    await workbench.page.getByText('The file as it is').waitFor();
    await workbench.screenshot('memory-merge');
    expect(text('USER.md')).not.toContain('Wants short answers');
    expect(text(MEMORY)).toContain('No emoji at all');
    await workbench.page.getByText('1 Conflict Remaining').waitFor();
    await workbench.page.getByText('Accept Before', { exact: true }).click();
    await workbench.page.getByText('0 Conflicts Remaining').waitFor();
    await workbench.screenshot('memory-merged');
    const before = text(MEMORY);
    write(MEMORY, `${before}- Just now\n`);
    await workbench.page.keyboard.press('Control+s');
    await memory.notification('was changed meanwhile');
    expect(text(MEMORY)).toBe(`${before}- Just now\n`);
    write(MEMORY, before);
    await workbench.page.keyboard.press('Control+s');
    await until('the choice', () => !text(MEMORY).includes('No emoji'));
    await until('the list', async () => {
      const commits = (await memory.rows()).filter((row) => row.includes('change')).map((row) => row.split(' | ')[1]);
      return commits.join() === 'taken back · 1 change,edited by hand · 1 change,3 changes · undone';
    });
  });

  it('shows one file as a diff', async () => {
    await memory.row('taken back').click();
    await workbench.page
      .locator('.tab')
      .filter({ hasText: /^USER\.md \(Taken back, today \d\d:\d\d\)/ })
      .waitFor();
    await workbench.page.locator('.diffEditor, .monaco-diff-editor').first().waitFor();
    await workbench.screenshot('memory-diff');
  });

  it('undoes a Dream from its notification at once, and the undoing as well', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    workbench.model.setScript([
      { text: '[USER] Lives in Oslo' },
      { toolCalls: [adding('USER.md', '- Lives in Oslo')] },
      { text: 'Done.' },
    ]);
    await memory.status().click();
    await memory.moveAway();
    await memory.press('Learned 1 thing', 'Undo');
    await memory.notification('Took back 1 change in USER.md. The entries it had read count as new.');
    expect(text('USER.md')).not.toContain('Oslo');
    await until('new again', async () => (await statusText()) === 'Dream · 3 new');
    await workbench.screenshot('memory-undone');
    await memory.press('Took back 1 change', 'Undo');
    await memory.notification('Brought back 1 change in USER.md.');
    expect(text('USER.md')).toContain('Oslo');
    await until('read again', async () => (await statusText()) === 'Dream');
  });

  it('keeps what a person has not saved yet, as theirs', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    await workbench.runCommand('Nanobot: Open Memory');
    await memory.picks().filter({ hasText: MEMORY }).waitFor();
    await workbench.screenshot('memory-open');
    await memory.picks().filter({ hasText: MEMORY }).click();
    const editor = workbench.page.locator('.editor-instance .monaco-editor.focused[data-uri$="/memory/MEMORY.md"]');
    await editor.waitFor();
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type('- Mine, not saved');
    await workbench.page.locator('.tab.dirty').filter({ hasText: 'MEMORY.md' }).waitFor();
    expect(text(MEMORY)).not.toContain('Mine');
    addEntry('- Has a cat');
    workbench.model.setScript([
      { text: '[MEMORY] Has a cat' },
      { toolCalls: [adding(MEMORY, '- Has a cat')] },
      { text: 'Done.' },
    ]);
    await until('it', async () => (await statusText()) === 'Dream · 1 new');
    await memory.status().click();
    await memory.moveAway();
    await memory.notification('Learned 1 thing');
    await memory.notification('had unsaved changes');
    expect(text(MEMORY)).toMatch(/- Mine, not saved\n- Has a cat/);
    await workbench.page.locator('.editor-instance').getByText('Has a cat').waitFor();
    await until('the list', async () =>
      (await memory.rows()).some((row) => /^Today \d\d:\d\d \| edited by hand · 1 change$/.test(row)),
    );
    await workbench.screenshot('memory-dirty');
  });

  it('warns where Dream failed, with the reason, and goes on by Retry', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    addEntry('- Plays chess');
    const refused = { status: 401, body: { error: { message: 'Incorrect API key provided' } } };
    workbench.model.setScript([refused]);
    await memory.status().click();
    await memory.moveAway();
    const failed = await memory.notification('Incorrect API key provided');
    const item = workbench.page.locator('.statusbar-item.warning-kind').filter({ hasText: 'Dream · 1 new' });
    await item.waitFor();
    await item.hover();
    await workbench.page.locator('.monaco-hover').getByText('Incorrect API key provided').waitFor();
    await workbench.screenshot('memory-failed-dream');
    expect(await button(failed, 'Set key').isVisible()).toBe(true);
    await memory.moveAway();
    workbench.model.setScript([{ text: '[SKIP]' }]);
    await memory.status().click();
    await memory.moveAway();
    await memory.notification('Read 1 entry. Nothing in it is worth keeping.');
    await item.waitFor({ state: 'detached' });
  });

  it('stops a Dream by Cancel, and nothing was changed', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    addEntry('- Plays go');
    const before = text(MEMORY);
    workbench.model.setScript([{ text: '[MEMORY] Plays go', stall: 0 }]);
    await memory.status().click();
    await memory.moveAway();
    await memory.notification('Reading what is new');
    await until('the phase', async () => (await statusText()) === 'Dream · reading');
    await memory.press('Reading what is new', 'Cancel');
    await memory.notification('Dream was stopped. Nothing was changed.');
    expect(text(MEMORY)).toBe(before);
    await until('it is still new', async () => (await statusText()) === 'Dream · 1 new');
  });

  it('remembers a sentence in today’s note', async () => {
    await workbench.runCommand('Nanobot: Remember…');
    await memory.type('We release on Thursdays');
    await workbench.screenshot('memory-remember');
    await workbench.page.keyboard.press('Enter');
    await memory.press('noted for later chats', 'Open note');
    await workbench.page.locator('.editor-instance .view-line').filter({ hasText: 'Thursdays' }).waitFor();
  });

  it('finds what was said and noted, and opens it at its place', async () => {
    await workbench.runCommand('Nanobot: Search History…');
    await memory.type('which package manager');
    await memory.picks().first().waitFor();
    await memory.type('pnpm');
    const hit = memory.picks().filter({ hasText: 'Uses pnpm, not npm' });
    await hit.waitFor();
    await workbench.screenshot('memory-search');
    await hit.click();
    await workbench.page.locator('.tab').filter({ hasText: '(1).md' }).waitFor();

    await workbench.runCommand('Nanobot: Search History…');
    await memory.type('question 1');
    const said = memory.picks().filter({ hasText: 'question 1' }).filter({ hasText: 'you, in a chat' }).first();
    await said.click();
    await workbench.page.locator('.tab').filter({ hasText: 'vscode_old line 4.md' }).waitFor();
    await workbench.page.locator('.editor-instance .view-line').filter({ hasText: 'answer' }).first().waitFor();
    await workbench.screenshot('memory-excerpt');
  });

  it('shows the log of Dreams to choose from', async () => {
    await workbench.runCommand('Nanobot: Dream Log…');
    await memory.picks().filter({ hasText: 'edited by hand' }).first().waitFor();
    await workbench.screenshot('memory-log');
    await memory.type('3 changes');
    await memory.picks().filter({ hasText: '3 changes · undone' }).click();
    await workbench.page
      .locator('.tab')
      .filter({ hasText: /^Dream, today .*\(2 files\)/ })
      .waitFor();
    await workbench.page.locator('.view-line').filter({ hasText: 'Wants' }).first().waitFor();
    await workbench.runCommand('Nanobot: Dream Restore…');
    await memory.picks().filter({ hasText: 'brought back' }).waitFor();
    expect(await memory.picks().filter({ hasText: 'undone' }).count()).toBe(0);
    await workbench.page.keyboard.press('Escape');
  });
});
