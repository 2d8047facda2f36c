import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from './fileErrors.js';

/** One process of a command's tree. */
export interface TreeProcess {
  pid: number;
  group: number;
  /** When it started, in the system's own unit; tells a process from a later one with the same id. Empty where the system does not say. */
  start: string;
}

interface Row extends TreeProcess {
  parent: number;
  session: number;
}

/** The variable that every process of a command inherits. Its value finds those that left the group and lost their parent. */
export const MARKER = 'NANOBOT_COMMAND';

/** Files of /proc read at the same time; more would only crowd the thread pool. */
const TOGETHER = 32;

/**
 * The living processes that a command started: its group and session, all descendants, and on Linux whoever carries its marker. Zombies do not
 * count: in a container without an init they stay for ever. Reads /proc where there is one, else asks `ps`; a failure of either gives the
 * leader's group only as far as it is known (an empty list).
 */
export async function processTree(leader: number, marker: string): Promise<TreeProcess[]> {
  const linux = process.platform === 'linux';
  const rows = linux ? await rowsFromProc() : await rowsFromPs();
  const inside = new Set(rows.filter((row) => belongs(row, leader)).map((row) => row.pid));
  addDescendants(rows, inside);
  if (linux) {
    const outside = rows.filter((row) => !inside.has(row.pid) && row.pid !== process.pid);
    await inBatches(outside, async (row) => {
      if (await carries(row.pid, marker)) inside.add(row.pid);
    });
    addDescendants(rows, inside);
  }
  return rows.filter((row) => inside.has(row.pid)).map(({ pid, group, start }) => ({ pid, group, start }));
}

/** Whether this very process still lives (a zombie does not). */
export async function isAlive(member: TreeProcess): Promise<boolean> {
  if (process.platform !== 'linux') return exists(member.pid);
  const row = await rowFromProc(member.pid);
  return row !== undefined && row.start === member.start;
}

/** Whether a process, or with a negative id a group, can be signalled. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
}

function belongs(row: Row, leader: number): boolean {
  return row.pid === leader || row.group === leader || row.session === leader;
}

function addDescendants(rows: Row[], inside: Set<number>): void {
  for (let grew = true; grew;) {
    grew = false;
    for (const row of rows) {
      if (inside.has(row.pid) || !inside.has(row.parent)) continue;
      inside.add(row.pid);
      grew = true;
    }
  }
}

async function rowsFromProc(): Promise<Row[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const rows: Row[] = [];
  await inBatches(pids, async (pid) => {
    const row = await rowFromProc(pid);
    if (row) rows.push(row);
  });
  return rows;
}

async function rowFromProc(pid: number): Promise<Row | undefined> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may hold anything, so fields are counted after the last one.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), start: fields[19] ?? '' };
}

async function carries(pid: number, marker: string): Promise<boolean> {
  // Unreadable for processes of other people: those are not ours to end.
  const environment = await readFile(`/proc/${String(pid)}/environ`, 'latin1').catch(() => '');
  return environment.split('\0').includes(`${MARKER}=${marker}`);
}

async function rowsFromPs(): Promise<Row[]> {
  const run = promisify(execFile);
  const listed = await run('ps', ['-A', '-o', 'pid=,ppid=,pgid=,state='], { maxBuffer: 16 << 20 }).catch(
    () => undefined,
  );
  return (listed?.stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (!pid || !state || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number.NaN, start: '' }];
  });
}

async function inBatches<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += TOGETHER) {
    await Promise.all(items.slice(from, from + TOGETHER).map(work));
  }
}
