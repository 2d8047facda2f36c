/** One row of the table: a measured quantity, what it is compared with, and what it may be. */
export interface Row {
  name: string;
  unit: 'ms' | 'MB' | '×' | '' | 's';
  /** Every measurement; the table shows the median and the range. */
  values: number[];
  /** The same thing done without us, in the same unit. */
  baseline?: number;
  /** The measure that is held against the budget; without it, the median. */
  judged?: number;
  /** How `judged` came about, where it is not the median itself. */
  judgedAs?: string;
  budget?: number;
  note?: string;
}

/** The middle of the values; the mean of the two middle ones where their number is even. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** A percentile, interpolated between neighbours; NaN without values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = ((sorted.length - 1) * percent) / 100;
  const low = sorted[Math.floor(at)] ?? NaN;
  const high = sorted[Math.ceil(at)] ?? NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** Whether a row keeps its budget; undefined where it has none. */
export function isWithin(row: Row): boolean | undefined {
  return row.budget === undefined ? undefined : judgedOf(row) <= row.budget;
}

/** All rows as one table for a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['what', 'median (min–max)', 'n', 'baseline', 'judged', 'budget', ''];
  const lines = rows.map((row) => [
    row.name,
    row.values.length === 0
      ? '–'
      : `${shown(median(row.values))} (${shown(Math.min(...row.values))}–${shown(Math.max(...row.values))}) ${row.unit}`,
    String(row.values.length),
    row.baseline === undefined ? '' : shown(row.baseline),
    row.judged === undefined ? '' : `${shown(row.judged)}${row.judgedAs ? ` ${row.judgedAs}` : ''}`,
    row.budget === undefined ? '' : `≤ ${shown(row.budget)}`,
    { true: 'ok', false: 'OVER', undefined: '' }[String(isWithin(row))] ?? '',
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const print = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const notes = rows.filter((row) => row.note).map((row) => `- ${row.name}: ${row.note ?? ''}`);
  return [print(head), widths.map((width) => '─'.repeat(width)).join('  '), ...lines.map(print), '', ...notes].join(
    '\n',
  );
}

function judgedOf(row: Row): number {
  return row.judged ?? median(row.values);
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toFixed(Math.abs(value) < 10 ? 2 : 1)));
}
