import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { button, toolCard } from '../support/modelWorkbench.js';
import { startModelServer, type ModelServer } from '../support/modelServer.js';
import { acme } from '../support/otherExtension.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

/** Milliseconds from the first look at the window to a useful answer. */
const A_MINUTE = 60_000;

let workbench: Workbench | undefined;
let model: ModelServer | undefined;

afterEach(async () => {
  await workbench?.close();
  await model?.close();
  workbench = model = undefined;
});

/** Counts what a person does and how long it took. */
function stopwatch() {
  const begun = performance.now();
  let acts = 0;
  return {
    click: async (target: Locator) => {
      acts++;
      await target.click();
    },
    /** Types a text and presses Enter. */
    enter: async (target: Locator, text: string) => {
      acts += 2;
      await target.fill(text);
      await target.press('Enter');
    },
    result: () => ({ acts, ms: performance.now() - begun }),
  };
}

const quickInput = (one: Workbench) => one.page.locator('.quick-input-widget');
const pick = (one: Workbench, name: string) => quickInput(one).locator('.label-name').getByText(name, { exact: true });
const walkthrough = (one: Workbench) => one.page.locator('.gettingStartedContainer');

/** What VS Code shows by itself after an extension was installed. */
async function openWalkthrough(one: Workbench): Promise<void> {
  await one.runCommand('Welcome: Open Walkthrough...');
  await quickInput(one).locator('input').fill('Get Started with Nanobot');
  await quickInput(one).getByText('Get Started with Nanobot').first().click();
  await walkthrough(one).getByRole('button', { name: 'Select Model' }).waitFor();
}

const project = { 'README.md': '# Tea\n\nHow to brew it.\n', 'package.json': '{ "scripts": { "test": "true" } }' };

describe('a new person has a useful answer within a minute', () => {
  it('with nothing set up: one click in the chat', async () => {
    workbench = await openWorkbench({ workspace: project });
    const watch = stopwatch();
    await watch.click(workbench.page.locator('.activitybar a.action-label[aria-label^="Nanobot"]'));
    const chat = await workbench.chat();
    await watch.click(button(chat.getByRole('group', { name: 'Examples' }), 'Read README.md'));
    await toolCard(chat, 'read_file', 'ok').waitFor();
    expect(await (await workbench.lastAnswer()).innerText()).toContain('How to brew it.');
    const { acts, ms } = watch.result();
    expect(ms).toBeLessThan(A_MINUTE);
    expect(acts).toBe(2);
  });

  it('with a key: from the walkthrough to an answer of the provider', async () => {
    model = await startModelServer([{ text: 'It tells how to brew tea.' }]);
    model.setModels(['gpt-test']);
    workbench = await openWorkbench({
      workspace: project,
      settings: { 'nanobot.sessionTitles': false, 'nanobot.providers': { openai: { apiBase: `${model.url}/v1` } } },
    });
    await openWalkthrough(workbench);
    const watch = stopwatch();
    await watch.click(walkthrough(workbench).getByRole('button', { name: 'Set API Key' }));
    await watch.click(pick(workbench, 'openai'));
    await watch.enter(quickInput(workbench).locator('input[type="password"]'), 'sk-test');
    await workbench.page.locator('.notification-toast').getByText('works and is saved').waitFor();
    await watch.click(workbench.page.locator('.activitybar a.action-label[aria-label^="Nanobot"]'));
    const chat = await workbench.openChat();
    await watch.enter(chat.getByRole('textbox', { name: 'Message Nanobot' }), 'What is in README.md?');
    expect(await (await workbench.lastAnswer()).innerText()).toContain('It tells how to brew tea.');
    await workbench.screenshot('getting-started-key');
    const { acts, ms } = watch.result();
    expect(ms).toBeLessThan(A_MINUTE);
    expect(acts).toBeLessThanOrEqual(8);
  });

  it("with models of VS Code's, such as Copilot's: by choosing one and agreeing to it", async () => {
    workbench = await openWorkbench({
      workspace: project,
      extensions: { 'test.acme-1.0.0': acme },
      settings: { 'chat.disableAIFeatures': false, 'nanobot.sessionTitles': false },
    });
    await openWalkthrough(workbench);
    const watch = stopwatch();
    await watch.click(walkthrough(workbench).getByRole('button', { name: 'Select Model' }));
    await watch.click(pick(workbench, 'acme-1'));
    // A first choice is for all chats: nothing is asked about that.
    await quickInput(workbench).waitFor({ state: 'hidden' });
    await watch.click(workbench.page.locator('.activitybar a.action-label[aria-label^="Nanobot"]'));
    const chat = await workbench.openChat();
    await button(chat, 'Select model (now acme-1)').waitFor();
    await watch.enter(chat.getByRole('textbox', { name: 'Message Nanobot' }), 'What is in README.md?');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('count against the quota').waitFor();
    await workbench.screenshot('getting-started-consent');
    await watch.click(dialog.getByRole('button', { name: 'Use them' }));
    expect(await (await workbench.lastAnswer()).innerText()).toContain('from acme');
    await workbench.screenshot('getting-started-vscode');
    const { acts, ms } = watch.result();
    expect(ms).toBeLessThan(A_MINUTE);
    expect(acts).toBeLessThanOrEqual(8);
  });
});
