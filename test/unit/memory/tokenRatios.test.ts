import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TokenRatios } from '../../../src/memory/tokenRatios.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Files, Log } from '../../../src/platform/ports.js';
import { until } from '../../support/until.js';
import { tempHome } from '../../support/tempHome.js';
import { manualClock } from '../providers/manualClock.js';

const MODEL = 'anthropic/claude-opus-4-5';

async function place(content?: string) {
  const { home } = await tempHome();
  const path = join(home, '.nanobot', 'tokenRatios.json');
  if (content !== undefined) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const lines: string[] = [];
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    warn: (text) => void lines.push(text),
    error: (text) => void lines.push(text),
  };
  const clock = manualClock();
  const open = (files: Files = nodeFiles()) => new TokenRatios({ files, clock, log, home });
  const stored = () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
  return { home, path, lines, clock, open, stored };
}

describe('a ratio', () => {
  it('is 1 for a model that nothing was reported of', async () => {
    const { open } = await place();
    const ratios = open();
    await ratios.load();
    expect(ratios.ratio(MODEL)).toBe(1);
  });

  it('is what the first report says, and moves a part of the way with each later one', async () => {
    const { open } = await place();
    const ratios = open();
    ratios.correct(MODEL, 10_000, 12_000);
    expect(ratios.ratio(MODEL)).toBeCloseTo(1.2);
    ratios.correct(MODEL, 10_000, 10_000);
    expect(ratios.ratio(MODEL)).toBeCloseTo(1.14);
    for (let n = 0; n < 20; n++) ratios.correct(MODEL, 10_000, 10_000);
    expect(ratios.ratio(MODEL)).toBeCloseTo(1, 2);
    expect(ratios.ratio('openai/gpt-5')).toBe(1);
  });

  it.each([
    [1_000, 100_000, 3],
    [100_000, 1_000, 0.5],
  ])('stays within 0.5 and 3: estimated %d, reported %d', async (estimated, reported, ratio) => {
    const { open } = await place();
    const ratios = open();
    for (let n = 0; n < 5; n++) ratios.correct(MODEL, estimated, reported);
    expect(ratios.ratio(MODEL)).toBe(ratio);
  });

  it.each([
    [0, 1_000],
    [100, 300],
    [1_000, 0],
    [NaN, 1_000],
    [1_000, NaN],
    [1_000, -5],
  ])('learns nothing of a request that says nothing: estimated %d, reported %d', async (estimated, reported) => {
    const { open } = await place();
    const ratios = open();
    ratios.correct(MODEL, estimated, reported);
    expect(ratios.ratio(MODEL)).toBe(1);
  });
});

describe('the file of ratios', () => {
  it('is written some seconds after the first of several reports, once, and read by the next process', async () => {
    const { open, clock, path, stored } = await place();
    let writes = 0;
    const files = nodeFiles();
    const writeAtomic: Files['writeAtomic'] = (...args) => {
      writes += 1;
      return files.writeAtomic(...args);
    };
    const ratios = open({ ...files, writeAtomic });
    for (let n = 0; n < 10; n++) ratios.correct(MODEL, 10_000, 12_000);
    ratios.correct('__proto__', 10_000, 9_000);
    expect(existsSync(path)).toBe(false);
    await clock.advance(5_000);
    await until('the file', () => existsSync(path));
    await ratios.save();
    expect(writes).toBe(1);
    expect(stored()).toEqual(JSON.parse(`{ "${MODEL}": 1.2, "__proto__": 0.9 }`));
    const later = open();
    await later.load();
    expect([later.ratio(MODEL), later.ratio('__proto__')]).toEqual([1.2, 0.9]);
  });

  it('is not written where nothing changed that is worth it', async () => {
    const { open, stored, path } = await place(JSON.stringify({ [MODEL]: 1.2 }));
    const before = readFileSync(path, 'utf8');
    const ratios = open();
    await ratios.load();
    ratios.correct(MODEL, 10_000, 12_100);
    await ratios.save();
    expect(readFileSync(path, 'utf8')).toBe(before);
    ratios.correct(MODEL, 10_000, 15_000);
    await ratios.save();
    expect(stored()[MODEL]).toBeGreaterThan(1.2);
  });

  it('keeps what another window wrote meanwhile', async () => {
    const { open, stored } = await place();
    const [here, there] = [open(), open()];
    await Promise.all([here.load(), there.load()]);
    here.correct(MODEL, 10_000, 12_000);
    there.correct('openai/gpt-5', 10_000, 9_000);
    await here.save();
    await there.save();
    expect(stored()).toEqual({ [MODEL]: 1.2, 'openai/gpt-5': 0.9 });
  });

  it('holds 100 models at most, those that were corrected last', async () => {
    const { open, stored } = await place();
    const ratios = open();
    for (let n = 0; n < 150; n++) ratios.correct(`provider/model-${String(n)}`, 10_000, 12_000);
    await ratios.save();
    const names = Object.keys(stored());
    expect(names).toHaveLength(100);
    expect([names[0], names.at(-1)]).toEqual(['provider/model-50', 'provider/model-149']);
    expect(ratios.ratio('provider/model-0')).toBe(1);
  });

  it.each([
    ['no JSON', '{"a": 1.2'],
    ['a list', '[1.2]'],
    ['null', 'null'],
    ['nothing', ''],
  ])('is ignored with one line in the log where it is %s, and replaced', async (_what, content) => {
    const { open, lines, stored, path } = await place(content);
    const ratios = open();
    await ratios.load();
    expect(ratios.ratio(MODEL)).toBe(1);
    ratios.correct(MODEL, 10_000, 12_000);
    await ratios.save();
    expect(lines).toEqual([expect.stringContaining(`${path} could not be read`)]);
    expect(stored()).toEqual({ [MODEL]: 1.2 });
  });

  it('gives what is usable of it', async () => {
    const { open, lines } = await place('{"a": "1.2", "b": null, "c": 1.2, "d": 40, "e": 0, "f": {"g": 1}}');
    const ratios = open();
    await ratios.load();
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((model) => ratios.ratio(model))).toEqual([1, 1, 1.2, 3, 0.5, 1]);
    expect(lines).toEqual([]);
  });

  it('that cannot be written costs one line in the log', async () => {
    const { open, lines } = await place();
    const full = () => Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    const ratios = open({ ...nodeFiles(), writeAtomic: full });
    ratios.correct(MODEL, 10_000, 12_000);
    await ratios.save();
    ratios.correct(MODEL, 10_000, 20_000);
    await ratios.save();
    expect(lines).toEqual([expect.stringContaining('ENOSPC')]);
    expect(ratios.ratio(MODEL)).toBeGreaterThan(1.2);
  });
});
