import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { usageMarkdown } from '../../../src/vscode/usageWords.js';
import { appLab } from '../../support/appLab.js';
import { served } from '../../support/served.js';

const usage = { input: 1_000, output: 200 };

it('counts what chats, subagents and names used, each request once', async () => {
  const { lab } = await served(
    (request) => {
      const words = JSON.stringify(request.body.messages);
      if (words.includes('You name conversations')) return { text: 'A name', usage: { input: 10, output: 1 } };
      const last = request.body.messages.at(-1);
      if (last?.role === 'user' && JSON.stringify(last.content).includes('hand it on'))
        return { toolCalls: [{ name: 'spawn', args: { task: 'look', label: 'l', wait: true } }], usage };
      return { text: 'Done.', usage };
    },
    { settings: { sessionTitles: true } },
  );
  await lab.say('hand it on');
  await lab.app.titles.settled(lab.session);
  const today = (await lab.app.usage.week()).at(-1);
  expect(today?.sources.chat).toMatchObject({ input: 2_010, output: 401, unpriced: 3 });
  expect(today?.sources.subagents).toMatchObject({ input: 1_000, output: 200 });
  expect(today?.sources.dream).toMatchObject({ input: 0 });
  const folder = join(lab.home, '.nanobot', 'usage');
  const [name = ''] = readdirSync(folder);
  expect(name).toMatch(/^\d{4}-\d{2}\.jsonl$/);
  expect(readFileSync(join(folder, name), 'utf8').trim().split('\n')).toHaveLength(4);
  appendFileSync(join(folder, name), 'torn {"da\n{"day":5}\n');
  expect((await lab.app.usage.week()).at(-1)).toEqual(today);
});

it('goes on behind a line that a killed process left half-written', async () => {
  const { lab } = await served(() => ({ text: 'Done.', usage }));
  const now = new Date().toISOString();
  const path = join(lab.home, '.nanobot', 'usage', `${now.slice(0, 7)}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{"at":"20');
  await lab.say('Hello');
  const sums = (await lab.app.usage.week()).map(({ sources }) => sources.chat.input);
  expect(sums.reduce((sum, input) => sum + input, 0)).toBe(1_000);
});

it('the model on a script costs nothing and is not counted', async () => {
  const lab = await appLab();
  await lab.say('What can you do?');
  expect(await lab.app.usage.week()).toHaveLength(7);
  expect(existsSync(join(lab.home, '.nanobot', 'usage'))).toBe(false);
});

it('a week as a chart that is also a table', () => {
  const nothing = { input: 0, output: 0, cost: 0, unpriced: 0 };
  const day = (name: string, chat = nothing, dream = nothing) => ({
    day: name,
    sources: { chat, dream, schedules: nothing, subagents: nothing },
  });
  const text = usageMarkdown([
    day('2026-11-21', { input: 900, output: 100, cost: 0.5, unpriced: 0 }),
    day('2026-11-22', { input: 400, output: 100, cost: 0, unpriced: 2 }, { ...nothing, input: 1_500 }),
  ]);
  expect(text).toContain(
    `| 2026\u201111\u201121 | <span aria-hidden="true">${'█'.repeat(10)}</span> | 1,000 | 0 | 0 | 0 | 1,000 | $0.50 |`,
  );
  expect(text).toContain('| 500 | 1,500 | 0 | 0 | 2,000 | 2 without a price |');
  expect(text).toContain('| **Together** | | 1,500 | 1,500 | 0 | 0 | **3,000** | **$0.50 and 2 without a price** |');
});
