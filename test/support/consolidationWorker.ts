import { writeSync } from 'node:fs';
import { consolidationLab } from './consolidation.js';
import { answers, LIVES } from './consolidationLives.js';

/** The Consolidator as a process of its own, to be killed: lives the life that its arguments name. */
const [home = '', life = ''] = process.argv.slice(2);
const lab = await consolidationLab(home, { answers });
writeSync(1, 'ready\n');
await LIVES[life]?.(lab);
await lab.close();
writeSync(1, 'over\n');
