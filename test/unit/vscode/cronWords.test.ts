import { describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/cron/schedule.js';
import { readWhen } from '../../../src/cron/whenWords.js';
import { editableWords } from '../../../src/vscode/cronWords.js';

const HERE = 'Europe/Berlin';

describe('a schedule to be edited', () => {
  it.each<[Schedule, string]>([
    [{ kind: 'cron', expr: '0 9 * * 1-5', tz: HERE }, 'every weekday at 09:00'],
    [{ kind: 'cron', expr: '0 9 * * 1-5' }, 'every weekday at 09:00'],
    [{ kind: 'cron', expr: '0 9 * * 1-5', tz: 'Asia/Tokyo' }, 'every weekday at 09:00 Asia/Tokyo'],
    [{ kind: 'cron', expr: '3-9/2 1 * * 2', tz: HERE }, '3-9/2 1 * * 2'],
    [{ kind: 'every', everyMs: 7_200_000 }, 'every 2 hours'],
    [{ kind: 'at', atMs: Date.parse('2027-01-04T08:00:00Z') }, '2027-01-04 09:00'],
  ])('%j is "%s", and is understood again', (schedule, words) => {
    expect(editableWords(schedule, HERE)).toBe(words);
    const read = readWhen(words, { now: Date.parse('2026-04-15T13:23:00Z'), zone: HERE });
    const { tz: _, ...plain } = { tz: undefined, ...schedule };
    expect(read).toMatchObject({ schedule: 'tz' in schedule && schedule.tz !== HERE ? schedule : plain });
  });
});
