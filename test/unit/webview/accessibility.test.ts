import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLab, type ChatPageUnderTest, type PageLab } from '../../support/pageHarness.js';
import { pageStates } from '../../support/pageStates.js';
import type { ThemeName } from '../../support/pageThemes.js';

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

describe.each<ThemeName>(['dark', 'light', 'contrast', 'contrastLight'])(
  'with axe, in the theme %s, nothing serious is found in',
  (theme) => {
    it.each(Object.keys(pageStates))('%s', async (name) => {
      const { state, reach } = pageStates[name] ?? {};
      chat = await lab.open({ theme, ...(state ? { state } : {}) });
      await reach?.(chat);
      await chat.page.evaluate(AXE);
      const { violations } = await chat.page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(
        serious.map(({ id, nodes }) => [
          id,
          nodes.map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary ?? ''}`),
        ]),
      ).toEqual([]);
    });
  },
);
