import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyLines, isConsolidation, seedSession, SMALL_WINDOW, turns } from '../support/consolidation.js';
import { type MemoryHome, memoryHome } from '../support/memoryHome.js';
import { type MemoryPage, memoryPage } from '../support/memoryPage.js';
import { button, gateAt, type ModelWorkbench, openWithModel } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

describe('a history of 10,000 entries that Dream has not read', () => {
  let workbench: Workbench;
  let home: MemoryHome;
  let memory: MemoryPage;

  beforeAll(async () => {
    const content = (n: number) =>
      `- Fact ${String(n)} about ${n === 7 ? 'the needle' : 'hay'}, ${'and so on '.repeat(20)}`;
    // All of today and yesterday.
    const entries = Array.from({ length: 10_000 }, (_, n) => ({ daysAgo: n < 400 ? 1 : 0, content: content(n + 1) }));
    home = memoryHome(entries);
    workbench = await openWorkbench({ workspace: { 'README.md': '# Hi\n' }, home: home.path });
    memory = memoryPage(workbench.page);
  });

  afterAll(async () => {
    await workbench?.close();
    home?.remove();
  });

  it('is counted in the status bar and opens with the newest', async () => {
    await memory.openHistory();
    await memory.row('Fact 10000').waitFor();
    await until('the count', async () => (await memory.status().innerText()).includes('10,000 new'));
    expect((await memory.rows())[0]).toBe('Today | 500+ · 500+ new');
    await workbench.screenshot('memory-10000');
  });

  it('shows 200 of a day and more on demand', async () => {
    const { page } = workbench;
    await memory.row('Fact 10000').click();
    await page.keyboard.press('End');
    await memory.row('Dreams').waitFor();
    expect((await memory.rows()).slice(-3)).toEqual(['Show more…', 'Show earlier days…', 'Dreams']);
    await memory.row('Show more…').click();
    await until('the next 200', async () => (await memory.rows()).some((row) => row.includes('Fact 9800')));
  });

  it('finds by the filter what lies at its very beginning', async () => {
    await memory.viewAction('Filter History…');
    await memory.type('needle');
    await workbench.page.keyboard.press('Enter');
    await memory.row('the needle').waitFor();
    expect((await memory.rows())[0]).toBe('Yesterday | 1');
    await memory.viewAction('Clear History Filter');
  });

  it('goes back to the days before', async () => {
    // With the wheel: a key would go wherever the focus is by then.
    await memory.row(/./).first().hover();
    await until('the end', async () => {
      await workbench.page.mouse.wheel(0, 1_000_000);
      return memory.row('Show earlier days…').isVisible();
    });
    await memory.row('Show earlier days…').click();
    await memory.row('Yesterday').waitFor();
  });
});

describe('a home with nothing in it', () => {
  let workbench: Workbench;
  let memory: MemoryPage;

  beforeAll(async () => {
    workbench = await openWorkbench({ workspace: { 'README.md': '# Hi\n' }, size: { width: 1600, height: 900 } });
    memory = memoryPage(workbench.page);
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('says what will stand in the History view, with a way to begin', async () => {
    await memory.openHistory();
    await workbench.page.getByText('Nothing has been kept yet.').waitFor();
    await workbench.screenshot('memory-empty');
    expect(existsSync(join(workbench.home, '.git'))).toBe(false);
    await workbench.page.getByRole('button', { name: 'Remember Something' }).click();
    await memory.type('We release on Thursdays');
    await workbench.page.keyboard.press('Enter');
    await memory.notification('noted for later chats');
  });

  it('is taught, dreams and takes it back with the practice model', async () => {
    await workbench.runCommand('Nanobot: Open Chat');
    await workbench.ask('remember that the demo is on Friday');
    await workbench.ask('hello');
    await workbench.send('/compact');
    const chat = await workbench.chat();
    await chat.locator('[data-compaction="done"]').waitFor();
    await until('the entry', async () => (await memory.status().innerText()).includes('1 new'));
    await memory.status().click();
    await memory.moveAway();
    const learned = await memory.notification('Learned 1 thing from 1 entry, with the practice model.');
    await workbench.screenshot('memory-practice');
    const remembered = () => readFileSync(join(workbench.home, 'memory/MEMORY.md'), 'utf8');
    expect(remembered()).toContain('the demo is on Friday');
    await button(learned, 'Undo').click();
    await memory.notification('Took back 1 change');
    expect(remembered()).not.toContain('the demo is on Friday');
  });

  it('leads a new person through the first steps', async () => {
    await workbench.runCommand('Welcome: Open Walkthrough...');
    await memory.type('Get Started with Nanobot');
    await memory.picks().first().click();
    const { page } = workbench;
    await page.locator('.gettingStartedContainer').getByText('Get Started with Nanobot').first().waitFor();
    for (const [id, title] of Object.entries({
      model: 'Pick a model',
      hello: 'Say hello',
      teach: 'Teach it something',
      dream: 'Watch it Dream',
    })) {
      await page.locator('.gettingStartedContainer').getByText(title, { exact: true }).first().click();
      await workbench.screenshot(`memory-walkthrough-${id}`);
    }
  });
});

describe('a chat that grows too long', () => {
  let workbench: ModelWorkbench;
  let home: MemoryHome;
  let memory: MemoryPage;

  beforeAll(async () => {
    home = memoryHome([]);
    seedSession(home.path, 'vscode:long', turns(70), { metadata: { title: 'About tea' } });
    const settings = Object.fromEntries(
      Object.entries(SMALL_WINDOW).map(([name, value]) => [`nanobot.${name}`, value]),
    );
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' }, home: home.path, settings });
    memory = memoryPage(workbench.page);
  });

  afterAll(async () => {
    await workbench?.close();
    home?.remove();
  });

  it('is summarised on the screen, goes on, and leaves its facts in the history', async () => {
    const gate = gateAt(0);
    workbench.model.setScript((request) =>
      isConsolidation(request)
        ? { text: '<facts>\n- Drinks tea\n</facts>\n\n<summary>\nGoal: tea.\n</summary>', usage: null, gate: gate.gate }
        : { text: 'More tea.', usage: null },
    );
    let chat = await workbench.openChat();
    await button(chat, 'Switch session (now New chat)').click();
    await chat.getByRole('dialog', { name: 'Sessions' }).getByText('About tea').click();
    await chat.getByText('answer 69').waitFor();
    await workbench.send('And now?');
    await chat
      .locator('[data-compaction="running"]')
      .getByText(/Summarising \d+ earlier messages/)
      .waitFor();
    await workbench.screenshot('memory-summarising');
    gate.open();
    await workbench.lastAnswer();
    const card = chat.locator('[data-compaction="done"]');
    await button(card, 'Show summary').click();
    await card.getByText('Goal: tea.').first().waitFor();
    await workbench.screenshot('memory-summarised');
    expect(historyLines(home.path).map(({ content }) => content)).toContain('- Drinks tea');
    await memory.openHistory();
    await memory.row('Drinks tea').first().waitFor();
    await until('the count', async () => (await memory.status().innerText()).includes('new'));

    await memory.rowAction(memory.row('Drinks tea').first(), 'Open Chat');
    chat = await workbench.chat();
    await chat.getByText('More tea.', { exact: true }).waitFor();
    expect(await card.count()).toBe(1);
  });
});

describe('the History view in every theme', () => {
  let workbench: Workbench;
  let home: MemoryHome;
  let memory: MemoryPage;

  beforeAll(async () => {
    const raw = '[RAW] 2 messages that could not be summarised\n[2026-04-03 00:02] PERSON: why does the build fail?';
    home = memoryHome(
      [
        { daysAgo: 3, content: '- Uses pnpm, not npm' },
        { daysAgo: 1, content: raw, session_key: 'vscode:1' },
        { time: '00:01', content: '- Wants short answers, in German where the question is German' },
        { time: '00:02', content: '- The API moved to api.example.com' },
      ],
      { dreamCursor: 2 },
    );
    workbench = await openWorkbench({ workspace: { 'README.md': '# Hi\n' }, home: home.path });
    memory = memoryPage(workbench.page);
    await memory.openHistory();
    await memory.row('Yesterday').click();
    await memory.row('why does').waitFor();
    await memory.row('Dreams').click();
    await memory.row('No Dreams yet').waitFor();
  });

  afterAll(async () => {
    await workbench?.close();
    home?.remove();
  });

  const themes = {
    dark: ['Dark Modern', 'vs-dark'],
    light: ['Light Modern', 'vs'],
    hc: ['Dark High Contrast', 'hc-black'],
    hcLight: ['Light High Contrast', 'hc-light'],
  } as const;

  for (const [name, [setting, className]] of Object.entries(themes)) {
    it(`shows its rows in ${name}, 300 and 500 px wide`, async () => {
      await workbench.runCommand('Preferences: Color Theme');
      await memory.type(setting);
      await memory.picks().filter({ hasText: setting }).first().click();
      await workbench.page.locator(`.monaco-workbench.${className}`).waitFor();
      for (const width of [300, 500]) {
        await memory.widen(width);
        await memory.row('why does').hover();
        expect(await memory.row('why does').getByRole('button', { name: 'Copy' }).isVisible()).toBe(true);
        expect(existsSync(await workbench.screenshot(`memory-${name}-${String(width)}`))).toBe(true);
      }
    });
  }
});
