import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * When the first schedule of a home is due, epoch milliseconds, from the file alone: what a window looks at before the agent is loaded. 0 where only the
 * agent can tell (a time that is not planned yet, a damaged file), undefined where there is nothing to run. Never rejects.
 */
export async function firstDue(home: string): Promise<number | undefined> {
  const text = await readFile(join(home, 'cron', 'jobs.json'), 'utf8')
    .catch(() => readFile(join(home, 'cron.json'), 'utf8'))
    .catch(() => '');
  if (text.trim() === '') return undefined;
  try {
    const root = JSON.parse(text.replace(/^\uFEFF/, '')) as { jobs?: unknown };
    const jobs = Array.isArray(root) ? root : root.jobs;
    const times = (jobs as Fields[]).filter(({ enabled }) => enabled !== false).map(dueAt);
    return times.length === 0 ? undefined : Math.min(...times);
  } catch {
    return 0;
  }
}

/** Whether HEARTBEAT.md has anything that may be a task. */
export async function hasTasks(home: string): Promise<boolean> {
  const text = await readFile(join(home, 'HEARTBEAT.md'), 'utf8').catch(() => '');
  const section = /^## +Active Tasks *\r?$([\s\S]*?)(?=^##? |$(?![\s\S]))/im.exec(text)?.[1] ?? '';
  return section.replaceAll(/<!--[\s\S]*?-->/g, '').trim() !== '';
}

/** When a heartbeat last looked at its tasks, in whichever window; 0 where that is not known. */
export async function lastBeat(home: string): Promise<number> {
  try {
    const { heartbeatAt } = JSON.parse(await readFile(join(home, '.nanobot', 'cron.json'), 'utf8')) as Fields;
    // A clock that was wrong then must not put it off for ever.
    return typeof heartbeatAt === 'number' && heartbeatAt <= Date.now() ? heartbeatAt : 0;
  } catch {
    return 0;
  }
}

type Fields = Record<string, unknown>;

function dueAt({ state }: Fields): number {
  const { nextRunAtMs, next_run_at_ms, retryAtMs } = (state ?? {}) as Fields;
  const times = [nextRunAtMs ?? next_run_at_ms, retryAtMs].filter((time) => typeof time === 'number');
  return times.length === 0 ? 0 : Math.min(...times);
}
