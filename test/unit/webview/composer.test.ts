import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, AT, richState, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });
const button = (name: string) => chat.page.getByRole('button', { name, exact: true });
const running = { turn: { id: 't', startedAt: AT, steps: 2 } };
const prompts = async () => (await chat.posted()).filter((message) => message.type === 'prompt');

describe('sending', () => {
  it('posts one prompt at Enter, shows it at once as queued, and empties the box', async () => {
    await open();
    await box().fill('Hello');
    const before = (await chat.posted()).length;
    await box().press('Enter');
    const [prompt] = await chat.waitFor('prompt');
    expect(prompt).toMatchObject({ text: 'Hello', attachments: [] });
    expect((await chat.posted()).slice(before).map(({ type }) => type)).toEqual(['prompt']);
    const bubble = chat.page.locator(`[role="article"][data-message-id="${prompt?.id}"]`);
    expect(await bubble.getAttribute('data-status')).toBe('queued');
    expect(await box().inputValue()).toBe('');
    await chat.frame({ type: 'user_message', id: prompt?.id ?? '', text: 'Hello', at: AT, attachments: [] });
    expect(await bubble.getAttribute('data-status')).toBe('done');
    expect(await chat.page.getByRole('article').count()).toBe(1);
  });

  it('breaks the line at Shift+Enter and sends nothing that is blank', async () => {
    await open();
    await box().press('Enter');
    await box().fill('  ');
    await box().press('Enter');
    await box().fill('a');
    await box().press('Shift+Enter');
    await box().pressSequentially('b');
    expect(await box().inputValue()).toBe('a\nb');
    expect(await prompts()).toEqual([]);
  });

  it('works by the Send button, too', async () => {
    await open();
    expect(await button('Send').isDisabled()).toBe(true);
    await box().fill('Hi');
    await button('Send').click();
    expect(await prompts()).toHaveLength(1);
  });

  it('gives the text back when the host refuses it', async () => {
    await open();
    await box().fill('First');
    await box().press('Enter');
    const [prompt] = await chat.waitFor('prompt');
    await box().fill('Second');
    await chat.send({ type: 'rejected', id: prompt?.id ?? '', reason: 'The queue is full.' });
    await chat.page.getByRole('alert').getByText('The queue is full.').waitFor();
    expect(await box().inputValue()).toBe('First\nSecond');
    expect(await chat.page.getByRole('article').count()).toBe(0);
  });

  it('of a command leaves nothing behind once it is carried out', async () => {
    await open();
    await box().fill('/dream');
    await box().press('Enter');
    const [prompt] = await chat.waitFor('prompt');
    await chat.send({ type: 'rejected', id: prompt?.id ?? '', reason: '' });
    await until('the bubble to go', async () => (await chat.page.getByRole('article').count()) === 0);
    expect(await box().inputValue()).toBe('');
    expect(await chat.page.getByRole('alert').count()).toBe(0);
  });

  it('is not possible in a conversation that is only read, which offers to continue here', async () => {
    await open({ state: { session: { key: 'k', title: 'Old', readOnly: true, interrupted: false } } });
    expect(await box().isDisabled()).toBe(true);
    await button('Continue here').click();
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'continueHere' }]);
  });
});

describe('an input method', () => {
  interface Key {
    key: string;
    isComposing?: boolean;
    keyCode?: number;
  }
  const press = (key: Key) =>
    chat.page.evaluate((init) => {
      const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
      document.querySelector('textarea')?.dispatchEvent(event);
    }, key);

  it('keeps Enter, Escape and ↑ while it composes', async () => {
    await open({ state: { ...running, messages: [userMessage('u', 'Former')] } });
    await press({ key: 'ArrowUp', isComposing: true });
    expect(await box().inputValue()).toBe('');
    await box().fill('ni');
    await press({ key: 'Enter', isComposing: true });
    await press({ key: 'Enter', keyCode: 229 });
    await press({ key: 'Escape', isComposing: true });
    const types = (await chat.posted()).map(({ type }) => type);
    expect(types).not.toContain('prompt');
    expect(types).not.toContain('stop');
  });

  it('keeps the Enter that Safari reports just after the composition has ended', async () => {
    await open();
    await box().fill('你好');
    await box().evaluate((element) => {
      element.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '你好' }));
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    });
    expect(await prompts()).toEqual([]);
    expect(await box().inputValue()).toBe('你好');
  });
});

describe('a running turn', () => {
  it('is stopped by Escape or the Stop button, which is there only then', async () => {
    await open();
    await box().press('Escape');
    expect((await chat.posted()).some(({ type }) => type === 'stop')).toBe(false);
    expect(await button('Stop').count()).toBe(0);
    await chat.frame({ type: 'turn_start', turnId: 't', at: AT });
    expect(await button('Send').count()).toBe(0);
    await button('Stop').click();
    await box().fill('More');
    expect(await button('Send').count()).toBe(1);
    await box().press('Escape');
    expect(await chat.waitFor('stop', 2)).toHaveLength(2);
    await chat.frame({ type: 'turn_end', turnId: 't', status: 'aborted', ms: 1 });
    expect(await button('Stop').count()).toBe(0);
  });

  it('shows what is sent meanwhile over the composer, where it can be edited and removed', async () => {
    await open({
      state: { ...running, messages: [userMessage('u', 'Go'), answer('a', 'Going', { status: 'streaming' })] },
    });
    await box().fill('Use tabs');
    await box().press('Enter');
    const [prompt] = await chat.waitFor('prompt');
    const id = prompt?.id ?? '';
    const row = chat.page
      .getByRole('region', { name: 'Queued messages' })
      .locator(`[data-message-id="${id}"][data-status="queued"]`);
    await row.getByText('Use tabs').waitFor();
    await chat.frame({ type: 'queue', queue: [{ id, text: 'Use tabs', attachments: [], armed: true }] });
    expect(await chat.page.locator(`[data-message-id="${id}"]`).count()).toBe(1);
    await row.getByRole('button', { name: 'Edit queued message' }).click();
    await row.getByRole('textbox').fill('Use spaces');
    await row.getByRole('button', { name: 'Save' }).click();
    expect(await chat.waitFor('queueEdit')).toEqual([{ type: 'queueEdit', id, text: 'Use spaces' }]);
    await row.getByRole('button', { name: 'Remove queued message' }).click();
    expect(await chat.waitFor('queueRemove')).toEqual([{ type: 'queueRemove', id }]);
    await chat.frame({ type: 'queue', queue: [] });
    expect(await row.count()).toBe(0);
  });

  it('leaves queued messages behind after Stop, to be sent by a button', async () => {
    await open({ state: { queue: [{ id: 'q', text: 'Use tabs', attachments: [], armed: false }] } });
    await button('Send queued messages').click();
    await chat.waitFor('queueSend');
    // It is a draft now and no message of the conversation.
    expect(await chat.page.getByRole('article').count()).toBe(0);
  });

  it('says how long and how many steps', async () => {
    await open({ state: { turn: { id: 't', startedAt: Date.now() - 65_000, steps: 3 } } });
    expect(await chat.page.locator('.progress').innerText()).toMatch(/Working 1 min \d+ s · 3 steps/);
  });
});

describe('↑ in an empty box', () => {
  const messages = [userMessage('1', 'One'), answer('2', 'x'), userMessage('3', 'Two'), userMessage('4', 'Two')];

  it('recalls former prompts, repetitions once, and ↓ goes back', async () => {
    await open({ state: { messages } });
    const seen: string[] = [];
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown', 'ArrowDown']) {
      await box().press(key);
      seen.push(await box().inputValue());
    }
    expect(seen).toEqual(['Two', 'One', 'One', 'Two', '']);
  });

  it('does nothing in a box with text', async () => {
    await open({ state: { messages } });
    await box().fill('Mine');
    await box().press('ArrowUp');
    expect(await box().inputValue()).toBe('Mine');
  });
});

describe('completion', () => {
  const options = () => chat.page.getByRole('option');

  it('of files follows @ and makes an attachment', async () => {
    await open();
    await box().pressSequentially('Look at @dur');
    const asked = await chat.waitFor('mention', 4);
    expect(asked.at(-1)).toEqual({ type: 'mention', n: 4, query: 'dur' });
    const items = [
      { path: '/w/src/duration.js', label: 'src/duration.js' },
      { path: '/w/test/duration.test.js', label: 'test/duration.test.js' },
    ];
    await chat.send({ type: 'mentions', n: 3, items: [{ path: '/late', label: 'late' }] });
    await chat.send({ type: 'mentions', n: 4, items });
    await options().nth(1).waitFor();
    await box().press('ArrowDown');
    const active = await box().getAttribute('aria-activedescendant');
    expect(await chat.page.locator(`#${active}`).innerText()).toMatch(/duration\.test\.js\s+test/);
    expect(await box().evaluate((element) => element === document.activeElement)).toBe(true);
    await box().press('Enter');
    expect(await box().inputValue()).toBe('Look at ');
    expect(await options().count()).toBe(0);
    await box().pressSequentially('please');
    await box().press('Enter');
    expect((await prompts())[0]).toMatchObject({ text: 'Look at please', attachments: [items[1]] });
  });

  it('of commands follows / at the start, narrows as one types, and closes at Escape without stopping the turn', async () => {
    await open({ state: running });
    await box().pressSequentially('/dr');
    expect(await options().allInnerTexts()).toEqual([
      '/dream Digest the history now',
      '/dream-log What the last Dream changed',
    ]);
    await box().press('Escape');
    expect(await options().count()).toBe(0);
    expect((await chat.posted()).some(({ type }) => type === 'stop')).toBe(false);
    await box().fill('');
    await box().pressSequentially('/dream-');
    await box().press('Tab');
    expect(await box().inputValue()).toBe('/dream-log ');
  });

  it('sends a command that is typed in full', async () => {
    await open();
    await box().fill('/dream');
    await options().first().waitFor();
    await box().press('Enter');
    expect((await prompts())[0]).toMatchObject({ text: '/dream' });
  });

  it('leaves e-mail addresses and slashes in the text alone', async () => {
    await open();
    await box().pressSequentially('ada@example and/or');
    expect((await chat.posted()).some(({ type }) => type === 'mention')).toBe(false);
    expect(await options().count()).toBe(0);
  });
});

describe('attachments', () => {
  it('come from the host, once each, and go by a click', async () => {
    await open();
    await button('Attach').click();
    await chat.waitFor('attach');
    const file = { path: '/w/a.ts', label: 'a.ts', startLine: 2, endLine: 2 };
    await chat.send({ type: 'attached', attachments: [file] });
    await chat.send({ type: 'attached', attachments: [file, { path: '/w/b.ts', label: 'b.ts' }] });
    await button('Remove b.ts').click();
    await button('Remove a.ts:2').waitFor();
    await box().focus();
    await box().press('Enter');
    expect((await prompts())[0]).toMatchObject({ text: '', attachments: [file] });
    expect(await button('Remove a.ts:2').count()).toBe(0);
  });

  it('are dropped as addresses of files', async () => {
    await open();
    await box().evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///w/my%20notes.md\r\nhttps://evil.example/x');
      element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    await button('Remove my notes.md').waitFor();
    expect(await chat.page.locator('.composer .chip').count()).toBe(1);
  });
});

describe('the draft', () => {
  it('survives a reload and is sent to the host at most every 300 ms', async () => {
    await open();
    const started = Date.now();
    await box().pressSequentially('A longer thought');
    await until('the draft', async () => (await chat.waitFor('draft')).at(-1)?.text === 'A longer thought');
    const most = Math.ceil((Date.now() - started) / 300) + 1;
    expect((await chat.waitFor('draft')).length).toBeLessThanOrEqual(most);
    await chat.reload();
    expect(await box().inputValue()).toBe('A longer thought');
  });

  it('comes from the host where the page knows none, and never over what is there', async () => {
    await open({ setup: { draft: 'From the host' } });
    expect(await box().inputValue()).toBe('From the host');
    await box().fill('');
    await chat.snapshot({}, { draft: 'Stale' });
    expect(await box().inputValue()).toBe('');
  });

  it('is added to by the host’s insert, which takes the focus', async () => {
    await open();
    await box().fill('Explain');
    await box().evaluate((element) => element.blur());
    await chat.send({ type: 'insert', text: 'src/a.ts:1' });
    await until('the focus', () => box().evaluate((element) => element === document.activeElement));
    expect(await box().inputValue()).toBe('Explain\nsrc/a.ts:1');
  });
});

describe('model and context', () => {
  it('show what is in use and open the picker', async () => {
    await open({ state: richState, width: 500 });
    const model = chat.page.getByRole('button', { name: 'Select model (now Claude Sonnet 4.5)' });
    expect(await model.innerText()).toMatch(/Claude Sonnet 4\.5\)\s+200k window/);
    await model.click();
    await chat.waitFor('selectModel');
    const meter = chat.page.getByRole('meter', { name: 'Context in use' });
    expect(await meter.getAttribute('aria-valuenow')).toBe('48200');
    expect(await meter.getAttribute('title')).toBe(
      '48k of 200k tokens in use\nSystem: 2.1k\nMemory: 900\nSkills: 1.4k\nHistory: 38k\nTools: 5.8k',
    );
    expect(await chat.page.locator('.usage').innerText()).toBe('12k in · 860 out');
    await chat.frame({ type: 'model', model: { id: 'openai/gpt-5', label: 'GPT-5', window: 1_000_000 } });
    await chat.page.getByRole('button', { name: 'Select model (now GPT-5)' }).waitFor();
  });
});

it.each([
  [0.0294, '$0.03'],
  [0.0004, '< $0.01'],
  [1.234, '$1.23'],
  [0, '$0'],
])('the turn cost %d dollars: %s', async (cost, words) => {
  const usage = { inputTokens: 12_000, outputTokens: 860, cachedTokens: 0, cost };
  const messages = (richState.messages ?? []).map((each) =>
    each.turn ? { ...each, turn: { ...each.turn, usage } } : each,
  );
  await open({ state: { ...richState, messages }, width: 500 });
  expect(await chat.page.locator('.usage').innerText()).toBe(`12k in · 860 out · ${words}`);
});

it('the box grows with its text without an inline style', async () => {
  await open();
  const height = () => box().evaluate((element) => element.clientHeight);
  const before = await height();
  await box().fill('1\n2\n3\n4\n5\n6');
  expect(await height()).toBeGreaterThan(before * 2);
  expect(await chat.page.locator('body [style]').evaluateAll((all) => all.map((element) => element.outerHTML))).toEqual(
    [],
  );
});

it('the page does not take the focus when it opens, but when the host says so', async () => {
  await open();
  expect(await chat.page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  await chat.send({ type: 'focus' });
  await until('the focus', () => box().evaluate((element) => element === document.activeElement));
});
