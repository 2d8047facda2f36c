import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { furtherStates } from '../../support/furtherStates.js';
import { misfits } from '../../support/pageFit.js';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';
import { pageStates } from '../../support/pageStates.js';

const states = { ...pageStates, ...furtherStates };

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab({ deviceScaleFactor: 2 })));
afterAll(() => lab.close());
afterEach(() => chat.close());

describe.each([
  [300, 150],
  [500, 250],
])('at 200 %%, a view of %i pixels is %i wide and holds', (_pixels, width) => {
  it.each(Object.keys(states))('%s', async (name) => {
    const { state, setup, reach } = states[name] ?? {};
    chat = await lab.open({ width, height: 350, ...(state ? { state } : {}), ...(setup ? { setup } : {}) });
    await reach?.(chat);
    expect(await misfits(chat.page)).toEqual([]);
    expect(await outOfSight()).toEqual([]);
  });
});

/** What must be there without scrolling and is not: the header, the box and its buttons. */
function outOfSight(): Promise<string[]> {
  return chat.page.evaluate(() =>
    [...document.querySelectorAll('.header button, .composer textarea, .actions button')]
      .filter((element) => element.checkVisibility() && !element.closest('.sessions'))
      .filter((element) => {
        const { top, bottom, width, height } = element.getBoundingClientRect();
        return top < 0 || bottom > innerHeight || width < 10 || height < 10;
      })
      .map((element) => element.outerHTML.slice(0, 200)),
  );
}
