import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkbenchOptions } from '../support/workbenchFiles.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';
import { startModelServer, type ModelServer } from '../support/modelServer.js';
import { measureBarePage, writeBareExtension, type BarePage } from './barePage.js';
import { activationTime, clickToReady, listen, sendTimes, settledMemory } from './inWindow.js';
import { fullHome } from './fullHome.js';
import { measureLongChats, writeLongChats } from './longChats.js';
import { measureHistoryTree } from './historyTree.js';
import { idleUse, type IdleUse } from './idle.js';
import { measureStreams } from './streams.js';
import { median, type Row } from './table.js';

const WINDOWS = 3;

const [output = '', extension = '', onlyPart] = process.argv.slice(2);

interface Opened {
  activation: number;
  memory: { activated: number; afterTurn: number };
  idle: IdleUse;
  ready: { first: number; again: number[] };
  wire: { first: number; next: number[] };
}

const parts: Record<string, () => Promise<Row[]>> = {
  windows: measureWindows,
  history: async () => [await measureHistoryTree()],
  chats: withLongChats,
};

const rows: Row[] = [];
for (const [name, measure] of Object.entries(parts)) {
  if (onlyPart === undefined || name === onlyPart) rows.push(...(await measure()));
}
writeFileSync(output, JSON.stringify(rows));
process.exit(0);

/** Fresh windows, each beside one whose home is full. */
async function measureWindows(): Promise<Row[]> {
  const { memory: bare, idle: bareIdle } = await withoutCode();
  const barePage = await inWindow(bareExtension(), measureBarePage);
  const opened: Opened[] = [];
  /** Activation where the home has 500 skills and the settings 20 MCP servers. */
  const fullActivation: number[] = [];
  const streams: Row[] = [];
  for (let n = 1; n <= WINDOWS; n++) {
    const isLast = n === WINDOWS;
    opened.push(
      await inWindow(extension, async (workbench, server) => {
        const first = await firstSteps(workbench, server);
        if (isLast) streams.push(...(await measureStreams(workbench, server, barePage)));
        return first;
      }),
    );
    const full = fullHome();
    fullActivation.push(await inWindow(extension, settledActivation, full.options));
    full.remove();
  }
  return [...firstRows({ opened, fullActivation, bare, bareIdle, barePage }), ...streams];
}

/** What a person meets first: the window, the icon, the first messages. */
async function firstSteps(workbench: Workbench, server: ModelServer): Promise<Opened> {
  const activated = await settledMemory(workbench);
  const ready = await clickToReady(workbench);
  const wire = await sendTimes(workbench, server);
  const afterTurn = await settledMemory(workbench);
  const idle = await idleUse(workbench);
  // Last: the table is an editor, and with one the extensions of VS Code's own that look at editors come to life.
  const activation = await activationTime(workbench);
  return { activation, memory: { activated, afterTurn }, idle, ready, wire };
}

/** Activation as `firstSteps` has it: read only when the window has come to rest. */
async function settledActivation(workbench: Workbench): Promise<number> {
  await settledMemory(workbench);
  return activationTime(workbench);
}

/** The same window with our contributions and none of our code. */
async function withoutCode(): Promise<{ memory: number; idle: IdleUse }> {
  const empty = join(extension, '..', 'empty');
  cpSync(extension, empty, { recursive: true, filter: (path) => !path.includes('dist') });
  const manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { main: _main, activationEvents: _events, ...rest } = manifest;
  writeFileSync(join(empty, 'package.json'), JSON.stringify(rest));
  return inWindow(empty, async (workbench) => ({
    memory: await settledMemory(workbench),
    idle: await idleUse(workbench),
  }));
}

/** A window in which the long chats lie. */
async function withLongChats(): Promise<Row[]> {
  const home = mkdtempSync(join(tmpdir(), 'nanobot-bench-'));
  writeLongChats(home);
  try {
    return await inWindow(extension, measureLongChats, { home });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function bareExtension(): string {
  const bare = join(extension, '..', 'bare');
  writeBareExtension(extension, bare);
  return bare;
}

async function inWindow<T>(
  from: string,
  body: (workbench: Workbench, server: ModelServer) => Promise<T>,
  options: WorkbenchOptions = {},
): Promise<T> {
  process.env['NANOBOT_TEST_EXTENSION'] = from;
  const server = await startModelServer();
  const workbench = await openWorkbench({
    ...options,
    workspace: { 'README.md': '# Tea\n' },
    settings: {
      'nanobot.model': 'openai/test-model',
      'nanobot.sessionTitles': false,
      'nanobot.providers': { openai: { apiBase: `${server.url}/v1` } },
      ...options.settings,
    },
    env: { OPENAI_API_KEY: 'test-key', NANOBOT_NO_PROBE: '1' },
  });
  try {
    await listen(workbench.page);
    return await body(workbench, server);
  } finally {
    await workbench.close();
    await server.close();
  }
}

function firstRows(measured: {
  opened: Opened[];
  fullActivation: number[];
  bare: number;
  bareIdle: IdleUse;
  barePage: BarePage;
}): Row[] {
  const { opened, fullActivation, bare, bareIdle, barePage } = measured;
  const all = (pick: (one: Opened) => number | number[]) => opened.flatMap(pick);
  return [
    {
      name: 'activation: load + call + finish',
      unit: 'ms',
      values: all((one) => one.activation),
      budget: 60,
      note: 'as "Developer: Startup Performance" counts it',
    },
    {
      name: '… with 500 skills and 20 MCP servers',
      unit: 'ms',
      values: fullActivation,
      baseline: median(all((one) => one.activation)),
      judged: Math.min(...fullActivation) / Math.min(...all((one) => one.activation)),
      judgedAs: '×, the quickest of each',
      budget: 1.2,
    },
    {
      name: 'extension host memory over none, activated',
      unit: 'MB',
      values: all((one) => one.memory.activated - bare),
      budget: 12,
      note: `none: ${String(Math.round(bare))} MB, with our contributions and no code`,
    },
    {
      name: 'extension host memory over none, after a turn',
      unit: 'MB',
      values: all((one) => one.memory.afterTurn - bare),
      budget: 45,
    },
    {
      name: 'click on the icon → input ready, first',
      unit: 'ms',
      values: all((one) => one.ready.first),
      baseline: barePage.click,
      budget: 300,
      note: 'the baseline is the first box of a bare page in a window of the same kind',
    },
    { name: 'click on the icon → input ready, again', unit: 'ms', values: all((one) => one.ready.again), budget: 30 },
    { name: 'Enter → request at the server, first', unit: 'ms', values: all((one) => one.wire.first), budget: 60 },
    { name: 'Enter → request at the server, next', unit: 'ms', values: all((one) => one.wire.next), budget: 25 },
    {
      name: 'wake-ups a second of the idle extension host, after a turn',
      unit: '',
      values: all((one) => one.idle.wakeUps),
      baseline: bareIdle.wakeUps,
      judged: Math.min(...all((one) => one.idle.wakeUps)) / bareIdle.wakeUps,
      judgedAs: '×, the quietest',
      budget: 1.1,
    },
    {
      name: 'processor time a minute of the idle extension host, after a turn',
      unit: 's',
      values: all((one) => one.idle.secondsAMinute),
      baseline: bareIdle.secondsAMinute,
      judged: Math.min(...all((one) => one.idle.secondsAMinute)) - bareIdle.secondsAMinute,
      judgedAs: 'over none, the quietest',
      budget: 0.3,
      note: 'half a percent of one processor',
    },
  ];
}
