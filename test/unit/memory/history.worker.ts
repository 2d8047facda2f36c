import { writeSync } from 'node:fs';
import { historyAt } from '../../support/history.js';

/**
 * A process that appends to a home's history as its arguments say, `<awaited calls of one>x<awaited calls of ten>x<bursts of a hundred calls at once>`, and
 * prints for each call what was acknowledged, at once. With `dream` it moves Dream's cursor along, so that the file is shortened now and then.
 */
const [home = '', holder = '', plan = '', dream] = process.argv.slice(2);
const [ones = 0, tens = 0, bursts = 0] = plan.split('x').map(Number);
const { history } = historyAt(home, { holder });
let made = 0;

async function append(count: number): Promise<void> {
  const entries = Array.from({ length: count }, () => ({ content: `${holder}-${String((made += 1))}` }));
  const written = await history.append(entries);
  writeSync(1, written.map(({ cursor, content }) => `${String(cursor)} ${content}\n`).join(''));
}

writeSync(1, 'ready\n');
for (let n = 0; n < Math.max(ones, tens, bursts); n += 1) {
  if (n < ones) await append(1);
  if (n < tens) await append(10);
  if (n < bursts) await Promise.all(Array.from({ length: 100 }, () => append(1)));
  if (dream !== undefined && n % 5 === 4) await history.setDreamCursor((await history.newest(50))[0]?.cursor ?? 0);
}
writeSync(1, 'over\n');
