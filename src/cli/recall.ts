import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { findHome } from '../config/home.js';
import { Recall, type RecallHit } from '../memory/recall.js';
import { maskKeys } from '../platform/maskSecrets.js';
import { nodeClock } from '../platform/nodeClock.js';
import { nodeFiles } from '../platform/nodeFiles.js';
import { nodeWorkers } from '../platform/nodeWorkers.js';
import { reasonOf } from '../platform/reason.js';
import { distFolder } from './ports.js';

export const RECALL_USAGE = `Usage: node dist/cli.js recall "question" [options]

      --home DIR         the agent's home (default ~/.nanobot/workspace)
      --config FILE      config.json, which can say where the home lies
      --limit N          hits at most (default 8, at most 200)
      --days N           only what was said or noted in the last N days
      --json             print one JSON array: score, time, source, line, kind, text

Without a question it lists what is newest. Exit status: 0 done, also where nothing was found, 1 the search failed, 2 wrong usage.
`;

interface RecallArguments {
  question: string;
  home?: string | undefined;
  config?: string | undefined;
  limit: number;
  days?: number;
  json: boolean;
}

/** Runs `recall`; `args` are those behind the command. Resolves with the exit status. */
export async function recallMain(args: string[]): Promise<number> {
  const read = readArguments(args);
  if ('help' in read) {
    process.stdout.write(RECALL_USAGE);
    return 0;
  }
  if ('problem' in read) {
    process.stderr.write(`${read.problem}\n\n${RECALL_USAGE}`);
    return 2;
  }
  const { question, limit, days, json } = read.wanted;
  const { home } = findHome({
    flagHome: read.wanted.home,
    flagConfig: read.wanted.config,
    env: process.env,
    userHome: homedir(),
  });
  const recall = recallOf(home);
  try {
    const hits = await recall.search(question, { limit, ...(days === undefined ? {} : { days }) });
    process.stdout.write(json ? `${JSON.stringify(hits)}\n` : hits.map(shown).join(''));
    if (hits.length === 0) process.stderr.write(`Nothing was found in ${home}.\n`);
    return 0;
  } catch (cause) {
    say(`The search failed: ${reasonOf(cause)}`);
    return 1;
  } finally {
    await recall.close();
  }
}

function recallOf(home: string): Recall {
  const log = { debug: () => undefined, info: () => undefined, warn: say, error: say };
  return new Recall({ workers: nodeWorkers(distFolder()), files: nodeFiles(), clock: nodeClock(), home, log });
}

function say(text: string): void {
  process.stderr.write(`${maskKeys(text)}\n`);
}

function shown({ score, time, source, line, text }: RecallHit): string {
  return `${score.toFixed(2)}  ${time || 'no date'}  ${source}:${String(line)}\n    ${text.replaceAll(/\s+/g, ' ').slice(0, 400)}\n`;
}

function readArguments(args: string[]): { wanted: RecallArguments } | { problem: string } | { help: true } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (cause) {
    return { problem: reasonOf(cause) };
  }
  const { values, positionals } = parsed;
  if (values.help) return { help: true };
  const limit = Number(values.limit ?? 8);
  if (!Number.isInteger(limit) || limit < 1)
    return { problem: `--limit is a number from 1 up, not "${values.limit ?? ''}".` };
  const days = values.days === undefined ? undefined : Number(values.days);
  if (days !== undefined && !(days > 0)) return { problem: `--days is a number above 0, not "${values.days ?? ''}".` };
  const { home, config, json = false } = values;
  return {
    wanted: { question: positionals.join(' '), home, config, limit, json, ...(days === undefined ? {} : { days }) },
  };
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      home: { type: 'string' },
      config: { type: 'string' },
      limit: { type: 'string' },
      days: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}
