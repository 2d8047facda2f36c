import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/protocol/chatState.js';
import { answer } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });

describe('a page in which drawing fails', () => {
  it('says so in a line, tells the log, and comes back', async () => {
    chat = await lab.open();
    const broken = { id: 'a', role: 'assistant', status: 'done', at: 1 } as unknown as ChatMessage;
    await chat.snapshot({ messages: [broken], total: 1 });
    const alert = chat.page.getByRole('alert');
    await alert.getByText('Something in this page went wrong').waitFor();
    expect(await chat.waitFor('pageError')).toHaveLength(1);
    const readies = (await chat.posted()).filter(({ type }) => type === 'ready').length;
    await alert.getByRole('button', { name: 'Show again' }).click();
    await until(
      'another ready',
      async () => (await chat.posted()).filter(({ type }) => type === 'ready').length > readies,
    );
    await chat.snapshot({ messages: [answer('a', 'Back again.')], total: 1 });
    await chat.page.getByText('Back again.').waitFor();
  });
});

describe('a host that does not answer', () => {
  it('is told of after ten seconds, and no more once it does', async () => {
    chat = await lab.open();
    await chat.page.clock.install();
    await box().fill('hello?');
    await box().press('Enter');
    await chat.page.clock.runFor(9_000);
    expect(await chat.page.getByText('extension host does not answer').count()).toBe(0);
    await chat.page.clock.runFor(2_000);
    await chat.page.getByText('extension host does not answer').waitFor();
    await chat.frame({ type: 'turn_step', steps: 1 });
    await until(
      'the line to go',
      async () => (await chat.page.getByText('extension host does not answer').count()) === 0,
    );
  });

  it('is not told of while it confirms what was sent', async () => {
    chat = await lab.open();
    await chat.page.clock.install();
    await box().fill('hello?');
    await box().press('Enter');
    const [prompt] = await chat.waitFor('prompt');
    const id = prompt && 'id' in prompt ? String(prompt.id) : '';
    await chat.frame({ type: 'user_message', id, text: 'hello?', at: 1, attachments: [] });
    await chat.page.clock.runFor(20_000);
    expect(await chat.page.getByText('extension host does not answer').count()).toBe(0);
  });
});
