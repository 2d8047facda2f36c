import { readdirSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descendantsOf } from '../../scripts/lib/processes.mjs';
import {
  approvalCard,
  button,
  type ModelWorkbench,
  openWithModel,
  toolCard,
  transcriptOf,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';
import { writeFiles } from '../support/workbenchFiles.js';

describe('commands in the background, approvals that wait, and a host that is killed', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n', 'server.log': 'listening\n' },
      settings: { 'nanobot.exec.allow': ['tail'], 'terminal.integrated.gpuAcceleration': 'off' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const path = (name: string) => join(workbench.workspacePath ?? '', name);
  const isServerRunning = () =>
    descendantsOf(workbench.server.pid).some(({ command }) => command.includes('tail -f server.log'));
  const badge = (): Locator =>
    workbench.page.locator('.activitybar .action-item:has(> a[aria-label^="Nanobot"]) .badge-content');
  const output = async (card: Locator): Promise<string> => {
    await card.locator('summary').click();
    const words = await card.getByRole('region', { name: 'Output' }).innerText();
    await card.locator('summary').click();
    return words;
  };

  it('leaves a command running in the background, shows what it writes later, and ends it when asked', async () => {
    workbench.model.setScript([
      call('exec', { command: 'tail -f server.log', background: true }),
      call('poll_exec', { handle: 'c1', wait_seconds: 30 }),
      { text: 'The server runs.' },
    ]);
    await workbench.send('start the server');
    // While the model still writes the call, its card does not name the command yet.
    await toolCard(chat, 'poll_exec', 'running').getByText('c1').waitFor();
    await appendFile(path('server.log'), 'somebody came in\n');
    expect(await (await workbench.lastAnswer()).innerText()).toContain('The server runs.');
    expect(await toolCard(chat, 'exec', 'ok').locator('summary').innerText()).toContain('in the background as c1');
    expect(await output(toolCard(chat, 'exec'))).toMatch(/Still running[^]*listening/);
    expect(await output(toolCard(chat, 'poll_exec', 'ok'))).toMatch(/Still running[^]*somebody came in/);
    expect(await output(toolCard(chat, 'poll_exec'))).not.toContain('listening');
    await workbench.screenshot('background-running');
    expect(isServerRunning()).toBe(true);

    workbench.model.setScript([call('kill_exec', { handle: 'c1' }), { text: 'It is down.' }]);
    expect(await workbench.ask('now end it')).toContain('It is down.');
    await toolCard(chat, 'kill_exec', 'ok').waitFor();
    expect(await output(toolCard(chat, 'kill_exec'))).toContain('Killed as asked');
    expect(isServerRunning()).toBe(false);
    expect(await chat.locator('[data-tool][data-status="running"]').count()).toBe(0);
  });

  it('shows the command in a terminal named Nanobot, which does not come up by itself', async () => {
    const { page } = workbench;
    expect(await page.locator('.part.panel').isVisible()).toBe(false);
    await workbench.runCommand('Terminal: Focus Terminal');
    const rows = page.locator('.terminal-wrapper.active .xterm-rows');
    await rows.getByText('somebody came in', { exact: true }).waitFor();
    expect(await rows.innerText()).toMatch(/\$ tail -f server\.log[^]*listening[^]*\[/);
    await page.locator('.part.panel').getByText('Nanobot').first().waitFor();
    await workbench.screenshot('background-terminal');
    await workbench.runCommand('View: Hide Panel');
  });

  it('counts every waiting approval on the badge, and counts down as they are decided', async () => {
    const outside = join(dirname(workbench.workspacePath ?? ''), 'outside');
    writeFiles(outside, { 'one.txt': 'first secret\n', 'two.txt': 'second secret\n', 'three.txt': 'third secret\n' });
    // Reads run together, so three of them wait together.
    const reads = ['one', 'two', 'three'].map((name) => ({
      name: 'read_file',
      args: { path: join(outside, `${name}.txt`) },
    }));
    workbench.model.setScript([{ toolCalls: reads }, { text: 'Read what I may.' }]);
    await workbench.send('read those');
    await badge().getByText('3', { exact: true }).waitFor();
    await approvalCard(chat).getByText('2 more waiting').waitFor();
    expect(await chat.locator('[data-tool="read_file"][data-status="waiting"]').count()).toBe(3);
    await workbench.screenshot('background-badge');
    // They began together, so each may come first.
    const undecided = new Set(['one', 'two', 'three']);
    for (const left of ['3', '2', '1']) {
      await badge().getByText(left, { exact: true }).waitFor();
      const name = await until('the next card', async () => {
        const words = await approvalCard(chat).innerText();
        return [...undecided].find((each) => words.includes(`${each}.txt`));
      });
      undecided.delete(name);
      await button(approvalCard(chat), name === 'two' ? 'Deny' : 'Allow').click();
    }
    await workbench.lastAnswer();
    expect(await badge().isVisible()).toBe(false);
    const told = wordsOf(workbench.model.requests.at(-1));
    for (const words of ['first secret', 'third secret', 'The person denied this.']) expect(told).toContain(words);
    expect(told).not.toContain('second secret');
  });

  it('still counts an approval that waits in a chat that is not shown', async () => {
    workbench.model.setScript([call('exec', { command: 'touch asked-elsewhere' }), { text: 'Left it.' }]);
    await workbench.send('touch it');
    await approvalCard(chat).getByText('touch asked-elsewhere').waitFor();
    await workbench.runCommand('Nanobot: New Chat');
    await button(chat, 'Switch session (now New chat)').waitFor();
    expect(await approvalCard(chat).count()).toBe(0);
    await badge().getByText('1', { exact: true }).waitFor({ timeout: 3_000 });
  });

  it('decides there what waited in a chat that was not shown', async () => {
    await button(chat, 'Switch session (now New chat)').click();
    await chat.getByRole('dialog', { name: 'Sessions' }).locator('.row').getByText('start the server').click();
    await button(approvalCard(chat), 'Deny').click();
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('Left it.').waitFor();
    expect(await badge().isVisible()).toBe(false);
  });

  it("keeps the person's message when the host is killed while the answer streams, and Resume answers anew", async () => {
    await streamStory();
    await killHost();
    await chat.getByText('This turn was interrupted.').waitFor();
    expect(await transcriptOf(chat)).toContain('You: tell me a long story');
    await workbench.screenshot('background-killed');
    expect(await button(chat, 'Stop').isVisible()).toBe(false);
    workbench.model.setScript([{ text: 'Once more, from the start.' }]);
    await button(chat, 'Resume').click();
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('Once more, from the start.').waitFor();
    await chat.getByText('This turn was interrupted.').waitFor({ state: 'detached' });
    expect((await transcriptOf(chat)).filter((words) => words === 'You: tell me a long story').length).toBe(1);
    expect((await transcriptOf(chat)).at(-1)).toBe('Nanobot: Once more, from the start.');
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('tell me a long story');
  });

  it('keeps the words that were shown when the host is killed while the answer streams', async () => {
    await streamStory();
    await until('the words on disk', () => isInHome('stormy night'), 2_000);
    await killHost();
    await chat.getByText('This turn was interrupted.').waitFor();
    expect((await transcriptOf(chat)).at(-1)).toMatch(/^Nanobot: It was a dark and stormy night/);
  });

  /** Whether a file of the agent's home holds these words, wherever it keeps them. */
  function isInHome(words: string): boolean {
    const entries = readdirSync(workbench.home, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'));
    return files.some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(words));
  }

  /** Leaves the model in the middle of its answer, with its first words shown. */
  async function streamStory(): Promise<void> {
    const story = 'It was a dark and stormy night, and the rain fell in torrents on the roof.';
    workbench.model.setScript([{ text: story, stall: 4 }]);
    await workbench.send('tell me a long story');
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('It was a dark and stormy night').waitFor();
  }

  async function killHost(): Promise<void> {
    const former = chat;
    await workbench.killExtensionHost();
    await until('the page to be made anew', () => workbench.page.frames().every((frame) => frame !== former));
    chat = await workbench.openChat();
  }
});

function call(name: string, args: object) {
  return { toolCalls: [{ name, args }] };
}
