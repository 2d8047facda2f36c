import { writeSync } from 'node:fs';
import { dreamLab } from './dreamLab.js';
import { scriptedDream } from './dreamScript.js';

/** A process that dreams once in a home, to be killed. */
const [home = ''] = process.argv.slice(2);
const lab = dreamLab({ home, replies: Array.from({ length: 20 }, () => scriptedDream) });
writeSync(1, 'ready\n');
const { kind } = await lab.ask();
await lab.leases.dispose();
writeSync(1, kind === 'learned' ? 'over\n' : `${kind}\n`);
