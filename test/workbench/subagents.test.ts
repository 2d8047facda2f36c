import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, wordsOf } from '../support/modelWorkbench.js';
import { isSubagents, latch, scripts, spawnCall } from '../support/subagents.js';

describe('subagents', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  const card = (label: string) => chat.getByRole('group', { name: `Subagent: ${label}`, exact: true }).last();
  const cardThat = (label: string, status: string) =>
    chat
      .locator(`[data-subagent="${status}"]`)
      .and(chat.getByRole('group', { name: `Subagent: ${label}` }))
      .last();

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: { 'notes.md': 'Assam, Sencha and Oolong.\n' },
      settings: { 'nanobot.approval': 'auto' },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('shows a card while one runs; the chat is free, the transcript opens, and the result joins the chat', async () => {
    const hold = latch();
    workbench.model.setScript(
      scripts(
        [
          { toolCalls: [spawnCall('List the teas in notes.md.', { label: 'Tea reader' })] },
          { text: 'The reader is at it.' },
          { text: 'Assam, Sencha and Oolong it is.' },
        ],
        async (_, n) => {
          if (n === 0) return { toolCalls: [{ name: 'read_file', args: { path: 'notes.md' } }] };
          await hold.wait;
          return { text: 'Three teas: **Assam**, Sencha, Oolong.' };
        },
      ),
    );
    await workbench.ask('Which teas are there? Let somebody look.');
    await cardThat('Tea reader', 'running').getByText('2 steps').waitFor();
    await button(chat, 'Stop').waitFor({ state: 'hidden' });
    expect(await button(card('Tea reader'), 'Stop subagent Tea reader').isVisible()).toBe(true);
    await workbench.screenshot('subagent-running');

    await button(card('Tea reader'), 'Open transcript of Tea reader').click();
    await chat.getByRole('article', { name: 'Task' }).getByText('List the teas in notes.md.').waitFor();
    await chat.locator('[data-tool="read_file"][data-status="ok"]').waitFor();
    await workbench.screenshot('subagent-transcript');
    await button(chat, 'Back to the chat').click();

    await cardThat('Tea reader', 'running').waitFor();
    hold.open();
    await chat.getByRole('log').getByText('Assam, Sencha and Oolong it is.').waitFor();
    const result = chat.getByRole('article', { name: 'Result of subagent Tea reader' });
    await result.locator('summary').click();
    expect(await result.locator('strong').innerText()).toBe('Assam');
    expect(await cardThat('Tea reader', 'done').innerText()).toMatch(/Done[^]*2 steps[^]*tokens/);
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('Not a message of the person');
    await workbench.screenshot('subagent-done');
  });

  it('stops one, and nothing comes of it', async () => {
    workbench.model.setScript(
      scripts([{ toolCalls: [spawnCall('Never end.', { label: 'Endless' })] }, { text: 'It runs.' }], () => ({
        text: 'Slowly',
        stall: 1,
      })),
    );
    await workbench.ask('Start something endless.');
    await cardThat('Endless', 'running').waitFor();
    const asked = workbench.model.requests.length;
    await button(card('Endless'), 'Stop subagent Endless').click();
    await cardThat('Endless', 'stopped').waitFor();
    expect(await button(card('Endless'), 'Stop subagent Endless').count()).toBe(0);
    expect(workbench.model.requests.length).toBe(asked);
  });

  it('is interrupted by a reload of the window, and goes on with Resume', async () => {
    let resumed = false;
    workbench.model.setScript(
      scripts(
        [
          { toolCalls: [spawnCall('Read it again.', { label: 'Second reader' })] },
          { text: 'Reading again.' },
          { text: 'Still three teas.' },
        ],
        (_, n) => {
          if (n === 0) return { toolCalls: [{ name: 'read_file', args: { path: 'notes.md' } }] };
          return resumed ? { text: 'The same three.' } : { text: 'Slowly', stall: 1 };
        },
      ),
    );
    await workbench.ask('Read it again.');
    await cardThat('Second reader', 'running').getByText('2 steps').waitFor();
    await workbench.reloadWindow();
    chat = await workbench.chat();
    await cardThat('Second reader', 'interrupted').waitFor();
    await workbench.screenshot('subagent-interrupted');
    resumed = true;
    await button(card('Second reader'), 'Resume subagent Second reader').click();
    await chat.getByRole('log').getByText('Still three teas.').waitFor();
    await cardThat('Second reader', 'done').waitFor();
    const reads = workbench.model.requests.filter(isSubagents).filter((seen) => wordsOf(seen).includes('Oolong'));
    expect(reads.length).toBeGreaterThan(0);
    await workbench.screenshot('subagent-resumed');
  });
});
