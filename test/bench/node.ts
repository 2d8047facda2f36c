import { writeFileSync } from 'node:fs';
import { measureConsolidating } from './consolidating.js';
import { measureMentions } from './mentions.js';
import { measureLoading } from './moduleLoad.js';
import { measureAppending, measureOpening, measurePrompt, measureSending } from './sessions.js';
import { nodeLab } from './nodeLab.js';
import { measureReviewing } from './reviewing.js';
import { measureRecall } from './recall.js';
import { measureCommands, measureSearching } from './toolTimes.js';
import { measureStretches } from './stretches.js';
import { measureCounting } from './tokens.js';
import type { Row } from './table.js';

const [output = '', extension = '', onlyPart] = process.argv.slice(2);

const parts: Record<string, () => Promise<Row[]>> = {
  loading: () => measureLoading(extension),
  sending: () => inLab(measureSending),
  appending: () => inLab(measureAppending),
  opening: () => inLab(measureOpening),
  prompt: () => inLab(measurePrompt),
  commands: () => inLab(measureCommands),
  stretches: () => inLab(measureStretches),
  consolidating: () => inLab(measureConsolidating),
  counting: () => inLab(measureCounting),
  recall: () => inLab(measureRecall),
  searching: () => inLab(measureSearching),
  mentions: measureMentions,
  reviewing: () => inLab(measureReviewing),
};

const rows: Row[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (onlyPart !== undefined && name !== onlyPart) continue;
  process.stdout.write(`  ${name} …\n`);
  rows.push(...(await measure()));
}
writeFileSync(output, JSON.stringify(rows));
process.exit(0);

async function inLab(measure: (lab: Awaited<ReturnType<typeof nodeLab>>) => Promise<Row[]>): Promise<Row[]> {
  const lab = await nodeLab();
  try {
    return await measure(lab);
  } finally {
    await lab.close();
  }
}
