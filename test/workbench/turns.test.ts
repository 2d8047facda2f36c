import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  button,
  gateAt,
  type ModelWorkbench,
  openWithModel,
  textbox,
  toolCard,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('stopping, queueing and failing', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  let queue: Locator;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'README.md': '# Hi\n' },
      settings: { 'nanobot.approval': 'auto' },
    });
    chat = await workbench.openChat();
    queue = chat.getByRole('region', { name: 'Queued messages' });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('stops in the middle of an answer, keeps what was said and ends the request', async () => {
    const rest = gateAt(4);
    workbench.model.setScript([{ text: 'A long story begins here and does not end soon.', gate: rest.gate }]);
    await workbench.send('tell a story');
    const answer = chat.getByRole('article', { name: 'Nanobot' }).last();
    await answer.getByText('A long story begins').waitFor();
    await button(chat, 'Stop').click();
    expect(await (await workbench.lastAnswer({ status: 'aborted' })).innerText()).toMatch(/A long story[^]*Stopped/);
    await until('the request to end', () => workbench.model.aborted() === 1);
    rest.open();
    await button(chat, 'Stop').waitFor({ state: 'hidden' });
  });

  it('stops in the middle of a command and ends its processes', async () => {
    const pidFile = join(workbench.workspacePath ?? '', 'pid');
    const command = 'sleep 300 & echo $! > pid; echo started; wait';
    workbench.model.setScript([{ toolCalls: [{ name: 'exec', args: { command } }] }, { text: 'Never said.' }]);
    await workbench.send('wait for it');
    await toolCard(chat, 'exec', 'running').locator('.tail').getByText('started').waitFor();
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    await textbox(chat).press('Escape');
    await toolCard(chat, 'exec', 'aborted').waitFor();
    await until('the process to end', () => !isAlive(pid));
    await button(chat, 'Stop').waitFor({ state: 'hidden' });
    expect(workbench.model.requests.length).toBe(2);
  });

  it('queues what is sent meanwhile, to be edited or removed, and gives it to the model at the next step', async () => {
    const rest = gateAt(2);
    workbench.model.setScript([
      { text: 'Reading it.', toolCalls: [{ name: 'read_file', args: { path: 'README.md' } }], gate: rest.gate },
      { text: 'Heard you.' },
    ]);
    await workbench.send('read it');
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('Reading').waitFor();
    for (const text of ['also colours', 'also shapes', 'also sizes']) {
      await textbox(chat).fill(text);
      await textbox(chat).press('Enter');
      await queue.getByText(text).waitFor();
    }
    await workbench.screenshot('turns-queue');
    const second = queue.locator('[data-status="queued"]').filter({ hasText: 'also shapes' });
    await button(second, 'Remove queued message').click();
    await second.waitFor({ state: 'detached' });
    const first = queue.locator('[data-status="queued"]').first();
    await button(first, 'Edit queued message').click();
    await first.getByRole('textbox', { name: 'Edit queued message' }).fill('also the colours, please');
    await button(first, 'Save').click();
    await queue.getByText('also the colours, please').waitFor();
    rest.open();
    expect(await (await workbench.lastAnswer()).innerText()).toContain('Heard you.');
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).toContain('also the colours, please');
    expect(told).toContain('also sizes');
    expect(told).not.toContain('also shapes');
    expect(await queue.count()).toBe(0);
    const said = await chat.getByRole('article', { name: 'You' }).allInnerTexts();
    expect(said.slice(-2)).toEqual(['also the colours, please', 'also sizes']);
  });

  it('keeps queued messages after Stop and sends them only when the person says so', async () => {
    const rest = gateAt(2);
    workbench.model.setScript([{ text: 'This is stopped.', gate: rest.gate }, { text: 'Now about that.' }]);
    await workbench.send('begin');
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('This is').waitFor();
    await textbox(chat).fill('a later thought');
    await textbox(chat).press('Enter');
    await queue.getByText('a later thought').waitFor();
    await button(chat, 'Stop').click();
    const send = button(queue, 'Send queued messages');
    await send.waitFor();
    const asked = workbench.model.requests.length;
    await workbench.screenshot('turns-left');
    rest.open();
    await send.click();
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('Now about that.').waitFor();
    expect(workbench.model.requests.length).toBe(asked + 1);
    expect(await queue.count()).toBe(0);
  });

  it('shows why a request failed, with a countdown that can be cancelled and a Retry that works', async () => {
    workbench.model.setScript([
      { status: 500, body: { error: { message: 'boiler on fire' } } },
      { text: 'Works again.' },
    ]);
    await workbench.send('try it');
    const wait = chat.locator('[data-retry]');
    await wait.getByText('boiler on fire').waitFor();
    await button(wait, 'Cancel').click();
    const failed = await workbench.lastAnswer({ status: 'error' });
    expect(await failed.innerText()).toContain('boiler on fire');
    await workbench.screenshot('turns-error');
    await button(failed.locator('[data-code]'), 'Retry').click();
    await chat.getByRole('article', { name: 'Nanobot' }).last().getByText('Works again.').waitFor();
    expect(await chat.getByRole('log').getByText('boiler on fire').count()).toBe(0);
  });

  it('answers again, and from a changed message', async () => {
    workbench.model.setScript([{ text: 'First try.' }, { text: 'Second try.' }, { text: 'Blue, then.' }]);
    const log = chat.getByRole('log');
    await workbench.ask('a colour?');
    const answer = await workbench.lastAnswer();
    await answer.hover();
    await button(answer, 'Retry').click();
    await log.getByText('Second try.').waitFor();
    expect(await log.getByText('First try.').count()).toBe(0);

    const question = chat.getByRole('article', { name: 'You' }).last();
    await until('the turn to end', async () => !(await button(chat, 'Stop').isVisible()));
    await question.hover();
    await button(question, 'Edit and resend').click();
    await chat.getByRole('textbox', { name: 'Edit message' }).fill('a cold colour?');
    await button(chat, 'Resend').click();
    await log.getByText('Blue, then.').waitFor();
    expect(await log.getByText('Second try.').count()).toBe(0);
    expect(wordsOf(workbench.model.requests.at(-1))).not.toContain('Second try.');
  });
});

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${String(pid)}`);
}
