import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempHome } from './tempHome.js';

/** A copy of a home as nanobot (Python) leaves it: `nanobotHome` of today, or `nanobotLegacyHome` from before history.jsonl. */
export async function fixtureHome(name: 'nanobotHome' | 'nanobotLegacyHome'): Promise<{ root: string; home: string }> {
  const { root, home } = await tempHome();
  await mkdir(dirname(home), { recursive: true });
  await cp(join(import.meta.dirname, '../fixtures', name), home, { recursive: true });
  return { root, home };
}
