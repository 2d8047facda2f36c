import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanUp } from '../../../src/agent/housekeeping.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { tempHome } from '../../support/tempHome.js';

const DAY_S = 24 * 3_600;

async function setUp(files: Record<string, number>) {
  const { home } = await tempHome();
  for (const [name, days] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x');
    const time = Date.now() / 1_000 - days * DAY_S;
    utimesSync(path, time, time);
  }
  const warnings: string[] = [];
  const log = { debug: () => {}, info: () => {}, error: () => {}, warn: (text: string) => void warnings.push(text) };
  await cleanUp({ files: nodeFiles(), clock: nodeClock(), home, log });
  return { left: Object.keys(files).filter((name) => existsSync(join(home, name))), warnings };
}

describe('cleaning up', () => {
  it('deletes long results after seven days', async () => {
    const { left } = await setUp({ '.nanobot/results/old.txt': 8, '.nanobot/results/new.txt': 6 });
    expect(left).toEqual(['.nanobot/results/new.txt']);
  });

  it('deletes what a killed process left half-written, and nothing of the person’s', async () => {
    const { left, warnings } = await setUp({
      'memory/MEMORY.md.0123456789ab.tmp': 2,
      'sessions/a.jsonl.0123456789ab.tmp': 2,
      '.nanobot/approvals.json.0123456789ab.tmp': 2,
      'memory/MEMORY.md.ba9876543210.tmp': 0,
      'memory/notes.tmp': 90,
      'USER.md': 90,
    });
    expect(left).toEqual(['memory/MEMORY.md.ba9876543210.tmp', 'memory/notes.tmp', 'USER.md']);
    expect(warnings).toEqual([]);
  });
});
