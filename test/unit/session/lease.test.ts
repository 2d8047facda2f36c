import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Files } from '../../../src/platform/ports.js';
import { LeaseFile } from '../../../src/session/leaseFile.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';
import { given, ManualClock, openStore, processes, START, user } from './setup.js';

const lockOf = (home: string) => join(home, '.nanobot', 'locks', 'a_b.lock');
const record = async (home: string) => JSON.parse(await readFile(lockOf(home), 'utf8')) as Record<string, unknown>;

describe('the lease of a session', () => {
  it('names its holder, is refused to another, and is free after release', async () => {
    const { home } = await tempHome();
    const one = await openStore(home, { holder: 'one' }).store.open('a:b');
    const two = await openStore(home, { holder: 'two', processes: processes(2) }).store.open('a:b');
    expect(await one.acquire()).toBe('held');
    expect(await record(home)).toEqual({ holder: 'one', pid: 1, host: 'here', renewedAt: START });
    expect(await two.acquire()).toEqual({ by: 'one' });
    expect([one.leaseState, two.leaseState]).toEqual(['held', 'other']);
    await expect(two.append([user('x')])).rejects.toMatchObject({ name: 'SessionBusy', by: 'one' });
    await one.release();
    expect(await readdir(dirname(lockOf(home)))).toEqual([]);
    expect(await two.acquire()).toBe('held');
    expect([one.leaseState, two.leaseState]).toEqual(['none', 'held']);
  });

  it('is renewed for all sessions of a process by one timer, which stops with the last', async () => {
    const { home } = await tempHome();
    const { store, clock } = openStore(home);
    const sessions = await Promise.all(['a:b', 'c:d', 'e:f'].map((key) => store.open(key)));
    expect(clock.pending).toBe(0);
    for (const session of sessions) await session.acquire();
    expect(clock.pending).toBe(1);
    clock.advance(5_000);
    await until('the renewal', async () => (await record(home))['renewedAt'] === START + 5_000);
    expect(clock.pending).toBe(1);
    await Promise.all(sessions.map((session) => session.release()));
    expect(clock.pending).toBe(0);
  });

  it('is taken over 15 s after the last renewal, not before', async () => {
    const { home } = await tempHome();
    const clock = new ManualClock();
    const one = await openStore(home, { holder: 'one', clock }).store.open('a:b');
    const two = await openStore(home, { holder: 'two', processes: processes(2), clock }).store.open('a:b');
    await one.append([user('1')]);
    clock.advance(15_000, 'asleep');
    expect(await two.acquire()).toEqual({ by: 'one' });
    clock.advance(1, 'asleep');
    expect(await two.acquire()).toBe('held');
    expect(two.messages).toHaveLength(1);
    expect(await readdir(dirname(lockOf(home)))).toEqual(['a_b.lock']);
  });

  it('is free at once when its process is gone, on this host only', async () => {
    const { home } = await tempHome();
    await given(lockOf(home), JSON.stringify({ holder: 'x', pid: 7, host: 'elsewhere', renewedAt: START }));
    const { store } = openStore(home, { processes: processes(2, [7]) });
    expect(await (await store.open('a:b')).acquire()).toEqual({ by: 'x' });
    await given(lockOf(home), JSON.stringify({ holder: 'x', pid: 7, host: 'here', renewedAt: START }));
    expect(await (await store.open('a:b')).acquire()).toBe('held');
  });

  it("does not trust another machine's clock, only that it saw no renewal for 15 s", async () => {
    const { home } = await tempHome();
    await given(lockOf(home), JSON.stringify({ holder: 'x', pid: 7, host: 'elsewhere', renewedAt: START - 3_600_000 }));
    const { store, clock } = openStore(home);
    const session = await store.open('a:b');
    expect(await session.acquire()).toEqual({ by: 'x' });
    clock.advance(15_001);
    expect(await session.acquire()).toBe('held');
  });

  it('survives a lock file that nobody can read', async () => {
    const { home } = await tempHome();
    await given(lockOf(home), '{"holder":');
    const { store, clock } = openStore(home);
    const session = await store.open('a:b');
    expect(await session.acquire()).toEqual({ by: 'another program' });
    clock.advance(15_001);
    expect(await session.acquire()).toBe('held');
  });

  it('stops a holder that slept and was taken over: its next write fails, listeners know, nothing is interleaved', async () => {
    const { home } = await tempHome();
    const clock = new ManualClock();
    const one = await openStore(home, { holder: 'one', clock }).store.open('a:b');
    const two = await openStore(home, { holder: 'two', processes: processes(2), clock }).store.open('a:b');
    const lost: string[] = [];
    one.onLost((why) => lost.push(why));
    await one.append([user('1')]);
    clock.advance(60_000, 'asleep');
    await two.append([user('2')]);
    await expect(one.append([user('3')])).rejects.toMatchObject({ name: 'LeaseLost' });
    expect(lost).toEqual(['taken']);
    expect(one.leaseState).toBe('other');
    await expect(one.setMetadata({ title: 'T' })).rejects.toMatchObject({ name: 'LeaseLost' });
    expect(await one.acquire()).toEqual({ by: 'two' });
    await two.release();
    expect(await one.acquire()).toBe('held');
    expect(one.messages).toEqual(two.messages);
  });

  it('stays with a holder that slept while nobody wanted it', async () => {
    const { home } = await tempHome();
    const { store, clock } = openStore(home);
    const session = await store.open('a:b');
    await session.append([user('1')]);
    clock.advance(60_000, 'asleep');
    await session.append([user('2')]);
    expect(session.messages).toHaveLength(2);
    expect((await record(home))['renewedAt']).toBe(START + 60_000);
  });

  it('is not written again by a renewal that was under way when it was given back', async () => {
    const { home } = await tempHome();
    const { store, clock } = openStore(home);
    const session = await store.open('a:b');
    await session.acquire();
    clock.advance(5_000);
    await session.release();
    expect(await readdir(dirname(lockOf(home)))).toEqual([]);
  });
});

describe('contenders for a stale lease', () => {
  const stale = JSON.stringify({ holder: 'gone', pid: 9, host: 'here', renewedAt: START - 60_000 });
  const contender = (home: string, holder: string, clock: ManualClock, files: Files = nodeFiles()) =>
    new LeaseFile({ files, clock, holder, processes: processes(1, [9]) }, lockOf(home));

  it('one wins, whatever the order of their steps', async () => {
    for (let round = 0; round < 25; round += 1) {
      const { home } = await tempHome();
      await given(lockOf(home), stale);
      const clock = new ManualClock();
      const outcomes = await Promise.all([...'abcdef'].map((who) => contender(home, who, clock).take()));
      expect(outcomes.filter(({ held }) => held)).toHaveLength(1);
      const winner = [...'abcdef'][outcomes.findIndex(({ held }) => held)];
      expect(await record(home)).toMatchObject({ holder: winner });
      expect(await readdir(dirname(lockOf(home)))).toEqual(['a_b.lock']);
    }
  });

  it('a contender that looked before the other took over does not take the new lease', async () => {
    const { home } = await tempHome();
    await given(lockOf(home), stale);
    const clock = new ManualClock();
    const files = nodeFiles();
    const other = contender(home, 'quick', clock);
    let first = true;
    const slow: Files = {
      ...files,
      async read(path) {
        const seen = await files.read(path);
        if (first) {
          first = false;
          expect(await other.take()).toEqual({ held: true });
        }
        return seen;
      },
    };
    expect(await contender(home, 'slow', clock, slow).take()).toEqual({ held: false, by: 'quick' });
    expect(await record(home)).toMatchObject({ holder: 'quick' });
  });

  it('a contender that died halfway does not block the next', async () => {
    const { home } = await tempHome();
    await given(lockOf(home), stale);
    const clock = new ManualClock();
    const files = nodeFiles();
    const dying: Files = { ...files, rename: () => new Promise(() => undefined) };
    void new LeaseFile({ files: dying, clock, holder: 'dying', processes: processes(8, [9]) }, lockOf(home)).take();
    await until('its claim', async () =>
      (await readdir(dirname(lockOf(home)))).some((name) => name.endsWith('.claim')),
    );
    const next = new LeaseFile({ files, clock, holder: 'next', processes: processes(1, [8, 9]) }, lockOf(home));
    expect(await next.take()).toEqual({ held: true });
    expect(await readdir(dirname(lockOf(home)))).toEqual(['a_b.lock']);
  });
});

describe('asking for a lease', () => {
  async function twoWindows() {
    const { home } = await tempHome();
    const clock = new ManualClock();
    const one = openStore(home, { holder: 'one', clock });
    const two = openStore(home, { holder: 'two', processes: processes(2), clock });
    return { home, clock, one, two, held: await one.store.open('a:b'), wanted: await two.store.open('a:b') };
  }
  const request = (home: string) => join(dirname(lockOf(home)), 'a_b.request');

  it('keeps what it got, whatever its own request says that still lies there', async () => {
    const { home, one, two, held, wanted } = await twoWindows();
    one.store.allowHandover(() => true);
    two.store.allowHandover(() => true);
    const lost: string[] = [];
    wanted.onLost((why) => lost.push(why));
    await held.append([user('1')]);
    await wanted.requestHandover(AbortSignal.timeout(10_000));
    await given(request(home), JSON.stringify({ holder: 'two', pid: 2, host: 'here', renewedAt: START }));
    two.clock.advance(5_000);
    await until('the renewal', async () => (await record(home))['renewedAt'] === START + 5_000);
    await wanted.append([user('2')]);
    expect(lost).toEqual([]);
  });

  it('is withdrawn when aborted', async () => {
    const { home, held, wanted } = await twoWindows();
    await held.acquire();
    const controller = new AbortController();
    const asked = wanted.requestHandover(controller.signal);
    await until('the request', async () => (await nodeFiles().stat(request(home))) !== undefined);
    controller.abort(new Error('changed my mind'));
    await expect(asked).rejects.toThrow('changed my mind');
    expect(await nodeFiles().stat(request(home))).toBeUndefined();
    expect(held.leaseState).toBe('held');
  });

  it('does not move a holder whose asker is gone', async () => {
    const { home, clock, one, held } = await twoWindows();
    one.store.allowHandover(() => true);
    await held.acquire();
    clock.advance(5_000);
    await given(request(home), JSON.stringify({ holder: 'x', pid: 3, host: 'here', renewedAt: START - 60_000 }));
    await until('the removal of the request', async () => (await nodeFiles().stat(request(home))) === undefined);
    expect(held.leaseState).toBe('held');
  });

  it('is over when the window closes', async () => {
    const { two, held, wanted } = await twoWindows();
    await held.acquire();
    const asked = expect(wanted.requestHandover(AbortSignal.timeout(10_000))).rejects.toThrow('The window was closed');
    await two.store.dispose();
    await asked;
    expect(two.clock.pending).toBe(1);
  });

  it('waits while a write is under way, whatever the loop says, and gets it soon after', async () => {
    const { home, clock, one, held, wanted } = await twoWindows();
    one.store.allowHandover(() => true);
    await held.acquire();
    const writes = Promise.all(Array.from({ length: 200 }, (_, n) => held.append([user(`${n}`)])));
    const handover = wanted.requestHandover(AbortSignal.timeout(10_000));
    await until('the request', async () => (await nodeFiles().stat(request(home))) !== undefined);
    await writes;
    clock.advance(500);
    await handover;
    expect(wanted.messages).toHaveLength(200);
  });
});
