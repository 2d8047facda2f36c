import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gateAt, type ModelWorkbench, openWithModel, textbox } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

describe('a chat page that has died', () => {
  let workbench: ModelWorkbench;

  beforeAll(async () => {
    workbench = await openWithModel();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('is loaded anew by itself while the person looks, with the answer and what they had typed', async () => {
    const chat = await workbench.openChat();
    expect(await chat.locator('.unloaded').count()).toBe(0);
    const { gate, open } = gateAt(2);
    workbench.model.setScript([{ text: 'The first half and then the rest.', chunkSize: 15, gate }]);
    await workbench.send('tell me');
    await chat.getByText('The first half').waitFor();
    await textbox(chat).fill('half a thought');
    await until('the draft to be put down', async () => {
      const { length } = await chat.evaluate(() => document.querySelector('textarea')?.value ?? '');
      return length > 0;
    });
    // Every listener of the page goes with its document: it hears and draws nothing any more.
    await chat.evaluate(() => document.open());
    open();
    const fresh = await until(
      'a page that is alive',
      async () => {
        const found = await workbench.chat(1_000).catch(() => undefined);
        return (await found?.getByText('and then the rest.').count()) ? found : undefined;
      },
      40_000,
    );
    expect(await textbox(fresh).inputValue()).toBe('half a thought');
    workbench.model.setScript([{ text: 'All is well.' }]);
    expect(await workbench.ask('still there?')).toContain('All is well.');
  });
});
