import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A turn of a written conversation, as the fixtures in `test/fixtures/recall` hold it. */
export interface Turn {
  speaker: string;
  text: string;
  /** Local time as ISO 8601 without a zone. */
  time: string;
  /** Where it stands once written to a home. */
  file: string;
  line: number;
}

export interface Question {
  text: string;
  /** The turns that answer it. */
  wanted: Turn[];
}

export interface Corpus {
  turns: Turn[];
  questions: Question[];
  /** Session files by name, as text. */
  files: Map<string, string>;
}

/** What the ranking is steered by, what is kept aside from it, and the Chinese part. */
export type Part = 'tuned' | 'held' | 'chinese' | 'heldChinese';

/** Tests and benchmarks both run in the project's folder; the latter are bundled, so their own place says nothing. */
const folder = join(process.cwd(), 'test/fixtures/recall');

/** Reads the conversations of a part. */
export function readCorpus(part: Part): Corpus {
  const corpus: Corpus = { turns: [], questions: [], files: new Map() };
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.txt') || partOf(name) !== part) continue;
    readConversation(name.split('.')[0] ?? '', readFileSync(join(folder, name), 'utf8'), corpus);
  }
  return corpus;
}

/** Writes a corpus as the sessions of a home. */
export function writeHome(home: string, corpus: Corpus): void {
  mkdirSync(join(home, 'sessions'), { recursive: true });
  for (const [name, text] of corpus.files) writeFileSync(join(home, 'sessions', name), text);
}

/** The mean share of wanted turns among the first `count` found. `found` gives turns' places as `file:line`, best first. */
export function recallAt(
  count: number,
  questions: readonly Question[],
  found: ReadonlyMap<Question, string[]>,
): number {
  const shares = questions.map((question) => {
    const first = new Set((found.get(question) ?? []).slice(0, count));
    return question.wanted.filter((turn) => first.has(placeOf(turn))).length / question.wanted.length;
  });
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

export function placeOf(turn: Pick<Turn, 'file' | 'line'>): string {
  return `${turn.file}:${String(turn.line)}`;
}

function partOf(name: string): Part {
  const held = name.includes('.held.');
  return name.includes('.zh.') ? (held ? 'heldChinese' : 'chinese') : held ? 'held' : 'tuned';
}

function readConversation(name: string, text: string, corpus: Corpus): void {
  const speakers = new Map<string, string>();
  const labels = new Map<string, Turn>();
  const own: Turn[] = [];
  let byRole = false;
  let session = '';
  let time = 0;
  for (const line of text.split('\n')) {
    if (line.startsWith('speakers:')) {
      for (const pair of line.slice(9).trim().split(' '))
        speakers.set(pair.split('=')[0] ?? '', pair.split('=')[1] ?? '');
    } else if (line.startsWith('roles:')) byRole = true;
    else if (line.startsWith('== ')) {
      session = `${name}-${line.slice(3, 13)}.jsonl`;
      time = Date.parse(`${line.slice(3, 13)}T${line.slice(14, 19)}:00Z`);
      const metadata = { _type: 'metadata', key: session.slice(0, -6), metadata: {}, last_consolidated: 0 };
      corpus.files.set(session, `${JSON.stringify(metadata)}\n`);
    } else if (line.startsWith('? ')) corpus.questions.push(questionOf(line, labels, own));
    else if (line.trim() !== '') {
      const [, letter = '', label, said = ''] = /^(\S)(?:#(\w+))?: (.*)$/.exec(line) ?? [];
      const content = corpus.files.get(session) ?? '';
      const turn: Turn = {
        speaker: speakers.get(letter) ?? letter,
        text: said,
        time: new Date(time).toISOString().slice(0, 19),
        file: session,
        line: content.split('\n').length,
      };
      time += 60_000;
      if (label !== undefined) labels.set(label, turn);
      own.push(turn);
      corpus.turns.push(turn);
      corpus.files.set(session, `${content}${lineOf(turn, [...speakers.keys()].indexOf(letter), byRole)}\n`);
    }
  }
}

function lineOf(turn: Turn, place: number, byRole: boolean): string {
  const role = place === 0 ? 'user' : 'assistant';
  const content = byRole ? turn.text : `${turn.speaker}: ${turn.text}`;
  return JSON.stringify({ role, content, timestamp: turn.time });
}

function questionOf(line: string, labels: ReadonlyMap<string, Turn>, own: readonly Turn[]): Question {
  const [text = '', answers = ''] = line.slice(2).split(' => ');
  const wanted = answers.split(',').map((answer) => {
    const [, label = '', away = '0'] = /^\s*(\w+?)([+-]\d+)?\s*$/.exec(answer) ?? [];
    const labelled = labels.get(label);
    const turn = labelled && own[own.indexOf(labelled) + Number(away)];
    if (!turn) throw new Error(`No turn is called ${answer} in: ${line}`);
    return turn;
  });
  return { text, wanted };
}
