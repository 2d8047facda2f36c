import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, AT, longConversation, richState, userMessage } from '../../support/conversations.js';
import { deltasOf, longAnswer } from '../../support/longAnswer.js';
import { bundle, openLab, type PageLab } from '../../support/pageHarness.js';

let lab: PageLab;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());

it('the script is at most 350 KB, 105 KB gzipped, and holds no zod', async () => {
  const script = await bundle('webview/main.tsx');
  expect(script.byteLength).toBeLessThanOrEqual(350_000);
  expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThanOrEqual(105_000);
  expect(new TextDecoder().decode(script)).not.toMatch(/ZodError|invalid_union/);
});

it('after 25 messages and their answers the page has at most 300 nodes', async () => {
  const messages = Array.from({ length: 25 }, (_, index) => [
    userMessage(`u${index}`, `Question ${index}`),
    answer(`a${index}`, `Answer ${index}.`),
  ]);
  const { context = null } = richState;
  const chat = await lab.open({ state: { messages: messages.flat(), context } });
  const count = await chat.page.evaluate(() => document.querySelectorAll('*').length);
  expect(await chat.page.getByRole('article').count()).toBe(50);
  expect(count).toBeLessThanOrEqual(300);
  await chat.close();
});

it('a conversation of any length has at most 80 messages in the page', async () => {
  const chat = await lab.open({ state: { messages: longConversation(9_920, 10_000), first: 9_920, total: 10_000 } });
  for (let index = 0; index < 5; index++) {
    await chat.frame({ type: 'user_message', id: `n${index}`, text: 'Next', at: AT, attachments: [] });
  }
  expect(await chat.page.getByRole('article').count()).toBe(80);
  await chat.close();
});

it('an answer of 24 KB in 608 frames is drawn at most twice a picture and never touches a finished block', async () => {
  const chat = await lab.open();
  await chat.frame({ type: 'turn_start', turnId: 't', at: AT }, { type: 'message_start', id: 'a', at: AT });
  const seen = await chat.page.evaluate(
    async (deltas) => {
      const article = document.querySelector('article') as HTMLElement;
      let drawings = 0;
      let pictures = 0;
      let touched = 0;
      let finished = new Set<Node>();
      const observer = new MutationObserver((records) => {
        drawings++;
        for (const { target } of records) {
          for (let node: Node | null = target; node; node = node.parentNode) if (finished.has(node)) touched++;
        }
        finished = new Set(article.querySelectorAll('.md > :has(+ *)'));
      });
      observer.observe(article, { subtree: true, childList: true, characterData: true, attributes: true });
      let n = 2;
      for (const text of deltas) {
        const data = { type: 'frame', n: ++n, events: [{ type: 'text', text }] };
        window.dispatchEvent(new MessageEvent('message', { data }));
        if (n % 4 > 0) continue;
        pictures++;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return { drawings, pictures, touched, blocks: finished.size };
    },
    deltasOf(longAnswer(), 608),
  );
  expect(seen.touched).toBe(0);
  expect(seen.blocks).toBeGreaterThan(50);
  expect(seen.drawings).toBeLessThanOrEqual(seen.pictures * 2 + 2);
  await chat.close();
});
