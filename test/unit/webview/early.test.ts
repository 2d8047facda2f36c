import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const box = () => chat.page.getByRole('textbox', { name: 'Message Nanobot' });

/** A page whose script comes when `arrive` is called. */
async function openWithoutScript(): Promise<{ arrive(): Promise<void> }> {
  chat = await lab.open();
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await chat.page.route('**/main.js', async (route) => {
    await held;
    await route.continue();
  });
  await chat.page.reload({ waitUntil: 'commit' });
  await box().waitFor();
  return {
    arrive: async () => {
      release();
      await chat.waitFor('ready');
      await chat.page.unroute('**/main.js');
    },
  };
}

describe('before the page’s script is there', () => {
  it('a person can write, and goes on writing where the caret was', async () => {
    const { arrive } = await openWithoutScript();
    await box().pressSequentially('Hello tea');
    for (let n = 0; n < 4; n++) await box().press('ArrowLeft');
    await arrive();
    await chat.page.keyboard.type(',');
    expect(await box().inputValue()).toBe('Hello, tea');
    expect(await box().count()).toBe(1);
  });

  it('Enter is kept, and what was written is sent once', async () => {
    const { arrive } = await openWithoutScript();
    await box().pressSequentially('Hello');
    await box().press('Enter');
    await box().press('Enter');
    await arrive();
    expect((await chat.waitFor('prompt')).map(({ text }) => text)).toEqual(['Hello']);
    expect(await box().inputValue()).toBe('');
  });

  it('what is written comes after the draft that the host kept', async () => {
    const { arrive } = await openWithoutScript();
    await box().pressSequentially('and milk');
    await arrive();
    await chat.snapshot({}, { draft: 'Buy tea' });
    expect(await box().inputValue()).toBe('Buy tea\nand milk');
  });

  it('nothing takes the focus from an editor', async () => {
    const { arrive } = await openWithoutScript();
    await arrive();
    expect(await chat.page.evaluate(() => document.activeElement === document.body)).toBe(true);
  });
});
