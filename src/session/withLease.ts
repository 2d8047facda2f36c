import type { Clock } from '../platform/ports.js';
import type { Leases } from './lease.js';

/** Milliseconds to wait for another process that does the same at this moment, unless told, and between looks. */
const WAIT_MS = 20_000;
const LOOK_MS = 10;
/** Milliseconds after which a process that takes a lease again and again lets the others have it, and how long it leaves it to them. */
const TURN_MS = 100;
const PAUSE_MS = 2 * LOOK_MS;

export interface LeaseOptions {
  /** Milliseconds to wait for another process; 20,000 unless given. */
  waitMs?: number;
  /** The error where it is not free in time; one that names the holder unless given. */
  busy?: (holder: string) => Error;
}

/** The work of this process under one name. */
interface Line {
  /** Resolves when all of it is done that was asked for so far. */
  done: Promise<void>;
  /** When this process began to take the lease without a pause, and when it gave it back last. */
  since: number;
  freeAt: number;
}

/** By the leases that the work runs under, and by name: a lease itself lets its own process in twice. */
const lines = new WeakMap<object, Map<string, Line>>();

/**
 * Runs work that one process at a time may do, such as reading a file and writing it anew: under the lease of this name, which is released after it, and
 * behind earlier work of this process under the same name. The work must be short, and must not ask for the same name again: it would wait for itself.
 * Rejects where the lease is not free in time, and with the work's own error otherwise.
 */
export async function withLease<T>(
  leases: Pick<Leases, 'acquire' | 'release'>,
  name: string,
  clock: Clock,
  work: () => Promise<T>,
  options: LeaseOptions = {},
): Promise<T> {
  const line = lineOf(leases, name);
  const result = line.done.then(async () => {
    await leaveRoom(line, clock);
    await acquire(leases, name, clock, options);
    try {
      return await work();
    } finally {
      await leases.release(name);
      line.freeAt = clock.now();
    }
  });
  line.done = result.then(
    () => undefined,
    () => undefined,
  );
  return result;
}

function lineOf(leases: object, name: string): Line {
  const named = lines.get(leases) ?? new Map<string, Line>();
  lines.set(leases, named);
  const line = named.get(name) ?? { done: Promise.resolve(), since: 0, freeAt: 0 };
  named.set(name, line);
  return line;
}

/** Whoever takes a lease the moment it is given back would keep all others out, who only look now and then. */
async function leaveRoom(line: Line, clock: Clock): Promise<void> {
  const now = clock.now();
  if (now - line.freeAt < LOOK_MS && now - line.since < TURN_MS) return;
  if (now - line.freeAt < LOOK_MS) await clock.sleep(PAUSE_MS);
  line.since = clock.now();
}

async function acquire(
  leases: Pick<Leases, 'acquire'>,
  name: string,
  clock: Clock,
  { waitMs = WAIT_MS, busy = (holder) => tooLong(name, holder, waitMs) }: LeaseOptions,
): Promise<void> {
  // Counted and not read from the clock: one that is set forward must not end the wait.
  for (let waited = 0; ; waited += LOOK_MS) {
    const outcome = await leases.acquire(name);
    if (outcome.held) return;
    if (waited >= waitMs) throw busy(outcome.by);
    await clock.sleep(LOOK_MS);
  }
}

function tooLong(name: string, holder: string, waitMs: number): Error {
  return new Error(`${holder} has kept "${name}" for more than ${String(waitMs / 1000)} s. Try again in a moment.`);
}
