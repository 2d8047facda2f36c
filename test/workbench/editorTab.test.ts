import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approvalCard,
  button,
  type ModelWorkbench,
  openWithModel,
  textbox,
  transcriptOf,
} from '../support/modelWorkbench.js';
import { framesWith } from '../support/chatPage.js';
import { isConsolidation } from '../support/consolidation.js';
import { until } from '../support/until.js';

describe('a chat in an editor tab', () => {
  let workbench: ModelWorkbench;
  let view: Frame;
  let tab: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'README.md': '# Hi\n' } });
    workbench.model.setScript((request) => {
      if (isConsolidation(request)) return { text: '<facts>\n</facts>' };
      const last = request.body.messages.at(-1);
      if (last?.role === 'user' && JSON.stringify(last.content).includes('make a file'))
        return { toolCalls: [{ name: 'exec', args: { command: 'touch made' } }] };
      const asked = request.body.messages.filter(({ role }) => role === 'user').length;
      return { text: `Answer ${String(asked)}.` };
    });
    view = await workbench.openChat();
    await workbench.ask('First');
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const frames = (page: Page) => framesWith(page, (frame) => frame.locator('[role="log"][aria-label="Conversation"]'));
  /** The page that is not in the side bar: VS Code shows it where the editors are. */
  const tabFrame = (page: Page = workbench.page) =>
    until('the chat in the tab', async () => {
      for (const frame of await frames(page)) {
        const outer = await (await frame.parentFrame()?.frameElement())?.boundingBox();
        if (outer && outer.width > 500) return frame;
      }
      return undefined;
    });
  const send = async (frame: Frame, text: string) => {
    await textbox(frame).fill(text);
    await textbox(frame).press('Enter');
  };
  const says = (frame: Frame, lines: string[]) =>
    until(`${lines.join(' | ')}`, async () => (await transcriptOf(frame)).join('|') === lines.join('|'));

  it('shows the session of the view, and both pages are live', async () => {
    await workbench.runCommand('Nanobot: Open Chat in Editor Tab');
    tab = await tabFrame();
    await says(tab, ['You: First', 'Nanobot: Answer 1.']);
    await workbench.page.locator('.tab').getByText('First').waitFor();
    await send(tab, 'Second');
    const both = ['You: First', 'Nanobot: Answer 1.', 'You: Second', 'Nanobot: Answer 2.'];
    await says(tab, both);
    await says(view, both);
    await workbench.screenshot('editor-tab');
    await send(view, 'Third');
    await says(tab, [...both, 'You: Third', 'Nanobot: Answer 3.']);
    await says(view, [...both, 'You: Third', 'Nanobot: Answer 3.']);
  });

  it('asks for approval in both, and an answer in one is the answer', async () => {
    await send(view, 'make a file');
    await approvalCard(tab).waitFor();
    await approvalCard(view).waitFor();
    await button(approvalCard(tab), 'Deny').click();
    await approvalCard(view).waitFor({ state: 'detached' });
    await until('the answer', async () => (await transcriptOf(view)).at(-1)?.includes('Answer 4.'));
    await until('the same there', async () => (await transcriptOf(tab)).at(-1)?.includes('Answer 4.'));
  });

  it('each has what is typed in it to itself, and /new moves one alone', async () => {
    await textbox(view).fill('typed in the view');
    await send(tab, '/new');
    await button(tab, 'Switch session (now New chat)').waitFor();
    await until('an empty tab', async () => (await transcriptOf(tab)).length === 0);
    expect(await button(view, 'Switch session (now First)').count()).toBe(1);
    expect(await textbox(view).inputValue()).toBe('typed in the view');
    expect(await textbox(tab).inputValue()).toBe('');
    await send(tab, 'Apart');
    await says(tab, ['You: Apart', 'Nanobot: Answer 1.']);
    await workbench.page.locator('.tab').getByText('Apart').waitFor();
    expect((await transcriptOf(view)).at(-1)).toContain('Answer 4.');
  });

  it('comes back with its session after the window was loaded anew', async () => {
    // As a person does it: VS Code puts down its editors first, which a browser's own reload leaves it no time for.
    await Promise.all([workbench.page.waitForEvent('load'), workbench.runCommand('Developer: Reload Window')]);
    await workbench.ready();
    tab = await tabFrame();
    await says(tab, ['You: Apart', 'Nanobot: Answer 1.']);
    view = await workbench.openChat();
    await button(view, 'Switch session (now First)').waitFor();
    await send(tab, 'And on');
    await says(tab, ['You: Apart', 'Nanobot: Answer 1.', 'You: And on', 'Nanobot: Answer 2.']);
  });

  it('a session that is deleted is no longer shown anywhere', async () => {
    await button(tab, 'Switch session (now Apart)').click();
    const panel = tab.getByRole('dialog', { name: 'Sessions' });
    await panel.locator('li').filter({ hasText: 'First' }).hover();
    await button(panel, 'Delete First').click();
    await button(panel.getByRole('alertdialog'), 'Delete').click();
    await until('a new chat in the view', async () => {
      const all = await frames(workbench.page);
      const others = all.filter((frame) => frame !== tab);
      return others.length === 1 && (await button(others[0] as Frame, 'Switch session (now New chat)').count()) === 1;
    });
  });

  it('opens in a window of its own', async () => {
    const opened = workbench.page.context().waitForEvent('page');
    await workbench.runCommand('Nanobot: Open Chat in New Window');
    const window = await opened;
    await until(
      'the chat there',
      async () => (await frames(window)).length === 1 || (await frames(workbench.page)).length >= 2,
    );
    await window.screenshot({ path: '.workbench/pictures/editor-window.png' }).catch(() => undefined);
  });
});
