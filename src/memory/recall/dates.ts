/** A stretch of time that a text names; epoch milliseconds, `to` not included. */
export interface Span {
  from: number;
  to: number;
}

/** A month or season of whatever year, as questions name it: `months` are 0 to 11. */
export interface Recurring {
  months: number[];
}

export interface DatesOfText {
  spans: Span[];
  recurring: Recurring[];
}

const DAY = 86_400_000;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const SEASONS: Record<string, number[]> = {
  spring: [2, 3, 4],
  summer: [5, 6, 7],
  autumn: [8, 9, 10],
  fall: [8, 9, 10],
  winter: [11, 0, 1],
  春: [2, 3, 4],
  夏: [5, 6, 7],
  秋: [8, 9, 10],
  冬: [11, 0, 1],
};
const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  couple: 2,
  'a couple': 2,
  'a couple of': 2,
  'a few': 3,
  few: 3,
  several: 4,
};

const month =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
const weekday = '(sunday|monday|tuesday|wednesday|thursday|friday|saturday)';
const number = `(\\d{1,3}|a couple of|a couple|a few|${Object.keys(NUMBERS)
  .filter((word) => !word.includes(' '))
  .join('|')})`;
const unit = '(day|week|weekend|month|year)s?';

type Reader = (match: RegExpMatchArray, at: Date, found: DatesOfText) => void;

/** What may stand in a text, the longest forms first: what one pattern has taken the next ones do not see. */
const PATTERNS: [RegExp, Reader][] = [
  [/\b(\d{4})-(\d{1,2})-(\d{1,2})\b/g, (m, _at, found) => addDay(found, num(m[1]), num(m[2]) - 1, num(m[3]))],
  [
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month}\\.?,? (\\d{4})\\b`, 'gi'),
    (m, _at, found) => addDay(found, num(m[3]), monthOf(m[2]), num(m[1])),
  ],
  [
    new RegExp(`\\b${month}\\.? (\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})\\b`, 'gi'),
    (m, _at, found) => addDay(found, num(m[3]), monthOf(m[1]), num(m[2])),
  ],
  [
    new RegExp(`\\b${month}\\.?,?(?: of)? (\\d{4})\\b`, 'gi'),
    (m, _at, found) => addMonths(found, num(m[2]), monthOf(m[1]), 1),
  ],
  [
    new RegExp(`\\b(?:${month} (\\d{1,2})(?:st|nd|rd|th)?|(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${month})\\b`, 'gi'),
    (m, at, found) => {
      const which = monthOf(m[1] ?? m[4]);
      addDay(found, nearestYear(which, at), which, num(m[2] ?? m[3]));
    },
  ],
  [
    new RegExp(`\\b(last|next|this|past|coming|previous) ${month}\\b`, 'gi'),
    (m, at, found) => addMonths(found, relativeYear(monthOf(m[2]), m[1], at), monthOf(m[2]), 1),
  ],
  [
    new RegExp(`\\b(?:in|since|of|by|until|during|around|early|late|mid|for|from)[ -]${month}\\b`, 'gi'),
    (m, at, found) => {
      const which = monthOf(m[1]);
      addMonths(found, nearestYear(which, at), which, 1);
      found.recurring.push({ months: [which] });
    },
  ],
  [
    new RegExp(`\\b${number} ${unit} (?:ago|earlier|back)\\b`, 'gi'),
    (m, at, found) => addAway(found, at, -count(m[1]), m[2]),
  ],
  [new RegExp(`\\bin ${number} ${unit}\\b`, 'gi'), (m, at, found) => addAway(found, at, count(m[1]), m[2])],
  [
    new RegExp(`\\b(last|next|this|past|coming|previous|upcoming) ${unit}\\b`, 'gi'),
    (m, at, found) => addAway(found, at, direction(m[1]), m[2]),
  ],
  [
    new RegExp(`\\b(last|next|this|past|coming|on|previous) ${weekday}\\b`, 'gi'),
    (m, at, found) => addWeekday(found, at, WEEKDAYS.indexOf((m[2] ?? '').slice(0, 3).toLowerCase()), m[1]),
  ],
  [
    /\b(last|next|this|past|coming|previous) (spring|summer|autumn|fall|winter)\b/gi,
    (m, at, found) => addSeason(found, at, m[2], m[1]),
  ],
  [
    /\b(?:in|during|over|since) (?:the )?(spring|summer|autumn|winter|fall)(?: of (\d{4}))?\b/gi,
    (m, _at, found) => {
      if (m[2] === undefined) found.recurring.push({ months: SEASONS[(m[1] ?? '').toLowerCase()] ?? [] });
      else addSeason(found, new Date(num(m[2]), 6, 1), m[1], 'this');
    },
  ],
  [/\bday before yesterday\b|前天/gi, (_m, at, found) => addAway(found, at, -2, 'day')],
  [/\b(?:yesterday|last night)\b|昨天|昨晚/gi, (_m, at, found) => addAway(found, at, -1, 'day')],
  [
    /\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b|今天|今晚|今早/gi,
    (_m, at, found) => addAway(found, at, 0, 'day'),
  ],
  [/\btomorrow\b|明天|明晚/gi, (_m, at, found) => addAway(found, at, 1, 'day')],
  [/后天/g, (_m, at, found) => addAway(found, at, 2, 'day')],
  [
    /\b(?:in|since|of|during|year|back in|until|from|by) ((?:19|20)\d\d)\b/gi,
    (m, _at, found) => addMonths(found, num(m[1]), 0, 12),
  ],
  [/(\d{4})年(\d{1,2})月(\d{1,2})[日号]/g, (m, _at, found) => addDay(found, num(m[1]), num(m[2]) - 1, num(m[3]))],
  [/(\d{4})年(\d{1,2})月/g, (m, _at, found) => addMonths(found, num(m[1]), num(m[2]) - 1, 1)],
  [/(\d{4})年/g, (m, _at, found) => addMonths(found, num(m[1]), 0, 12)],
  [
    /([\d一二三四五六七八九十]{1,3})月([\d一二三四五六七八九十]{1,3})[日号]/g,
    (m, at, found) => addDay(found, nearestYear(hanNumber(m[1]) - 1, at), hanNumber(m[1]) - 1, hanNumber(m[2])),
  ],
  [
    /([\d一二三四五六七八九十]{1,3})月(?:份|底|初|中)?/g,
    (m, at, found) => {
      const which = hanNumber(m[1]) - 1;
      addMonths(found, nearestYear(which, at), which, 1);
      found.recurring.push({ months: [which] });
    },
  ],
  [
    /([\d一二两三四五六七八九十几]{1,3})个?(天|周|星期|礼拜|月|年)(?:以前|之前|前)/g,
    (m, at, found) => addAway(found, at, -hanNumber(m[1]), hanUnit(m[2])),
  ],
  [
    /(上|这|本|下)个?(周末|周|星期|礼拜|月)/g,
    (m, at, found) => addAway(found, at, m[1] === '上' ? -1 : m[1] === '下' ? 1 : 0, hanUnit(m[2])),
  ],
  [
    /前年|去年|今年|明年/g,
    (m, at, found) => addAway(found, at, ['前年', '去年', '今年', '明年'].indexOf(m[0]) - 2, 'year'),
  ],
  [/([春夏秋冬])(?:天|季)/g, (m, _at, found) => found.recurring.push({ months: SEASONS[m[1] ?? ''] ?? [] })],
];

/** Whether a text may name a time at all: asked first, because most texts do not. */
const MAY_NAME_TIME =
  /\d|\b(?:ago|last|next|this|past|coming|upcoming|previous|yesterday|today|tonight|tomorrow|weeks?|months?|years?|days?|in|on|since|during|over|of|early|late|mid|earlier|just now)\b|[天月年周春夏秋冬]|星期|礼拜/i;

/** Something that says when, how often or how long: wider than what can be put on a calendar. */
const SAYS_WHEN =
  /\b(?:ago|yesterday|today|tonight|tomorrow|recently|lately|soon|(?:last|next|this|past|every|each|coming) (?:night|morning|week|weekend|month|year|spring|summer|fall|autumn|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|time)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december|(?:in|since|of|by) may|may \d|(?:19|20)\d\d|\d+(?:st|nd|rd|th)|(?:days?|weeks?|months?|years?)|birthday|anniversary|weekend|o'clock|\d ?[ap]m)\b|昨|今[天晚早年]|明[天年]|前[天年]|后天|去年|[上下这]个?[周月]|星期|礼拜|周[一二三四五六日末]|\d+[年月日号点]|[一二三四五六七八九十]月|以前|之前|[天周月年]前/i;

export function saysWhen(text: string): boolean {
  return SAYS_WHEN.test(text);
}

/**
 * The times a text names, worked out from the moment it was written ("last week", "in two months", "上个月"). Months without a year are taken
 * as the nearest ones and, for questions, also given as recurring. Reads the first 2,000 characters.
 */
export function datesIn(text: string, writtenAt: number): DatesOfText {
  const found: DatesOfText = { spans: [], recurring: [] };
  if (!MAY_NAME_TIME.test(text)) return found;
  const at = new Date(writtenAt);
  let rest = text.slice(0, 2_000);
  for (const [pattern, read] of PATTERNS) {
    rest = rest.replace(pattern, (...match: unknown[]) => {
      read(match as unknown as RegExpMatchArray, at, found);
      return ' · ';
    });
  }
  return found;
}

/** Terms under which a stretch of time is found: its days if it is short, its months, its year if it is long. */
export function spanTerms({ from, to }: Span): string[] {
  const days = Math.round((to - from) / DAY);
  const terms = new Set<string>();
  if (days > 200) return [`@${new Date(from).getFullYear()}`];
  for (let day = 0; day < days; day += 1) {
    const date = new Date(from);
    date.setDate(date.getDate() + day);
    const monthTerm = `@${date.getFullYear()}-${date.getMonth() + 1}`;
    terms.add(monthTerm);
    if (days <= 10) terms.add(`${monthTerm}-${date.getDate()}`);
  }
  return [...terms];
}

const num = (text: string | undefined) => Number(text);
const monthOf = (name: string | undefined) => MONTHS.indexOf((name ?? '').slice(0, 3).toLowerCase());
const count = (text: string | undefined) => NUMBERS[(text ?? '').toLowerCase()] ?? num(text);

function direction(word: string | undefined): number {
  return /last|past|previous/i.test(word ?? '') ? -1 : /this/i.test(word ?? '') ? 0 : 1;
}

function hanUnit(unitName: string | undefined): string {
  return unitName === '天'
    ? 'day'
    : unitName === '月'
      ? 'month'
      : unitName === '年'
        ? 'year'
        : unitName === '周末'
          ? 'weekend'
          : 'week';
}

function hanNumber(text: string | undefined): number {
  if (text === undefined || /^\d+$/.test(text)) return Number(text);
  const digits = '零一二三四五六七八九';
  const [tens, ones] = text.includes('十') ? text.split('十') : ['', text];
  const ten = text.includes('十') ? (tens ? digits.indexOf(tens) : 1) * 10 : 0;
  const one = ones === '两' ? 2 : ones === '几' ? 3 : ones ? digits.indexOf(ones) : 0;
  return ten + Math.max(0, one);
}

function add(found: DatesOfText, from: Date, to: Date): void {
  if (!Number.isNaN(from.getTime()) && to > from) found.spans.push({ from: from.getTime(), to: to.getTime() });
}

function addDay(found: DatesOfText, year: number, monthIndex: number, day: number): void {
  add(found, new Date(year, monthIndex, day), new Date(year, monthIndex, day + 1));
}

function addMonths(found: DatesOfText, year: number, monthIndex: number, months: number): void {
  add(found, new Date(year, monthIndex, 1), new Date(year, monthIndex + months, 1));
}

/** So many units away from a moment: the day, the week around the day, the calendar month or year. */
function addAway(found: DatesOfText, at: Date, amount: number, unitName: string | undefined): void {
  const [year, monthIndex, day] = [at.getFullYear(), at.getMonth(), at.getDate()];
  const name = (unitName ?? '').toLowerCase();
  if (name === 'day') addDay(found, year, monthIndex, day + amount);
  if (name === 'month') addMonths(found, year, monthIndex + amount, 1);
  if (name === 'year') addMonths(found, year + amount, 0, 12);
  const monday = day - ((at.getDay() + 6) % 7) + amount * 7;
  if (name === 'week') add(found, new Date(year, monthIndex, monday), new Date(year, monthIndex, monday + 7));
  if (name === 'weekend') add(found, new Date(year, monthIndex, monday + 5), new Date(year, monthIndex, monday + 7));
}

function addWeekday(found: DatesOfText, at: Date, wanted: number, word: string | undefined): void {
  const back = (at.getDay() - wanted + 7) % 7;
  const forward = /next|coming|this/i.test(word ?? '');
  const days = forward ? (wanted - at.getDay() + 7) % 7 || 7 : -(back || 7);
  addDay(found, at.getFullYear(), at.getMonth(), at.getDate() + days);
}

function addSeason(found: DatesOfText, at: Date, name: string | undefined, word: string | undefined): void {
  const first = SEASONS[(name ?? '').toLowerCase()]?.[0] ?? 0;
  const sign = direction(word);
  let year = at.getFullYear();
  if (sign < 0 && new Date(year, first + 3, 1) > at) year -= 1;
  if (sign > 0 && new Date(year, first, 1) <= at) year += 1;
  addMonths(found, year, first, 3);
}

/** The year that brings a month closest to a moment. */
function nearestYear(monthIndex: number, at: Date): number {
  const away = monthIndex - at.getMonth();
  return at.getFullYear() + (away > 6 ? -1 : away < -6 ? 1 : 0);
}

function relativeYear(monthIndex: number, word: string | undefined, at: Date): number {
  const sign = direction(word);
  const year = at.getFullYear();
  if (sign < 0) return monthIndex < at.getMonth() ? year : year - 1;
  return sign > 0 && monthIndex <= at.getMonth() ? year + 1 : year;
}
