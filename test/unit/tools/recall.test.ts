import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Recall } from '../../../src/memory/recall.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { recallTool } from '../../../src/tools/recall.js';
import { makeProject } from '../../support/project.js';
import { tempHome } from '../../support/tempHome.js';
import { testWorkers } from '../../support/workers.js';

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toLocaleDateString('sv-SE');

async function toolOver(files: Record<string, string>) {
  const { home } = await tempHome();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const recall = new Recall({ workers: await testWorkers(), files: nodeFiles(), clock: nodeClock(), home, log });
  onTestFinished(() => recall.close());
  const project = makeProject();
  const tool = recallTool({ recall, home });
  return {
    tool,
    home,
    ask: async (args: Record<string, unknown>) => (await project.run(tool, args)).text.split('\n'),
  };
}

const message = (content: string) => `${JSON.stringify({ role: 'user', content, timestamp: '2024-03-01T10:00:00' })}\n`;

it('gives each hit on a line, with date, place and text', async () => {
  const { ask } = await toolOver({ 'sessions/a.jsonl': message('The spare key\n  is under the blue pot') });
  expect(await ask({ query: 'where is the key?' })).toEqual([
    '- 2024-03-01 sessions/a.jsonl:1 (user) The spare key is under the blue pot',
  ]);
});

it('cuts long texts and keeps to the limit, 20 at most', async () => {
  const lines = Array.from({ length: 30 }, (_, at) => message(`harbor number ${String(at)} ${'long '.repeat(400)}`));
  const { ask } = await toolOver({ 'sessions/a.jsonl': lines.join('') });
  expect(await ask({ query: 'harbor' })).toHaveLength(8);
  const most = await ask({ query: 'harbor', limit: 99 });
  expect(most).toHaveLength(20);
  expect(Math.max(...most.map((line) => line.length))).toBeLessThan(700);
});

it('lists the notes and history of the last days without a query, and no chats', async () => {
  const { ask } = await toolOver({
    [`memory/${dayBefore(1)}.md`]: `# ${dayBefore(1)}\n\n- 09:00 yesterday's note\n`,
    [`memory/${dayBefore(30)}.md`]: `# ${dayBefore(30)}\n\n- 09:00 an old note\n`,
    'memory/history.jsonl': `${JSON.stringify({ cursor: 1, timestamp: `${dayBefore(2)} 09:00`, content: '- fixed the roof' })}\n`,
    'sessions/a.jsonl': message('a chat').replace('2024-03-01', dayBefore(1)),
  });
  const recent = await ask({});
  expect(recent.map((line) => line.replace(/^- \S+ \S+ /, ''))).toEqual([
    "(note) - 09:00 yesterday's note",
    '(history) - fixed the roof',
  ]);
  expect(await ask({ query: ' ', days: 60 })).toHaveLength(3);
});

it('says plainly that nothing was found', async () => {
  const { ask } = await toolOver({});
  expect(await ask({ query: 'unicorn' })).toEqual([
    'Nothing was found. Other words, or a name or a month, may find it.',
  ]);
  expect(await ask({ query: 'unicorn', days: 1 })).toEqual([
    'Nothing was found in the last 1 day. Other words, or a name or a month, may find it.',
  ]);
  expect(await ask({})).toEqual(['Nothing was noted in the last 7 days.']);
});

it('needs no approval and may run beside other reads', async () => {
  const { tool } = await toolOver({});
  expect(tool.readOnly).toBe(true);
  expect(await tool.access({ query: 'x' }, { sessionKey: 's' })).toEqual([]);
});
