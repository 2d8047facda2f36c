import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, toolCard } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const shellSettings = {
  'nanobot.exec.shell': 'integrated',
  'nanobot.approval': 'auto',
  'terminal.integrated.gpuAcceleration': 'off',
  'terminal.integrated.defaultProfile.linux': 'bash',
};

const open = (settings: Record<string, unknown>) =>
  openWithModel({
    workspace: { 'a.txt': 'one\n', 'deep folder/b.txt': 'two\n' },
    settings: { ...shellSettings, ...settings },
    env: { SHELL: '/bin/bash', MY_OWN: 'from the person' },
  });

const caller = (workbench: () => ModelWorkbench) => async (args: Record<string, unknown>) => {
  const { model, ask } = workbench();
  model.setScript([{ toolCalls: [{ name: 'exec', args }] }, { text: 'Done.' }]);
  await ask('run it');
  const messages = model.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
  return String(messages.findLast(({ role }) => role === 'tool')?.content);
};

describe("commands in the person's own terminal", () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  const exec = caller(() => workbench);

  beforeAll(async () => {
    workbench = await open({});
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  /** Brings a terminal to the front; resolves when it takes keys. With several, the one whose rows hold `words`. */
  const focusTerminal = async (words = '') => {
    const { page } = workbench;
    const rows = page.locator('.terminal-wrapper.active .xterm-rows');
    const shown = async () => (await rows.innerText()).replaceAll('\u00a0', ' ').includes(words);
    await workbench.runCommand('Terminal: Focus Terminal');
    // Its rows are drawn anew when it is shown, and empty for a moment: once is enough.
    const isThere = () =>
      until('the words in the terminal', () => shown().catch(() => false), 5_000).catch(() => false);
    let found = await isThere();
    for (let n = 0; n < 4 && !found; n++) {
      await workbench.runCommand('Terminal: Focus Next Terminal Group');
      found = await isThere();
    }
    expect(found).toBe(true);
    await page.locator('.terminal-wrapper.active .xterm-helper-textarea').focus();
    await page.locator('.terminal-wrapper.active .xterm-helper-textarea:focus').waitFor();
  };

  const path = (name: string) => join(workbench.workspacePath ?? '', name);

  it('run there with its environment: status, output without codes, and no word of another shell', async () => {
    const text = await exec({ command: 'tty && printf "\\033[31mred\\033[0m %s\\n" "$MY_OWN!" && ls' });
    expect(text).toContain('Exit status 0');
    expect(text).toMatch(/\/dev\/pts\/\d+\nred from the person!\n/);
    expect(text).toContain('a.txt');
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain("Nanobot's own shell");
    // It does not come to the front: the panel is not even open.
    expect(await workbench.page.locator('.terminal-wrapper.active').count()).toBe(0);
  });

  it('fail with their status, in a subshell and in several lines', async () => {
    expect(await exec({ command: '(exit 3)' })).toContain('Exit status 3');
    expect(await exec({ command: 'echo one\necho two\nfalse' })).toMatch(/Exit status 1[\s\S]*one\ntwo/);
    await toolCard(chat, 'exec', 'error').waitFor();
  });

  it('run in the folder that was asked for, and in the next call in that of the workspace again', async () => {
    expect(await exec({ command: 'ls', working_dir: 'deep folder' })).toContain('b.txt');
    expect(await exec({ command: 'cd "deep folder" && export KEPT=yes' })).toContain('Exit status 0');
    const text = await exec({ command: 'echo $KEPT; ls' });
    expect(text).toContain('yes');
    expect(text).toContain('a.txt');
  });

  it('end at the time limit and with Stop, and the next one has a new terminal', async () => {
    expect(await exec({ command: 'echo before; sleep 600', timeout: 1 })).toMatch(
      /Ended at its time limit[\s\S]*before/,
    );
    expect(await exec({ command: 'echo [$KEPT]' })).toContain('[]');
    workbench.model.setScript([
      { toolCalls: [{ name: 'exec', args: { command: 'touch started; sleep 600; touch late' } }] },
      { text: 'Never said.' },
    ]);
    await workbench.send('run it');
    await until('the command to start', () => existsSync(path('started')));
    await button(chat, 'Stop').click();
    await toolCard(chat, 'exec', 'aborted').waitFor();
    await workbench.lastAnswer();
    expect(await exec({ command: 'echo again' })).toContain('again');
    expect(existsSync(path('late'))).toBe(false);
  });

  it('are seen in a terminal of that name', async () => {
    await exec({ command: 'echo seen here' });
    await focusTerminal('seen here');
    await workbench.screenshot('integrated-shell');
  });

  it('run in another terminal while the person runs something in this one, and leave that alone', async () => {
    // The terminal of the case before is on the screen: with it ended, this one begins in a new one that is not.
    expect(await exec({ command: 'sleep 600', timeout: 1 })).toContain('Ended at its time limit');
    const before = /pts\/\d+/.exec(await exec({ command: 'tty' }))?.[0] ?? '';
    await focusTerminal(before);
    const { keyboard } = workbench.page;
    await keyboard.type("echo is''running; cat > typed.txt");
    await keyboard.press('Enter');
    const rows = workbench.page.locator('.terminal-wrapper.active .xterm-rows');
    await until('the program of the person', async () => (await rows.innerText()).includes('isrunning'));
    const text = await exec({ command: 'tty; echo meanwhile' });
    expect(text).toMatch(/pts\/\d+\nmeanwhile/);
    expect(text).not.toContain("Nanobot's own shell");
    expect(/pts\/\d+/.exec(text)?.[0]).not.toBe(before);
    expect(await exec({ command: 'sleep 600', timeout: 1 })).toContain('Ended at its time limit');
    await focusTerminal('isrunning');
    await keyboard.type('still mine');
    await keyboard.press('Enter');
    await until('what the person typed', () => readFileSync(path('typed.txt'), 'utf8') === 'still mine\n');
    await keyboard.press('Control+d');
  });

  it('run outside in the background, which is said once', async () => {
    const command = 'echo $TERM; sleep 600';
    expect(await exec({ command, background: true })).toContain('background commands run outside the terminal');
    expect(await exec({ command, background: true })).not.toContain('outside the terminal');
  });
});

describe('a terminal without shell integration', () => {
  let workbench: ModelWorkbench;
  const exec = caller(() => workbench);

  beforeAll(async () => {
    workbench = await open({ 'terminal.integrated.shellIntegration.enabled': false });
    await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it("is left for Nanobot's own shell, which is said once", async () => {
    const text = await exec({ command: 'echo $TERM > term.txt; cat a.txt' });
    expect(text).toContain('Exit status 0');
    expect(text).toContain('the terminal has no shell integration');
    expect(readFileSync(join(workbench.workspacePath ?? '', 'term.txt'), 'utf8')).toBe('dumb\n');
    expect(await exec({ command: 'cat a.txt' })).not.toContain('shell integration');
  });
});
