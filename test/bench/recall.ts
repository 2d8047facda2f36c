import { mkdirSync, rmSync, statSync, writeFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Recall } from '../../src/memory/recall.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { nodeWorkers } from '../../src/platform/nodeWorkers.js';
import { IMPROVED, PLAIN, searchBaseline } from '../support/recallBaseline.js';
import {
  placeOf,
  readCorpus,
  recallAt,
  writeHome,
  type Corpus,
  type Part,
  type Question,
} from '../support/recallCorpus.js';
import type { NodeLab } from './nodeLab.js';
import { percentile, type Row } from './table.js';

const MESSAGES = 100_000;
const SESSIONS = 400;
/** Words that a message has beside those of a turn of the written conversations. */
const MORE_WORDS = 25;
const VOCABULARY = 60_000;
const MB = 1024 * 1024;

/** How much of what was asked for is found, beside two baselines; then time and memory of a search over 100,000 messages. */
export async function measureRecall(lab: NodeLab): Promise<Row[]> {
  const rows: Row[] = [];
  for (const part of ['tuned', 'held', 'chinese', 'heldChinese'] as Part[])
    rows.push(...(await measureQuality(lab, part)));
  return [...rows, ...(await measureLarge(lab))];
}

function recallOver(home: string): Recall {
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const workers = nodeWorkers(dirname(fileURLToPath(import.meta.url)));
  return new Recall({ workers, files: nodeFiles(), clock: nodeClock(), home, log });
}

async function measureQuality(lab: NodeLab, part: Part): Promise<Row[]> {
  const corpus = readCorpus(part);
  const home = join(lab.root, part);
  writeHome(home, corpus);
  const recall = recallOver(home);
  const found = new Map<Question, string[]>();
  for (const question of corpus.questions) {
    const hits = await recall.search(question.text, { limit: 10 });
    found.set(
      question,
      hits.map(({ source, line }) => placeOf({ file: source.split(/[\\/]/).at(-1) ?? '', line })),
    );
  }
  await recall.close();
  const baselines = [PLAIN, IMPROVED].map((kind) => ({ kind, found: searchBaseline(corpus, kind, 10) }));
  return [5, 10].map((count) => ({
    name: `recall@${String(count)}, ${part} part, % of wanted turns`,
    unit: '',
    values: [100 * recallAt(count, corpus.questions, found)],
    baseline: 100 * recallAt(count, corpus.questions, baselines[0]?.found ?? found),
    note: `${String(corpus.questions.length)} questions, ${String(corpus.turns.length)} turns; ${baselines
      .map((each) => `${each.kind.name} ${(100 * recallAt(count, corpus.questions, each.found)).toFixed(1)}`)
      .join(', ')}`,
  }));
}

async function measureLarge(lab: NodeLab): Promise<Row[]> {
  const home = join(lab.root, 'large');
  const corpus = readCorpus('tuned');
  const bytes = writeLargeHome(home, corpus);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let recall = recallOver(home);
  const build = await timed(() => recall.search('first question'));
  await recall.close();
  globalThis.gc?.();
  const ended = process.memoryUsage().rss;
  recall = recallOver(home);
  const load = await timed(() => recall.search('first question'));
  const times: number[] = [];
  for (const question of corpus.questions) times.push(await timed(() => recall.search(question.text, { limit: 10 })));
  const loaded = process.memoryUsage().rss;
  await recall.close();
  const folder = join(home, '.nanobot', 'index');
  const stored = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  rmSync(home, { recursive: true });
  const what = `recall, ${MESSAGES.toLocaleString('en-US')} messages`;
  return [
    { name: `${what}: a query`, unit: 'ms', values: times, judged: percentile(times, 95), judgedAs: 'p95', budget: 50 },
    { name: `${what}: index loaded, first answer`, unit: 'ms', values: [load] },
    {
      name: `${what}: index built`,
      unit: 's',
      values: [build / 1000],
      note: `from ${(bytes / MB).toFixed(0)} MB of sessions`,
    },
    {
      name: `${what}: memory while loaded`,
      unit: 'MB',
      values: [(loaded - Math.min(before, ended)) / MB],
      budget: 150,
    },
    { name: `${what}: index on disk`, unit: 'MB', values: [stored / MB] },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Sessions of written turns mixed with words of a large vocabulary, the frequent ones often and the rare ones seldom. Returns their bytes. */
function writeLargeHome(home: string, corpus: Corpus): number {
  mkdirSync(join(home, 'sessions'), { recursive: true });
  let seed = 7;
  const random = () => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) / 4_294_967_296;
  const word = () => wordOf(Math.floor(Math.exp(random() * Math.log(VOCABULARY))));
  let bytes = 0;
  for (let session = 0; session < SESSIONS; session += 1) {
    const lines = [JSON.stringify({ _type: 'metadata', key: `cli:${String(session)}`, metadata: {} })];
    for (let turn = 0; turn < MESSAGES / SESSIONS; turn += 1) {
      const written = corpus.turns[Math.floor(random() * corpus.turns.length)];
      const content = `${written?.text ?? ''} ${Array.from({ length: MORE_WORDS }, word).join(' ')}.`;
      const timestamp = new Date(Date.UTC(2024, 0, 1 + session, 8, turn)).toISOString();
      lines.push(JSON.stringify({ role: turn % 2 === 0 ? 'user' : 'assistant', content, timestamp }));
    }
    const text = `${lines.join('\n')}\n`;
    bytes += text.length;
    writeFileSync(join(home, 'sessions', `s${String(session)}.jsonl`), text);
  }
  return bytes;
}

/** A made-up word that can be spoken, one for each number. */
function wordOf(number: number): string {
  const syllables = [
    'ba',
    'ke',
    'lo',
    'mi',
    'nu',
    'ra',
    'se',
    'ti',
    'vo',
    'zu',
    'pan',
    'der',
    'fil',
    'gor',
    'hul',
    'jak',
  ];
  let word = '';
  for (let rest = number + 16; rest > 0; rest = Math.floor(rest / 16)) word += syllables[rest % 16] ?? '';
  return word;
}
