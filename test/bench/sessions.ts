import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContextBuilder } from '../../src/agent/context.js';
import type { App } from '../../src/app.js';
import { MemoryStore } from '../../src/memory/store.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import { historyAt } from '../support/history.js';
import { epoch } from './epoch.js';
import { writeSkills } from './fullHome.js';
import { turnEnd, writeSession, type NodeLab } from './nodeLab.js';
import { median, percentile, type Row } from './table.js';

const TURNS = 30;
const WARM_UP = 5;

interface Sent {
  name: string;
  messages: number;
  consolidated: number;
  /** Characters of one message. */
  size: number;
  /** The session with a request of the same size. */
  like?: string;
}

const SESSIONS: Record<string, Sent> = {
  'cli:short': { name: '10 messages', messages: 10, consolidated: 0, size: 100 },
  'cli:digested': {
    name: '5,000 messages, 4,990 consolidated',
    messages: 5_000,
    consolidated: 4_990,
    size: 100,
    like: 'cli:short',
  },
  'cli:fitting': { name: '700 messages, all sent', messages: 700, consolidated: 0, size: 100 },
  'cli:whole': {
    name: '5,000 messages, 700 sent',
    messages: 5_000,
    consolidated: 4_300,
    size: 100,
    like: 'cli:fitting',
  },
};

/**
 * From the bus to the whole request at the server, in short sessions and in long ones with requests of the same size: what is left between them
 * is what the length costs. The turns alternate, so that noise meets all alike.
 */
export async function measureSending(lab: NodeLab): Promise<Row[]> {
  const keys = Object.keys(SESSIONS);
  for (const [key, session] of Object.entries(SESSIONS)) writeSession(lab.home, key, session);
  const app = await lab.app();
  const times = new Map<string, number[]>(keys.map((key) => [key, []]));
  const bytes = new Map<string, number>();
  for (let turn = 0; turn < TURNS + WARM_UP; turn++) {
    for (const key of keys) {
      const sent = await send(app, lab, key);
      if (turn >= WARM_UP) times.get(key)?.push(sent.ms);
      bytes.set(key, sent.bytes);
    }
  }
  await app.close();
  const timeOf = (key: string) => median(times.get(key) ?? []);
  const rows = Object.entries(SESSIONS).map(([key, { name, like }]): Row => ({
    name: `send → request on the wire, ${name}`,
    unit: 'ms',
    values: times.get(key) ?? [],
    budget: 15,
    ...(like === undefined ? {} : { baseline: timeOf(like) }),
    note: `a request of ${String(Math.round((bytes.get(key) ?? 0) / 1000))} KB`,
  }));
  const grown = Object.entries(SESSIONS).flatMap(([key, { name, like }]): Row[] => {
    if (like === undefined) return [];
    // The quiet quarter: a busy machine makes the middle jump, not what the work itself takes.
    const quiet = (wanted: string) => percentile(times.get(wanted) ?? [], 25);
    return [
      {
        name: `… ${name}, over ${SESSIONS[like]?.name ?? like}`,
        unit: '×',
        values: [quiet(key) / quiet(like)],
        budget: 1.2,
      },
    ];
  });
  return [...rows, ...grown];
}

async function send(app: App, lab: NodeLab, key: string): Promise<{ ms: number; bytes: number }> {
  const arrival = lab.arrival();
  const ended = turnEnd(app, key);
  const start = epoch();
  app.bus.publish({
    id: app.newId(),
    channel: 'cli',
    sessionKey: key,
    text: 'And now?',
    attachments: [],
    watched: true,
  });
  const { at, bytes } = await arrival;
  await ended;
  await app.loop.idle(key);
  return { ms: at - start, bytes };
}

/** One message of 2 KB appended, flushed as in a turn and not, in a short and a long session. */
export async function measureAppending(lab: NodeLab): Promise<Row[]> {
  writeSession(lab.home, 'cli:short', { messages: 10 });
  writeSession(lab.home, 'cli:long', { messages: 10_000 });
  const app = await lab.app();
  const [short, long] = await Promise.all([app.sessions.open('cli:short'), app.sessions.open('cli:long')]);
  const times = { short: [] as number[], long: [] as number[] };
  const content = 'x'.repeat(2_000);
  for (let n = 0; n < 200; n++) {
    for (const [name, session] of [
      ['short', short],
      ['long', long],
    ] as const) {
      const start = performance.now();
      await session.append([{ role: 'user', content, timestamp: new Date().toISOString() }]);
      if (n >= 20) times[name].push(performance.now() - start);
    }
  }
  await app.close();
  return [
    { name: 'append a message, 10 in the session', unit: 'ms', values: times.short },
    {
      name: 'append a message, 10,000 in the session',
      unit: 'ms',
      values: times.long,
      baseline: median(times.short),
      judged: percentile(times.long, 25) / percentile(times.short, 25),
      judgedAs: '×',
      budget: 1.2,
    },
  ];
}

/** From asking for a chat to the window of it that the page is sent, in a fresh app each time. */
export async function measureOpening(lab: NodeLab): Promise<Row[]> {
  const rows: Row[] = [];
  for (const messages of [1_000, 10_000]) {
    const key = `cli:open${String(messages)}`;
    writeSession(lab.home, key, { messages });
    const values: number[] = [];
    for (let run = 0; run < 7; run++) {
      const app = await lab.app();
      const start = performance.now();
      const conversation = await app.loop.conversation(key);
      JSON.stringify(conversation.state);
      values.push(performance.now() - start);
      await app.close();
    }
    rows.push({
      name: `open a chat of ${messages.toLocaleString('en-US')} messages, host`,
      unit: 'ms',
      values,
      budget: 200,
    });
  }
  return rows;
}

/** The system prompt with 10,000 entries in the history, the second time and later. */
export async function measurePrompt(lab: NodeLab): Promise<Row[]> {
  const entry = (cursor: number) => ({
    cursor,
    timestamp: '2026-04-01 10:00',
    content: `The person decided number ${String(cursor)} about the project.`,
    project: lab.project,
  });
  const lines = Array.from({ length: 10_000 }, (_, n) => JSON.stringify(entry(n + 1)));
  writeFileSync(join(lab.home, 'memory', 'history.jsonl'), `${lines.join('\n')}\n`);
  const clock = nodeClock();
  const context = new ContextBuilder({
    memory: new MemoryStore({ files: nodeFiles(), clock, home: lab.home, history: historyAt(lab.home).history }),
    workspace: createNodeWorkspace({ folders: [{ name: 'project', path: lab.project }], userHome: lab.root }),
    clock,
    surroundings: { os: 'Linux', shell: 'bash' },
  });
  return [
    { name: 'system prompt, 10,000 history entries', unit: 'ms', values: await promptTimes(context), budget: 10 },
    await measureSkills(lab),
  ];
}

/** The system prompt of an app whose home has 200 skills besides, the second time and later. */
async function measureSkills(lab: NodeLab): Promise<Row> {
  writeSkills(lab.home, 200);
  const app = await lab.app();
  const values = await promptTimes(app.context);
  const { text } = await app.context.system('cli');
  await app.close();
  if (!text.includes('<name>skill-199</name>')) throw new Error('The prompt does not name the skills.');
  return { name: '… and 200 skills', unit: 'ms', values, budget: 10 };
}

async function promptTimes(context: Pick<ContextBuilder, 'system'>): Promise<number[]> {
  await context.system('cli');
  const values: number[] = [];
  for (let run = 0; run < 25; run++) {
    const start = performance.now();
    await context.system('cli');
    values.push(performance.now() - start);
  }
  return values;
}
