import { mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { dreamMessage } from '../../../src/memory/memoryCommit.js';
import { storeOn } from './gitStoreOn.js';

/** A process that Dreams, edits and restores in a home, so many times or until it is killed, and prints each commit once it is made. */
const [home = '', name = '', times = ''] = process.argv.slice(2);
const { store, leases } = storeOn(home);
const say = (text: string) => void writeSync(1, `${text}\n`);

function write(path: string, text: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
}

say('ready');
for (let n = 1; n <= Number(times); n += 1) {
  write(`skills/${name}-${String(n)}/SKILL.md`, `${name} ${String(n)}\n`);
  write(`skills/${name}/SKILL.md`, `# ${name}\n\n- round ${String(n)}\n`);
  const dream = await store.commit((changes) => dreamMessage({ at: 'now', changes, cursors: [n] }));
  if (dream) say(dream.sha);
  if (dream && n % 3 === 0) say((await store.restore(dream.sha)).commit?.sha ?? 'nothing');
  write('USER.md', `# User\n\n- ${name} ${String(n)}\n`);
  const edit = await store.commitByHand();
  if (edit) say(edit.sha);
}
await leases.dispose();
say('over');
