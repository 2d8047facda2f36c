import { notebookLanguage } from '../../platform/notebookLanguage.js';

/**
 * Changes of single cells in the text of a Jupyter notebook. Everything that is not touched keeps its bytes: indentation, order of keys, numbers as
 * they were written. The form is that of nbformat 4.
 */

export type CellType = 'code' | 'markdown';

/** What a new or changed cell is to be. What is undefined stays as it is; a new cell is code in the notebook's language. */
export interface CellContent {
  source: string;
  type?: CellType | undefined;
  language?: string | undefined;
}

/** A cell as it stands. */
export interface NotebookCell {
  type: string;
  source: string;
  language: string;
  hasOutputs: boolean;
}

interface Span {
  start: number;
  end: number;
}

interface Json {
  cell_type?: unknown;
  source?: unknown;
  id?: unknown;
  outputs?: unknown;
  metadata?: { vscode?: { languageId?: unknown } } & Record<string, unknown>;
  [key: string]: unknown;
}

/** One notebook's text with the places of its cells. Each change gives a new text and leaves this one as it is. */
export class NotebookJson {
  readonly cells: readonly NotebookCell[];

  private constructor(
    private readonly text: string,
    private readonly array: Span,
    private readonly spans: readonly Span[],
    private readonly raw: readonly Json[],
    private readonly language: string,
    private readonly wantsIds: boolean,
  ) {
    this.cells = raw.map((cell) => ({
      type: String(cell.cell_type),
      source: joined(cell.source),
      language: languageOf(cell) ?? language,
      hasOutputs: Array.isArray(cell.outputs) && cell.outputs.length > 0,
    }));
  }

  /** Undefined for a text that is no notebook with a list of cells, as those before nbformat 4 are. */
  static parse(text: string): NotebookJson | undefined {
    let whole: unknown;
    try {
      whole = JSON.parse(text);
    } catch {
      // Not JSON: the caller says so.
      return undefined;
    }
    if (!isObject(whole) || !Array.isArray(whole['cells']) || !whole['cells'].every(isObject)) return undefined;
    const raw = whole['cells'] as Json[];
    const array = membersOf(text, skipBlank(text, 0)).get('cells');
    if (!array) return undefined;
    const wantsIds =
      Number(whole['nbformat']) > 4 || (Number(whole['nbformat']) === 4 && Number(whole['nbformat_minor']) >= 5);
    const spans = elementsOf(text, array.start);
    return new NotebookJson(text, array, spans, raw, notebookLanguage(whole['metadata']), wantsIds);
  }

  /** With another source; metadata stay, and so do outputs unless the type changes. */
  replace(index: number, { source, type, language }: CellContent): string {
    const [span, cell] = [this.spans[index], this.raw[index]];
    if (!span || !cell) throw new RangeError(`no cell ${index}`);
    const same = (type ?? cell.cell_type) === cell.cell_type;
    const place = membersOf(this.text, span.start).get('source');
    if (same && language === undefined && place) {
      const asText = typeof cell.source === 'string';
      return this.splice(place, asText ? source : linesOf(source));
    }
    const rest = same ? cell : withoutCodeParts(cell);
    return this.splice(span, this.made({ ...rest, metadata: cell.metadata ?? {} }, { source, type, language }));
  }

  /** A new cell that gets this number; the number of cells puts it at the end. */
  insert(index: number, content: CellContent, newId: () => string): string {
    const cell = this.made(this.wantsIds ? { id: newId() } : {}, content);
    const next = this.spans[index];
    if (next) return this.splice({ start: next.start, end: next.start }, cell, `,${this.gap(next.start)}`);
    const last = this.spans.at(-1);
    if (last) {
      const gap = this.gap(last.start);
      const [head, tail] = [this.text.slice(0, last.end), this.text.slice(last.end)];
      return `${head},${gap}${this.written(cell, this.indentAt(last.start))}${tail}`;
    }
    const outer = this.indentAt(this.array.start);
    const gap = this.unit === '' ? '' : `${this.lineEnd}${outer}${this.unit}`;
    const end = this.unit === '' ? '' : `${this.lineEnd}${outer}`;
    const body = `[${gap}${this.written(cell, outer + this.unit)}${end}]`;
    return this.text.slice(0, this.array.start) + body + this.text.slice(this.array.end);
  }

  delete(index: number): string {
    const [before, span, next] = [this.spans[index - 1], this.spans[index], this.spans[index + 1]];
    if (!span) throw new RangeError(`no cell ${index}`);
    if (next) return this.text.slice(0, span.start) + this.text.slice(next.start);
    if (before) return this.text.slice(0, before.end) + this.text.slice(span.end);
    return `${this.text.slice(0, this.array.start)}[]${this.text.slice(this.array.end)}`;
  }

  /** A cell with its keys in the order in which Jupyter writes them. */
  private made(from: Json, { source, type, language }: CellContent): Json {
    const kind = type ?? (typeof from.cell_type === 'string' ? from.cell_type : 'code');
    const known = from.metadata ?? {};
    const metadata = language === undefined || kind !== 'code' ? known : this.withLanguage(known, language);
    const code = kind === 'code' ? { execution_count: null, outputs: [] } : {};
    const cell: Json = { ...code, ...from, cell_type: kind, metadata, source: linesOf(source) };
    return Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The notebook's own language is that of a cell which names none. */
  private withLanguage(metadata: NonNullable<Json['metadata']>, language: string): NonNullable<Json['metadata']> {
    if (language !== this.language) return { ...metadata, vscode: { ...metadata.vscode, languageId: language } };
    const { vscode, ...rest } = metadata;
    const { languageId: _own, ...others } = vscode ?? {};
    return Object.keys(others).length === 0 ? rest : { ...rest, vscode: others };
  }

  private splice({ start, end }: Span, value: unknown, after = ''): string {
    return this.text.slice(0, start) + this.written(value, this.indentAt(start)) + after + this.text.slice(end);
  }

  private written(value: unknown, indent: string): string {
    if (this.unit === '') return JSON.stringify(value);
    return JSON.stringify(value, null, this.unit).replaceAll('\n', this.lineEnd + indent);
  }

  /** What stands between two elements. */
  private gap(start: number): string {
    return this.unit === '' ? ' ' : this.lineEnd + this.indentAt(start);
  }

  private indentAt(at: number): string {
    const line = this.text.slice(this.text.lastIndexOf('\n', at - 1) + 1, at);
    return /^[ \t]*/.exec(line)?.[0] ?? '';
  }

  /** One step of indentation; empty where the notebook is written in one line. */
  private get unit(): string {
    return /^\s*\{\r?\n([ \t]*)"/.exec(this.text)?.[1] ?? '';
  }

  private get lineEnd(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n';
  }
}

/** A source as Jupyter keeps it: its lines, each but the last with its end. */
function linesOf(source: string): string[] {
  return source === '' ? [] : source.split(/(?<=\n)/);
}

/** What a cell of another type has no place for. */
function withoutCodeParts({ outputs: _outputs, execution_count: _count, ...rest }: Json): Json {
  return rest;
}

function joined(source: unknown): string {
  return Array.isArray(source) ? source.join('') : typeof source === 'string' ? source : '';
}

function languageOf(cell: Json): string | undefined {
  const language = cell.metadata?.vscode?.languageId;
  return typeof language === 'string' ? language : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of an object in a valid JSON text, by key. Of a key that stands twice the last counts, as for JSON.parse. */
function membersOf(text: string, start: number): Map<string, Span> {
  const members = new Map<string, Span>();
  let at = skipBlank(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const value = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const end = endOfValue(text, value);
    members.set(key, { start: value, end });
    at = skipComma(text, end);
  }
  return members;
}

function elementsOf(text: string, start: number): Span[] {
  const elements: Span[] = [];
  let at = skipBlank(text, start + 1);
  while (text[at] !== ']') {
    const end = endOfValue(text, at);
    elements.push({ start: at, end });
    at = skipComma(text, end);
  }
  return elements;
}

function skipComma(text: string, at: number): number {
  const next = skipBlank(text, at);
  return text[next] === ',' ? skipBlank(text, next + 1) : next;
}

function skipBlank(text: string, at: number): number {
  let next = at;
  while (' \t\r\n'.includes(text[next] ?? 'x')) next++;
  return next;
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  if (text[start] !== '{' && text[start] !== '[') {
    let end = start;
    while (!' \t\r\n,]}'.includes(text[end] ?? ',')) end++;
    return end;
  }
  let depth = 0;
  for (let at = start; ; at++) {
    const letter = text[at];
    if (letter === '"') at = endOfString(text, at) - 1;
    else if (letter === '{' || letter === '[') depth++;
    else if ((letter === '}' || letter === ']') && --depth === 0) return at + 1;
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
