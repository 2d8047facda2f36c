import { config } from '@vscode/l10n';
import { expect, it } from 'vitest';
import { jobOf } from '../../../src/cron/job.js';
import { problemOf } from '../../../src/cron/schedule.js';
import { scheduleWords } from '../../../src/cron/scheduleWords.js';
import { english, englishReason, WordsError } from '../../../src/platform/words.js';

config({
  contents: {
    'every {0} minutes': '每 {0} 分钟',
    'It has no message: there is nothing to do.': '它没有消息：无事可做。',
    'There is no time zone "{0}". Write an IANA name such as Europe/Berlin or America/New_York.': '没有时区“{0}”。',
  },
});

it('says a schedule to the person in their language, and to the model in English', () => {
  const schedule = { kind: 'every' as const, everyMs: 1_800_000 };
  expect(scheduleWords(schedule, 'UTC')).toBe('每 30 分钟');
  expect(scheduleWords(schedule, 'UTC', english)).toBe('every 30 minutes');
  const nowhere = { kind: 'cron' as const, expr: '0 9 * * *', tz: 'Nowhere/Land' };
  expect(problemOf(nowhere, 0, 'UTC')).toBe('没有时区“Nowhere/Land”。');
  expect(problemOf(nowhere, 0, 'UTC', english)).toMatch(/^There is no time zone "Nowhere\/Land"/);
});

it('keeps why a job cannot run in both', () => {
  const job = jobOf({ id: 'a', schedule: { kind: 'every', everyMs: 60_000 }, payload: {} }, { now: 0, zone: 'UTC' });
  expect(job).toMatchObject({
    problem: '它没有消息：无事可做。',
    problemInEnglish: 'It has no message: there is nothing to do.',
  });
});

it('fails in both', () => {
  const error = new WordsError((t) => t('every {0} minutes', 5));
  expect([error.message, englishReason(error)]).toEqual(['每 5 分钟', 'every 5 minutes']);
});
