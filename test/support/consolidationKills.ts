import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { workingSummary } from '../../src/memory/sessionMarks.js';
import { consolidationLab, turns } from './consolidation.js';
import { answers, archive, fit, LIVES, TURNS } from './consolidationLives.js';
import { bundleWorker, killLives, live, seeded } from './killProcess.js';
import { tempHome } from './tempHome.js';

/** A home with a long chat, written by a process that lived on. */
export async function homeWithLongChat(): Promise<string> {
  const { home } = await tempHome();
  const lab = await consolidationLab(home, { answers });
  await lab.session.append(turns(TURNS));
  await lab.close();
  return home;
}

/** The next process finishes everything: each question is noted once, and what left the prompt is summed up once, in order. */
export async function expectWhole(home: string, where: string): Promise<void> {
  const lab = await consolidationLab(home, { answers });
  const count = lab.session.messages.filter((message) => message.role === 'user').length;
  await fit(lab);
  await archive(lab);
  const { last_consolidated, metadata } = lab.session.metadata;
  const all = Array.from({ length: count }, (_, n) => n);
  const noted = lab.entries().flatMap(({ content }) => numbersIn(content));
  expect(
    [...noted].sort((a, b) => a - b),
    `${where}: noted`,
  ).toEqual(all);
  const begin = typeof metadata['begins_at'] === 'number' ? metadata['begins_at'] / 2 : 0;
  expect(numbersIn(workingSummary(lab.session) ?? ''), `${where}: summed up`).toEqual(
    all.slice(begin, last_consolidated / 2),
  );
  expect(metadata, where).not.toHaveProperty('pending_entry');
  expect(new Set(lab.entries().map(({ cursor }) => cursor)).size, `${where}: cursors`).toBe(lab.entries().length);
  await lab.close();
  expectLinesParse(home, where);
}

/** Kills a real process at so many random moments, spread over all of its lives. */
export async function killConsolidationAtRandom(times: number, seed: number): Promise<void> {
  const worker = await bundleWorker('consolidationWorker.ts');
  const random = seeded(seed);
  const names = Object.keys(LIVES);
  try {
    for (const name of names) {
      const { ms } = await live(worker.path, [await homeWithLongChat(), name]);
      await killLives({ times: Math.ceil(times / names.length), ms, random }, async (after, where) => {
        const home = await homeWithLongChat();
        const life = await live(worker.path, [home, name], after);
        await expectWhole(home, `seed ${String(seed)}, "${name}", ${where}`);
        return life;
      });
    }
  } finally {
    await worker.remove();
  }
}

function numbersIn(text: string): number[] {
  return text
    .split('\n')
    .filter((line) => /^(?:- noted|summed) /.test(line))
    .flatMap((line) => line.match(/\d+/g) ?? [])
    .map(Number);
}

function expectLinesParse(home: string, where: string): void {
  const path = join(home, 'sessions', 'vscode_test.jsonl');
  if (!existsSync(path)) return;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line !== '') expect(() => JSON.parse(line) as unknown, `${where}: ${line.slice(0, 80)}`).not.toThrow();
  }
}
