import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryHome, memoryHome } from '../support/memoryHome.js';
import { type MemoryPage, memoryPage } from '../support/memoryPage.js';
import { button } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

interface StoredJob {
  id: string;
  name: string;
  enabled: boolean;
  schedule: Record<string, unknown>;
  state: Record<string, unknown>;
}

function jobsIn(home: string): StoredJob[] {
  const path = join(home, 'cron', 'jobs.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as { jobs: StoredJob[] }).jobs : [];
}

describe('the Schedules view', () => {
  let workbench: Workbench;
  let memory: MemoryPage;

  const pane = () =>
    workbench.page
      .locator('.pane')
      .filter({ has: workbench.page.getByRole('button', { name: /^Schedules.* Section$/ }) });
  const row = (words: string | RegExp): Locator => pane().getByRole('treeitem').filter({ hasText: words });
  const openView = async () => {
    await workbench.runCommand('Nanobot: Focus on Schedules View');
    await pane().waitFor();
  };
  const enter = () => workbench.page.keyboard.press('Enter');

  beforeAll(async () => {
    workbench = await openWorkbench({
      workspace: { 'README.md': '# Hi\n' },
      size: { width: 1600, height: 1000 },
      settings: { 'nanobot.model': 'practice/practice' },
    });
    memory = memoryPage(workbench.page);
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('is empty at first and offers to add one, in words, with the next three times before it is saved', async () => {
    await openView();
    await workbench.page.getByText('Nothing is scheduled yet.').waitFor();
    await workbench.screenshot('schedules-empty');
    await workbench.page.getByRole('button', { name: 'Add Schedule', exact: true }).click();
    await memory.type('Reminder: look at the mail');
    await enter();
    const box = workbench.page.locator('.quick-input-widget');
    await box.getByText('Such as: every weekday at 9').waitFor();
    await memory.type('every moon');
    await box.getByText('was not understood').waitFor();
    await memory.type('every weekday at 9');
    await box.getByText(/Every weekday at 09:00\. Next: .*09:00; .*09:00; .*09:00/).waitFor();
    await workbench.screenshot('schedules-when');
    await enter();
    await box.getByText('Tell me the result').waitFor();
    await enter();
    await memory.notification('is scheduled, every weekday at 09:00');
    await row('look at the mail').waitFor();
    expect(jobsIn(workbench.home)).toMatchObject([{ enabled: true, schedule: { kind: 'cron', expr: '0 9 * * 1-5' } }]);
    await workbench.screenshot('schedules-one');
  });

  it('runs one now and shows what it came to', async () => {
    await memory.rowAction(row('look at the mail'), 'Run Schedule Now…');
    await memory.notification('⏰ look at the mail');
    await until('its state', () => jobsIn(workbench.home)[0]?.state['lastStatus'] === 'ok');
    await row('look at the mail').first().click();
    await row('by hand').waitFor();
    await workbench.screenshot('schedules-run');
    await row('by hand').click();
    const chat = await workbench.chat();
    await chat.getByText('⏰ look at the mail').first().waitFor();
  });

  it('disables, enables, edits and removes', async () => {
    await openView();
    await memory.rowAction(row('look at the mail').first(), 'Disable Schedule…');
    await row('disabled').waitFor();
    expect(jobsIn(workbench.home)[0]?.enabled).toBe(false);
    await memory.rowAction(row('look at the mail').first(), 'Enable Schedule…');
    await until('it to be enabled', () => jobsIn(workbench.home)[0]?.enabled);
    await memory.rowAction(row('look at the mail').first(), 'Edit Schedule…');
    await memory.picks().filter({ hasText: 'When' }).first().click();
    await memory.type('every Monday at 18:30');
    await enter();
    await until('the new time', () => jobsIn(workbench.home)[0]?.schedule['expr'] === '30 18 * * 1');
    await row('every Monday at 18:30').waitFor();
    await memory.rowAction(row('look at the mail').first(), 'Remove Schedule…');
    await button(memory.dialog(), 'Remove').click();
    await until('it to be gone', () => jobsIn(workbench.home).length === 0);
  });

  it('is filled by a reminder of the chat, which comes when its time has come while one watches', async () => {
    await workbench.runCommand('Nanobot: Open Chat');
    await workbench.ask('remind me in 2 minutes to drink tea');
    const job = await until('the job', () => jobsIn(workbench.home).find(({ name }) => name === 'drink tea'));
    expect(job).toMatchObject({ schedule: { kind: 'at' }, enabled: true });
    // Two minutes are long for a test: the file is edited by hand, as a person may.
    const path = join(workbench.home, 'cron', 'jobs.json');
    const file = JSON.parse(readFileSync(path, 'utf8')) as { jobs: StoredJob[] };
    const first = file.jobs.find(({ name }) => name === 'drink tea');
    if (first) {
      first.schedule['atMs'] = Date.now() + 1_000;
      first.state['nextRunAtMs'] = null;
    }
    writeFileSync(path, JSON.stringify(file));
    await memory.notification('⏰ drink tea');
    await workbench.screenshot('schedules-reminder');
    await until('it to be done', () => !jobsIn(workbench.home).some(({ name }) => name === 'drink tea'));
  });
});

describe('a schedule that is due while no view of Nanobot was ever opened', () => {
  let workbench: Workbench;
  let home: MemoryHome;

  beforeAll(async () => {
    const due = Date.now() - 3_600_000;
    const job = {
      id: '0a0a0a0a',
      name: 'water the plants',
      enabled: true,
      schedule: { kind: 'at', atMs: due },
      payload: { kind: 'agent_turn', message: 'Reminder: water the plants', deliver: true },
      state: { nextRunAtMs: due },
      createdAtMs: 1,
      updatedAtMs: 1,
      deleteAfterRun: false,
    };
    home = memoryHome([], { files: { 'cron/jobs.json': JSON.stringify({ version: 1, jobs: [job] }) } });
    workbench = await openWorkbench({
      workspace: { 'README.md': '# Hi\n' },
      home: home.path,
      settings: { 'nanobot.model': 'practice/practice' },
    });
  });

  afterAll(async () => {
    await workbench?.close();
    home?.remove();
  });

  it('runs, marked late, and tells', async () => {
    const memory = memoryPage(workbench.page);
    await memory.notification('water the plants (late)');
    await workbench.screenshot('schedules-late');
    expect(jobsIn(home.path)).toMatchObject([{ enabled: false, state: { lastStatus: 'ok' } }]);
  });
});
