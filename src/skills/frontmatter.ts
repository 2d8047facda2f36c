import type { LoadOptions } from 'js-yaml';
import { english, translated, type Words } from '../platform/words.js';

/** Something about a SKILL.md that a person should know. */
export interface SkillProblem {
  /** `error`: the skill cannot be used. `warning`: it is used all the same. */
  severity: 'error' | 'warning';
  /** 1-based, in SKILL.md. */
  line: number;
  message: string;
  /** The message for the model, where that of the person is not in English. */
  inEnglish?: string;
}

export function problemOf(severity: SkillProblem['severity'], line: number, words: Words): SkillProblem {
  const [message, inEnglish] = [words(translated), words(english)];
  return { severity, line, message, ...(message === inEnglish ? {} : { inEnglish }) };
}

/** The head of a SKILL.md as it was read, and what follows it. */
export interface Frontmatter {
  /** Texts, lists and maps of them; null for what is empty. Dates and numbers are the texts that stand there. */
  data: Record<string, unknown>;
  body: string;
  /** The 1-based line of a top-level name of the head; 1 for one that is not there. */
  lineOf(key: string): number;
  /** What had to be guessed to read it. */
  warnings: SkillProblem[];
}

/** Why a head was not read. `missing`: there is none at all. */
export interface NoHead {
  problem: Words;
  /** 1-based. */
  line: number;
  missing?: true;
}

/** YAML whose every scalar is a text, whatever it looks like. Throws where it is none. */
export type YamlParse = (text: string) => unknown;

/** Top-level names whose text people write without quotes though it holds a colon. */
const PLAIN_TEXT = /^(name|description|license|compatibility):[ \t]+(?!["'|>!])(\S.*)$/;

/**
 * Reads the YAML head of a skill. The library would run a head that is marked as JavaScript, so a mark of any language is refused before it is
 * asked, and every engine but YAML's throws. Never throws: what is wrong comes back as words.
 */
export async function readHead(text: string): Promise<Frontmatter | NoHead> {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const wrong = headProblem(plain);
  if (wrong) return wrong;
  const [{ default: matter }, parse] = await Promise.all([import('gray-matter'), yamlParse()]);
  const refuse = (): never => {
    throw new Error('only YAML is read');
  };
  const read = (source: string): { data: unknown; content: string } =>
    matter(source, {
      language: 'yaml',
      engines: {
        yaml: (yaml: string) => parse(yaml) ?? {},
        ...{ javascript: refuse, js: refuse, json: refuse, coffee: refuse, coffeescript: refuse, cson: refuse },
      },
    });
  try {
    return frontmatterOf(read(plain), plain, []);
  } catch (cause) {
    const repaired = withQuotes(plain);
    const line = lineIn(cause);
    const problem: Words = (t) => t('its YAML head cannot be read ({0})', reasonOf(cause));
    if (repaired === plain) return { problem, line };
    try {
      const quotes = problemOf('warning', line, (t) =>
        t('Its YAML head is read as if its texts stood in quotes: put them in double quotes.'),
      );
      return frontmatterOf(read(repaired), plain, [quotes]);
    } catch {
      return { problem, line };
    }
  }
}

/** The same for the model: what is wrong is said in English. */
export async function readFrontmatter(
  text: string,
): Promise<Frontmatter | (Omit<NoHead, 'problem'> & { problem: string })> {
  const read = await readHead(text);
  return 'problem' in read ? { ...read, problem: read.problem(english) } : read;
}

/** The YAML parser, loaded at the first use. Numbers, dates and words such as `yes` stay texts, and no tag makes anything else of them. */
export async function yamlParse(): Promise<YamlParse> {
  const { FAILSAFE_SCHEMA, load } = await import('js-yaml');
  const options: LoadOptions = { schema: FAILSAFE_SCHEMA };
  return (text) => load(text, options);
}

function headProblem(plain: string): NoHead | undefined {
  const first = plain.split('\n', 1)[0] ?? '';
  if (!first.startsWith('---')) {
    return {
      problem: (t) => t('it does not begin with a YAML head between two lines of ---'),
      line: 1,
      missing: true,
    };
  }
  if (first.trimEnd() !== '---') {
    return {
      problem: (t) =>
        t('its first line is "{0}": only --- may stand there, the head is always YAML', first.slice(0, 40)),
      line: 1,
    };
  }
  const end = /\n---(.*)/.exec(plain.slice(3));
  if (!end) return { problem: (t) => t('its YAML head is not closed by a line of ---'), line: 1 };
  if ((end[1] ?? '').trim() === '') return undefined;
  const line = plain.slice(0, 3 + end.index + 1).split('\n').length;
  return {
    problem: (t) => t('line {0} of its YAML head begins with ---, which only its last line may', line),
    line,
  };
}

function frontmatterOf(
  { data, content }: { data: unknown; content: string },
  plain: string,
  warnings: SkillProblem[],
): Frontmatter | NoHead {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return { problem: (t) => t('its YAML head is not a list of names with values'), line: 2 };
  }
  const lines = plain.slice(0, plain.indexOf('\n---', 3)).split('\n');
  const lineOf = (key: string) => lines.findIndex((line) => line.replace(/["']/g, '').startsWith(`${key}:`)) + 1 || 1;
  return { data: data as Record<string, unknown>, body: content.replace(/^[ \t]+(?:\n|$)/, ''), lineOf, warnings };
}

/** The same file with the plain texts of its head in quotes, those that go on over indented lines made one. */
function withQuotes(plain: string): string {
  const end = plain.indexOf('\n---', 3);
  const lines = plain.slice(0, end).split('\n');
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const found = PLAIN_TEXT.exec(lines[at] ?? '');
    if (!found) {
      out.push(lines[at] ?? '');
      continue;
    }
    let value = found[2] ?? '';
    while (/^[ \t]+\S/.test(lines[at + 1] ?? '')) value += ` ${(lines[++at] ?? '').trim()}`;
    out.push(`${found[1] ?? ''}: ${JSON.stringify(value.trim())}`);
  }
  return out.join('\n') + plain.slice(end);
}

/** YAML errors count lines from 0, and what they are given begins behind the opening ---. */
function lineIn(cause: unknown): number {
  const mark = (cause as { mark?: { line?: unknown } }).mark;
  return typeof mark?.line === 'number' ? mark.line + 1 : 1;
}

function reasonOf(cause: unknown): string {
  const { reason, message } = cause as { reason?: unknown; message?: unknown };
  if (typeof reason === 'string' && reason !== '') return reason;
  return typeof message === 'string' ? (message.split('\n')[0] ?? '') : String(cause);
}
