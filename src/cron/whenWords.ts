import { nextRun, pastProblem, problemOf, zoneProblem, type Schedule } from './schedule.js';
import { isZone } from '../platform/localTime.js';
import { translated, type Translate, type Words } from '../platform/words.js';
import { momentOf, wallTime } from './zone.js';

/** Where and when words are read. */
export interface Moment {
  /** Epoch milliseconds. */
  now: number;
  /** The person's own zone. */
  zone: string;
}

interface TimeOfDay {
  hour: number;
  minute: number;
}

/** Examples for a person who does not know what can be written. `readWhen` reads each, in every language. */
export function examples(t: Translate = translated): string[] {
  return [
    t('every weekday at 9'),
    t('every 30 minutes'),
    t('every Monday and Thursday at 18:30'),
    t('on the 1st of every month at 8'),
    t('tomorrow at 9'),
    t('in 20 minutes'),
  ];
}

const NINE: TimeOfDay = { hour: 9, minute: 0 };
const UNITS: [RegExp, number][] = [
  [/^(?:seconds?|secs?|s|秒钟?)$/, 1_000],
  [/^(?:minutes?|mins?|m|分钟?)$/, 60_000],
  [/^(?:hours?|hrs?|h|个?小时|个?钟头)$/, 3_600_000],
  [/^(?:days?|d|天|日)$/, 86_400_000],
  [/^(?:weeks?|w|周|个?星期)$/, 7 * 86_400_000],
];
const NUMBERS: Record<string, number> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10 },
  ...{ eleven: 11, twelve: 12, fifteen: 15, twenty: 20, thirty: 30, half: 0.5 },
  ...{ 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9, 十: 10, 半: 0.5 },
};
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const CHINESE_DAYS: Record<string, number> = { 日: 0, 天: 0, 一: 1, 二: 2, 三: 3, 四: 4, 五: 5, 六: 6 };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAY_NAME = '(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*';
const MONTH_NAME = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*';

/**
 * Reads a schedule from words ("every weekday at 9", "in 20 minutes", 每天9点), a date and time, or a cron expression; a zone may follow
 * ("every day at 9 Europe/Berlin"). A time of day that is left out is nine o'clock. What cannot be used is a problem in words with the next step.
 */
export function readWhen(
  text: string,
  moment: Moment,
  t: Translate = translated,
): { schedule: Schedule } | { problem: string } {
  const { words, zone } = withoutZone(text.trim().replace(/\s+/g, ' '));
  if (words === '') return { problem: t('Write when it should run, such as "{0}".', examples(t)[0] ?? '') };
  if (zone !== undefined && !isZone(zone)) return { problem: zoneProblem(zone, t) };
  const there = zone ?? moment.zone;
  const read = schedulesFrom(words, { now: moment.now, zone: there });
  if (!read) return { problem: notUnderstood(text, t) };
  if ('problem' in read) return { problem: read.problem(t) };
  const schedule = read.kind === 'cron' && zone !== undefined ? { ...read, tz: zone } : read;
  const problem = problemOf(schedule, moment.now, there, t) ?? pastProblem(schedule, moment.now, there, t);
  return problem === undefined ? { schedule } : { problem };
}

function notUnderstood(text: string, t: Translate): string {
  return t(
    '"{0}" was not understood. Write it like one of these: {1}; or as a cron expression.',
    text.trim(),
    examples(t).slice(0, 4).join('; '),
  );
}

function withoutZone(text: string): { words: string; zone?: string } {
  const found = /^(.*?),?\s+(?:in\s+|\()?(UTC|GMT|[A-Z][A-Za-z_]+\/[A-Za-z_+\-/0-9]+)\)?$/.exec(text);
  return found?.[2] === undefined ? { words: text } : { words: found[1] ?? '', zone: found[2] };
}

type Read = Schedule | { problem: Words } | undefined;

function schedulesFrom(text: string, moment: Moment): Read {
  if (looksLikeCron(text)) return { kind: 'cron', expr: text };
  const words = text.toLowerCase().replace(/[.。]$/, '');
  for (const form of FORMS) {
    const read = form(words, moment);
    if (read) return read;
  }
  return undefined;
}

/** Five or six fields of digits and signs, or a nickname such as @daily. */
function looksLikeCron(text: string): boolean {
  return /^@[a-z]+$/i.test(text) || /^[\d*?,/L#W-][^\s]*(?: [\dA-Za-z*?,/#-]+){4,5}$/.test(text);
}

type Form = (words: string, moment: Moment) => Read;

const FORMS: Form[] = [inAWhile, everyStretch, daily, weekly, monthly, yearly, relativeDay, onWeekday, onDate];

function inAWhile(words: string, { now }: Moment): Read {
  const found =
    /^in (?:about )?([\w.]+)(?: an?)? ([a-z]+)(?:(?: and|,)? ([\w.]+) ([a-z]+))?$/.exec(words) ??
    /^([\d一二两三四五六七八九十半]+) ?(秒钟?|分钟?|个?小时|个?钟头|天|周|个?星期)(?:之?后|以后)$/.exec(words);
  if (!found) return undefined;
  const first = stretch(found[1], found[2]);
  const second = found[3] === undefined ? 0 : stretch(found[3], found[4]);
  return first === undefined || second === undefined ? undefined : { kind: 'at', atMs: now + first + second };
}

function everyStretch(words: string): Read {
  if (/^(?:hourly|every hour|每个?小时)$/.test(words)) return { kind: 'every', everyMs: 3_600_000 };
  if (/^(?:every minute|每分钟)$/.test(words)) return { kind: 'every', everyMs: 60_000 };
  if (/^every half(?: an)? hour$|^每半个?小时$/.test(words)) return { kind: 'every', everyMs: 1_800_000 };
  const found =
    /^(?:every|each) ([\w.]+) ([a-z]+)$/.exec(words) ??
    /^每隔? ?([\d一二两三四五六七八九十]+) ?(秒钟?|分钟?|个?小时|个?钟头|天|周|个?星期)$/.exec(words);
  const everyMs = found && stretch(found[1], found[2]);
  return everyMs === undefined || everyMs === null ? undefined : { kind: 'every', everyMs };
}

function daily(words: string): Read {
  const found =
    /^(?:every ?day|each day|daily|every (morning|noon|evening|night))(?: at)?(?: (.+))?$/.exec(words) ??
    /^(?:at )?(.+?)(?: o'clock)? every ?day()$/.exec(words);
  if (found) return days('*', words.includes('every') && found[2] === '' ? found[1] : found[2], partOfDay(found[1]));
  const chinese = /^每天\s*(.*)$/.exec(words);
  return chinese ? days('*', chinese[1]) : undefined;
}

function weekly(words: string): Read {
  const fixed: [RegExp, string][] = [
    [/^(?:every|each|on) ?(?:weekdays?|workdays?|working days?)(?: at)?(?: (.+))?$/, '1-5'],
    [/^(?:weekdays|workdays)(?: at)?(?: (.+))?$/, '1-5'],
    [/^(?:每个?)?工作日\s*(.*)$/, '1-5'],
    [/^(?:every |each |on )?weekends?(?: at)?(?: (.+))?$/, '0,6'],
    [/^每个?周末\s*(.*)$/, '0,6'],
  ];
  for (const [form, weekdays] of fixed) {
    const found = form.exec(words);
    if (found) return days(weekdays, found[1]);
  }
  const chinese = /^每(?:个?星期|周)([一二三四五六日天](?:[、,，和]?周?[一二三四五六日天])*)\s*(.*)$/.exec(words);
  if (chinese) return days([...(chinese[1] ?? '')].flatMap((day) => CHINESE_DAYS[day] ?? []).join(','), chinese[2]);
  const list = `(${DAY_NAME}(?:(?:,| and|, and| &) ${DAY_NAME})*)`;
  const named =
    new RegExp(`^(?:every|each|weekly on|every week on) ${list}(?: at)?(?: (.+))?$`).exec(words) ??
    new RegExp(`^(?:on )?((?:${DAY_NAME})s(?:(?:,| and|, and| &) (?:${DAY_NAME})s)*)(?: at)?(?: (.+))?$`).exec(words);
  if (!named || !/every|each|weekly|days/.test(words)) return undefined;
  return days(
    (named[1] ?? '')
      .split(/\W+(?:and\W+)?/)
      .map(weekdayOf)
      .join(','),
    named[2],
  );
}

function monthly(words: string): Read {
  const time = '(?: at)?(?: (.+))?$';
  const found =
    new RegExp(
      `^(?:every month on|monthly on|each month on)(?: the)? (\\d{1,2}|first|last)(?:st|nd|rd|th)?(?: day)?${time}`,
    ).exec(words) ??
    new RegExp(`^(?:on )?the (\\d{1,2}|first|last)(?:st|nd|rd|th)?(?: day)? of (?:every|each|the) month${time}`).exec(
      words,
    ) ??
    /^(?:monthly|every month)()(?: at)?(?: (.+))?$/.exec(words) ??
    /^每个?月 ?(\d{1,2})? ?[号日]?\s*(.*)$/.exec(words);
  if (!found) return undefined;
  const day = found[1] === 'last' ? 'L' : found[1] === 'first' || !found[1] ? '1' : found[1];
  const time_ = timeOf(found[2]);
  return time_ && { kind: 'cron', expr: `${fieldsOf(time_)} ${day} * *` };
}

function yearly(words: string): Read {
  const found =
    new RegExp(`^(?:every year|yearly)(?: on)? (${MONTH_NAME}) (\\d{1,2})(?:st|nd|rd|th)?(?: at)?(?: (.+))?$`).exec(
      words,
    ) ??
    new RegExp(
      `^(?:every year|yearly)(?: on)?(?: the)? (\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH_NAME})(?: at)?(?: (.+))?$`,
    ).exec(words);
  if (!found) return undefined;
  const [month = '', day = ''] = /^\d/.test(found[1] ?? '') ? [found[2], found[1]] : [found[1], found[2]];
  const time = timeOf(found[3]);
  return time && { kind: 'cron', expr: `${fieldsOf(time)} ${day} ${String(monthOf(month))} *` };
}

function relativeDay(words: string, moment: Moment): Read {
  const found =
    /^(today|tomorrow|tonight|the day after tomorrow|this evening|tomorrow (?:morning|evening))(?: at)?(?: (.+))?$/.exec(
      words,
    ) ?? /^(今天|明天|后天|今晚)\s*(.*)$/.exec(words);
  if (found) {
    const ahead = /after|后天/.test(found[1] ?? '') ? 2 : /tomorrow|明天/.test(found[1] ?? '') ? 1 : 0;
    const time = timeOf(found[2], partOfDay(found[1]), /evening|night|今晚/.test(found[1] ?? ''));
    return time && at(moment, ahead, time);
  }
  const bare =
    /^at (.+)$/.exec(words)?.[1] ?? (/^\d{1,2}(:\d\d|\s*[ap]m)|^(noon|midnight)$|点/.test(words) ? words : undefined);
  const time = bare === undefined ? undefined : timeOf(bare);
  if (!time) return undefined;
  const today = at(moment, 0, time);
  return today.atMs > moment.now ? today : at(moment, 1, time);
}

function onWeekday(words: string, moment: Moment): Read {
  const found = new RegExp(`^(?:on |this |next )?(${DAY_NAME})(?: at)?(?: (.+))?$`).exec(words);
  const time = found && timeOf(found[2]);
  if (!found || !time) return undefined;
  const next = nextRun(
    { kind: 'cron', expr: `${fieldsOf(time)} * * ${String(weekdayOf(found[1] ?? ''))}` },
    moment.now,
    moment,
  );
  return next === undefined ? undefined : { kind: 'at', atMs: next };
}

function onDate(words: string, { now, zone }: Moment): Read {
  if (/^\d{4}-\d\d-\d\dt.*(?:z|[+-]\d\d:?\d\d)$/.test(words)) {
    const atMs = Date.parse(words.toUpperCase());
    return Number.isNaN(atMs) ? undefined : { kind: 'at', atMs };
  }
  const iso = /^(?:on )?(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ]| at )?(.*)$/.exec(words);
  const named =
    new RegExp(
      `^(?:on )?(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH_NAME})(?:,? (\\d{4}))?(?: at)?(?: (.+))?$`,
    ).exec(words) ??
    new RegExp(`^(?:on )?(${MONTH_NAME}) (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?: at)?(?: (.+))?$`).exec(words);
  const found = iso ?? named;
  if (!found) return undefined;
  const time = timeOf(found[4]?.replace(/^(\d\d:\d\d):\d\d(?:\.\d+)?$/, '$1'));
  if (!time) return undefined;
  const [first = '', second = ''] = [found[1], found[2]];
  const date = iso
    ? { year: Number(first), month: Number(second), day: Number(found[3]) }
    : {
        year: Number(found[3] ?? wallTime(now, zone).year),
        month: monthOf(/^\d/.test(first) ? second : first),
        day: Number(/^\d/.test(first) ? first : second),
      };
  const length = new Date(Date.UTC(date.year, date.month, 0)).getUTCDate();
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > length)
    return { problem: (t) => t('There is no such day: {0}. Check day and month.', found[0]) };
  const atMs = momentOf({ ...date, ...time }, zone);
  const isOver = atMs <= now && !iso && found[3] === undefined;
  return { kind: 'at', atMs: isOver ? momentOf({ ...date, year: date.year + 1, ...time }, zone) : atMs };
}

function days(weekdays: string, time: string | undefined, usual = NINE): Read {
  const read = timeOf(time, usual);
  return read && { kind: 'cron', expr: `${fieldsOf(read)} * * ${weekdays}` };
}

function fieldsOf({ hour, minute }: TimeOfDay): string {
  return `${String(minute)} ${String(hour)}`;
}

function at({ now, zone }: Moment, daysAhead: number, time: TimeOfDay): Extract<Schedule, { kind: 'at' }> {
  const today = wallTime(now, zone);
  return { kind: 'at', atMs: momentOf({ ...today, day: today.day + daysAhead, ...time }, zone) };
}

function partOfDay(words = ''): TimeOfDay {
  if (/noon/.test(words)) return { hour: 12, minute: 0 };
  if (/evening|night|今晚/.test(words)) return { hour: 20, minute: 0 };
  return NINE;
}

/** A time of day; nothing is the usual one. `late` reads hours below 12 as those of the evening. Undefined where it is none. */
function timeOf(words: string | undefined, usual = NINE, late = false): TimeOfDay | undefined {
  const text = words?.trim().replace(/^at /, '') ?? '';
  if (text === '') return usual;
  if (/^(?:noon|midday|中午)$/.test(text)) return { hour: 12, minute: 0 };
  if (/^(?:midnight|午夜)$/.test(text)) return { hour: 0, minute: 0 };
  const found = /^(\d{1,2})(?:[:.h](\d{2}))?\s*(a\.?m\.?|p\.?m\.?|o'clock)?$/.exec(text) ?? chineseTime(text);
  if (!found) return undefined;
  const afternoon = /^p|下午|晚上/.test(found[3] ?? '') || late;
  const morning = /^a/.test(found[3] ?? '');
  const said = Number(found[1]);
  const minute = Number(found[2] ?? 0);
  const isTwelveHours = /^[ap]/.test(found[3] ?? '') && (said < 1 || said > 12);
  const hour = afternoon && said < 12 ? said + 12 : morning && said === 12 ? 0 : said;
  return hour > 23 || minute > 59 || isTwelveHours ? undefined : { hour, minute };
}

/** 9点, 下午3点半, 9点15分, as the parts of an English time. */
function chineseTime(text: string): [string, string | undefined, string | undefined, string | undefined] | undefined {
  const found =
    /^(早上|上午|下午|晚上)?\s*([\d一二两三四五六七八九十]+) ?[点时:：](?:(半)|(\d{1,2})分?)?(?:钟|整)?$/.exec(text);
  if (!found) return undefined;
  const hour = chineseNumber(found[2] ?? '');
  return [text, String(hour), found[3] ? '30' : found[4], found[1]];
}

function chineseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const [tens, ones] = text.includes('十') ? text.split('十') : ['', text];
  const ten = text.includes('十') ? (NUMBERS[tens ?? ''] ?? 1) * 10 : 0;
  return ten + (ones ? (NUMBERS[ones] ?? NaN) : 0);
}

function stretch(amount = '', unit = ''): number | undefined {
  const count = /^\d+(?:\.\d+)?$/.test(amount) ? Number(amount) : (NUMBERS[amount] ?? chineseNumber(amount));
  const unitMs = UNITS.find(([form]) => form.test(unit))?.[1];
  return Number.isFinite(count) && count > 0 && unitMs !== undefined ? count * unitMs : undefined;
}

function weekdayOf(name: string): number {
  return DAYS.indexOf(name.slice(0, 3));
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3)) + 1;
}
