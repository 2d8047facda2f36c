import { PathFinder } from '../../src/vscode/chat/pathFinder.js';
import { median, percentile, type Row } from './table.js';

const FILES = 100_000;
const QUERIES = ['component', 'srcagentloop', 'index.test.ts', 'utilshelperdate', 'zzqqxx', 'READ'];

/** What each key of a query costs in a list of 100,000 files, and the longest stretch in which the list is prepared. */
export async function measureMentions(): Promise<Row[]> {
  const words = ['src', 'agent', 'component', 'utils', 'helper', 'index', 'loop', 'date', 'view', 'README', 'test'];
  const word = (n: number) => words[n % words.length] ?? '';
  const paths = Array.from(
    { length: FILES },
    (_, n) => `/p/${word(n)}/${word(n >> 3)}${String(n % 977)}/${word(n >> 7)}${word(n >> 5)}${String(n)}.ts`,
  );
  const stretches: number[] = [];
  let begun = performance.now();
  const finder = await PathFinder.of(
    paths,
    (path) => path.slice(3),
    async () => {
      stretches.push(performance.now() - begun);
      await new Promise((resolve) => setImmediate(resolve));
      begun = performance.now();
    },
  );
  stretches.push(performance.now() - begun);
  const keys: number[] = [];
  for (const query of [...QUERIES, ...QUERIES]) {
    for (let length = 1; length <= query.length; length++) {
      const start = performance.now();
      finder.find(query.slice(0, length), 30);
      keys.push(performance.now() - start);
    }
  }
  return [
    {
      name: '@ search in 100,000 files, a key',
      unit: 'ms',
      values: keys,
      judged: percentile(keys, 95),
      judgedAs: 'p95',
      budget: 15,
    },
    { name: '… the list prepared, a stretch', unit: 'ms', values: stretches, judged: median(stretches), budget: 10 },
  ];
}
