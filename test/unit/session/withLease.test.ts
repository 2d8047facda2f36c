import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { withLease } from '../../../src/session/withLease.js';
import { leasesAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';

const clock = nodeClock();
const never = { acquire: async () => ({ held: false as const, by: 'window two' }), release: async () => undefined };

/** Work that says when it is inside and goes on when told. */
function slowWork() {
  let finish = () => {};
  let entered = () => {};
  const inside = new Promise<void>((resolve) => (entered = resolve));
  const work = () =>
    new Promise<string>((resolve) => {
      finish = () => resolve('done');
      entered();
    });
  return { work, inside, finish: () => finish() };
}

describe('withLease', () => {
  it('gives the result of the work and the lease back', async () => {
    const { home } = await tempHome();
    const leases = leasesAt(home, 'one');
    const files = () => readdir(join(home, '.nanobot', 'locks'));
    expect(await withLease(leases, 'x', clock, files)).toEqual(['x.lock']);
    expect(await files()).toEqual([]);
  });

  it('gives the lease back where the work fails, and lets the next one in', async () => {
    const { home } = await tempHome();
    const leases = leasesAt(home, 'one');
    const failing = withLease(leases, 'x', clock, () => Promise.reject(new Error('no such luck')));
    const next = withLease(leases, 'x', clock, async () => 'next');
    await expect(failing).rejects.toThrow('no such luck');
    expect(await next).toBe('next');
    expect(await readdir(join(home, '.nanobot', 'locks'))).toEqual([]);
  });

  it('lets one in at a time, of this process in their order and of others when it is free', async () => {
    const { home } = await tempHome();
    const [one, two] = [leasesAt(home, 'one'), leasesAt(home, 'two')];
    let inside = 0;
    const order: string[] = [];
    const enter = (name: string) => async () => {
      inside += 1;
      expect(inside).toBe(1);
      order.push(name);
      await readdir(home);
      inside -= 1;
    };
    const all = ['a', 'b', 'c', 'd'].map((name) => withLease(one, 'x', clock, enter(name)));
    const others = ['e', 'f'].map((name) => withLease(two, 'x', clock, enter(name)));
    await Promise.all([...all, ...others]);
    expect(order.filter((name) => name < 'e')).toEqual(['a', 'b', 'c', 'd']);
    expect(order).toHaveLength(6);
  });

  it('lets another process have its turn, however often this one comes', async () => {
    let holder: string | undefined;
    const leasesOf = (name: string) => ({
      acquire: async () => {
        holder ??= name;
        return holder === name ? { held: true as const } : { held: false as const, by: holder };
      },
      release: async () => void (holder = undefined),
    });
    const [busy, patient] = [leasesOf('busy'), leasesOf('patient')];
    const before = clock.now();
    let served = false;
    const work = () => new Promise<void>((resolve) => setImmediate(resolve));
    const first = withLease(busy, 'x', clock, work);
    const waiting = withLease(patient, 'x', clock, async () => void (served = true));
    await first;
    while (!served && clock.now() - before < 3_000) await withLease(busy, 'x', clock, work);
    expect(served).toBe(true);
    await waiting;
  });

  it('keeps names apart', async () => {
    const { home } = await tempHome();
    const leases = leasesAt(home, 'one');
    const slow = slowWork();
    const first = withLease(leases, 'x', clock, slow.work);
    await slow.inside;
    expect(await withLease(leases, 'y', clock, async () => 'free')).toBe('free');
    slow.finish();
    expect(await first).toBe('done');
  });

  it('says who keeps the lease, in its own words or those given', async () => {
    const hurried = { ...clock, sleep: async () => undefined };
    const work = async () => 'never';
    await expect(withLease(never, 'x', hurried, work)).rejects.toThrow('window two has kept "x" for more than 20 s');
    const busy = (holder: string) => new Error(`Ask ${holder}.`);
    await expect(withLease(never, 'x', hurried, work, { busy, waitMs: 100 })).rejects.toThrow('Ask window two.');
  });

  it('waits its time, however the clock is set meanwhile', async () => {
    let slept = 0;
    const jumping = { ...clock, now: () => slept * 1e9, sleep: async () => void (slept += 1) };
    await expect(withLease(never, 'x', jumping, async () => 'never', { waitMs: 1_000 })).rejects.toThrow();
    expect(slept).toBe(100);
  });
});
