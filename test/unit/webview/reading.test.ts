import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, AT, longConversation, tools } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const article = (id: string) => chat.page.locator(`[role="article"][data-message-id="${id}"]`);
const log = () => chat.page.getByRole('log', { name: 'Conversation' });

describe('frames', () => {
  it('are acknowledged after they are drawn, the newest of a tenth of a second for those before it', async () => {
    await open();
    await chat.frame({ type: 'message_start', id: 'a', at: AT });
    for (let n = 3; n <= 30; n++) await chat.frame({ type: 'text', text: 'x' });
    const acks = await until('the last to be acknowledged', async () => {
      const seen = (await chat.waitFor('ack', 1)).map(({ n }) => n);
      return seen.at(-1) === 30 ? seen : undefined;
    });
    expect(acks[0]).toBe(1);
    expect(acks.length).toBeLessThan(30);
    expect([...acks].sort((a, b) => a - b)).toEqual(acks);
  });

  it('with a gap are dropped and a snapshot is asked for, once', async () => {
    await open();
    await chat.send({ type: 'frame', n: 9, events: [{ type: 'message_start', id: 'lost', at: AT }] });
    await chat.send({ type: 'frame', n: 10, events: [{ type: 'text', text: 'lost' }] });
    expect(await chat.waitFor('ready', 2)).toHaveLength(2);
    await chat.snapshot({ messages: [answer('a', 'All there')] });
    await chat.frame({ type: 'user_message', id: 'u', text: 'Next', at: AT, attachments: [] });
    expect(await log().innerText()).toMatch(/^All there\s+Next$/);
    expect(await chat.waitFor('ready', 2)).toHaveLength(2);
  });

  it('that come in a burst are drawn together, only the first two at once', async () => {
    await open();
    await chat.frame({ type: 'message_start', id: 'a', at: AT });
    const drawings = await chat.page.evaluate(async () => {
      let count = 0;
      const seen: string[] = [];
      const log = document.querySelector('[role="log"]') as HTMLElement;
      new MutationObserver(() => {
        count++;
        seen.push(log.innerText);
      }).observe(log, { subtree: true, childList: true, characterData: true });
      for (let n = 3; n < 53; n++)
        window.dispatchEvent(
          new MessageEvent('message', { data: { type: 'frame', n, events: [{ type: 'text', text: `w${n} ` }] } }),
        );
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return { count, first: seen[0], last: seen.at(-1)?.slice(-3) };
    });
    expect(drawings).toEqual({ count: 2, first: 'w3 w4', last: 'w52' });
  });
});

describe('the reader’s place', () => {
  const stream = async (words: number) => {
    for (let index = 0; index < words; index++) await chat.frame({ type: 'text', text: `Paragraph ${index}.\n\n` });
  };
  const distanceFromEnd = () =>
    log().evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);

  it('follows the end, and only there', async () => {
    await open({ height: 400, state: { messages: longConversation(0, 20) } });
    await chat.frame({ type: 'message_start', id: 'a', at: AT });
    await stream(12);
    expect(await distanceFromEnd()).toBeLessThan(2);
    await log().hover();
    await chat.page.mouse.wheel(0, -300);
    await until('the page to scroll', async () => (await distanceFromEnd()) > 200);
    const top = await log().evaluate((element) => element.scrollTop);
    await stream(12);
    expect(await log().evaluate((element) => element.scrollTop)).toBe(top);
    await chat.page.getByRole('button', { name: 'Jump to the end' }).click();
    await until('the end', async () => (await distanceFromEnd()) < 2);
    await stream(5);
    expect(await distanceFromEnd()).toBeLessThan(2);
    expect(await chat.page.getByRole('button', { name: 'Jump to the end' }).count()).toBe(0);
  });

  it('stays when older messages are loaded above, and at most 80 are in the page', async () => {
    await open({ height: 400, state: { messages: longConversation(120, 200), first: 120, total: 200 } });
    await log().evaluate((element) => (element.scrollTop = 0));
    expect(await chat.waitFor('load')).toEqual([{ type: 'load', direction: 'older', at: 120 }]);
    const before = await article('m122').boundingBox();
    await chat.send({ type: 'loaded', direction: 'older', first: 80, total: 200, messages: longConversation(80, 120) });
    await article('m80').waitFor({ state: 'attached' });
    expect((await article('m122').boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
    expect(await log().getByRole('article').count()).toBe(80);
    expect(await article('m199').count()).toBe(0);
  });

  it('comes back to the end through the host when the end is not loaded', async () => {
    await open({ height: 400, state: { messages: longConversation(0, 80), first: 0, total: 200 } });
    await log().evaluate((element) => (element.scrollTop = 1_000));
    await chat.page.getByRole('button', { name: 'Jump to the end' }).click();
    expect(await chat.waitFor('goTo')).toEqual([{ type: 'goTo', index: 199 }]);
    await chat.send({
      type: 'loaded',
      direction: 'around',
      first: 120,
      total: 200,
      messages: longConversation(120, 200),
      focus: 199,
    });
    await article('m199').waitFor();
    await until('the end', async () => (await distanceFromEnd()) < 2);
  });

  it('survives a reload', async () => {
    const messages = longConversation(0, 40);
    await open({ height: 400, state: { messages } });
    await article('m20').evaluate((element) => element.scrollIntoView({ block: 'start' }));
    const place = async () => {
      const text = await chat.page.evaluate(() => sessionStorage.getItem('state') ?? '{}');
      return (JSON.parse(text) as { scroll?: { messageId: string } }).scroll;
    };
    await until('the place to be saved', async () => (await place()) !== undefined);
    const saved = await place();
    const before = await article(saved?.messageId ?? '').boundingBox();
    await chat.reload();
    await chat.snapshot({ messages });
    expect((await article(saved?.messageId ?? '').boundingBox())?.y).toBeCloseTo(before?.y ?? 0, 0);
  });
});

describe('screen readers', () => {
  it('hear a finished answer and an approval, and nothing while text streams', async () => {
    await open();
    const heard = () => chat.page.getByRole('status').innerText();
    expect(await log().getAttribute('aria-live')).toBe('off');
    await chat.frame({ type: 'message_start', id: 'a', at: AT }, { type: 'text', text: 'It is done.' });
    expect(await heard()).toBe('');
    await chat.frame({ type: 'message_end', id: 'a', status: 'done' });
    expect(await heard()).toBe('Nanobot: It is done.');
    const [call] = tools;
    await chat.frame({
      type: 'approval_start',
      approval: {
        id: 'p',
        callId: call?.kind === 'tool' ? call.callId : '',
        tool: 'exec',
        title: 'Run a command',
        detail: 'npm test',
        reasons: [],
        rules: [],
      },
    });
    expect(await heard()).toContain('Approval needed: Run a command. npm test.');
  });
});

describe('a new conversation', () => {
  it('offers examples and says what Nanobot works with', async () => {
    await open({ setup: { remembered: 'Ada likes tabs' } });
    const text = await log().innerText();
    expect(text).toContain('Model: Claude Sonnet 4.5');
    expect(text).toContain('Ada likes tabs');
    expect(text).toContain('/home/ada/.nanobot');
    await chat.page.getByRole('button', { name: 'Open memory' }).click();
    await chat.waitFor('openMemory');
    await chat.page.getByRole('button', { name: 'Run the tests and fix what fails' }).click();
    expect((await chat.waitFor('prompt'))[0]?.text).toBe('Run the tests and fix what fails');
    expect(await chat.page.getByText('What shall we do?').count()).toBe(0);
  });

  it('is read from its top where it is taller than the view, and follows its first message', async () => {
    await open({
      height: 300,
      state: { model: { id: 'practice/tour', label: 'Practice', window: 32_000, practice: true } },
    });
    const place = () =>
      log().evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
        scrollTop,
        rest: scrollHeight - scrollTop - clientHeight,
      }));
    expect(await place()).toMatchObject({ scrollTop: 0 });
    expect((await place()).rest).toBeGreaterThan(0);
    await chat.frame(
      { type: 'user_message', id: 'u', text: 'Hello', at: AT, attachments: [] },
      { type: 'message_start', id: 'a', at: AT },
      { type: 'text', text: 'A line of an answer.\n\n'.repeat(40) },
    );
    await until('the end to be followed', async () => (await place()).rest < 5);
  });

  it('is honest about the practice model', async () => {
    await open({ state: { model: { id: 'practice/tour', label: 'Practice model', window: 32_000, practice: true } } });
    expect(await log().innerText()).toContain('it does not think');
    await chat.page.getByRole('button', { name: 'Set key' }).click();
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'setKey' }]);
  });
});
