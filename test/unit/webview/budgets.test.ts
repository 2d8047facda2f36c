import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, longConversation, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const elements = () => chat.page.locator('*').count();

describe('what the page holds', () => {
  it('is at most 300 elements after 25 messages', async () => {
    chat = await lab.open({ state: { messages: longConversation(0, 25) } });
    expect(await chat.page.getByRole('article').count()).toBe(25);
    expect(await elements()).toBeLessThanOrEqual(300);
  });

  it('is at most 80 messages of 10,000, also while more are said', async () => {
    chat = await lab.open({ state: { messages: longConversation(9_920, 10_000), first: 9_920, total: 10_000 } });
    for (let index = 0; index < 5; index++) {
      const at = 10_000 + index;
      await chat.frame(
        { type: 'user_message', id: `q${index}`, text: 'And then?', at, attachments: [] },
        { type: 'message_start', id: `a${index}`, at },
        { type: 'text', text: 'Then this.' },
        { type: 'message_end', id: `a${index}`, status: 'done' },
      );
    }
    expect(await chat.page.getByRole('article').count()).toBeLessThanOrEqual(80);
    expect(await chat.page.locator('[data-message-id="a4"]').count()).toBe(1);
  });

  it('does not grow when the same messages are shown again', async () => {
    const messages = Array.from({ length: 10 }, (_, index) => [
      userMessage(`u${index}`, 'A question.'),
      answer(`v${index}`, 'An answer with a [link](https://example.com) and `code`.'),
    ]).flat();
    chat = await lab.open({ state: { messages } });
    const before = await elements();
    for (let index = 0; index < 5; index++) await chat.snapshot({ messages });
    expect(await elements()).toBe(before);
  });
});
