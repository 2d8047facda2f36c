import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Workbench } from '../support/workbench.js';
import { processorSeconds } from './inWindow.js';

/** What an extension host uses while nothing is asked of it. */
export interface IdleUse {
  /** Times a second that its main thread went to sleep and so was woken again. */
  wakeUps: number;
  /** Processor seconds of all its threads in a minute. */
  secondsAMinute: number;
}

/** Seconds that are looked at. */
const SECONDS = 12;

/** Looks at the extension host of a window that nobody touches. */
export async function idleUse(workbench: Workbench): Promise<IdleUse> {
  const pid = await workbench.extensionHost();
  const before = { sleeps: sleepsOf(pid), used: processorSeconds([pid]), at: performance.now() };
  await sleep(SECONDS * 1_000);
  const seconds = (performance.now() - before.at) / 1_000;
  return {
    wakeUps: (sleepsOf(pid) - before.sleeps) / seconds,
    secondsAMinute: ((processorSeconds([pid]) - before.used) / seconds) * 60,
  };
}

/** How often the main thread of a process has given up the processor by itself. */
function sleepsOf(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/status`, 'utf8');
  return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
}
