import SYSTEM from '../templates/commitMessage.md';
import { diffText, fileList, type FileDiff } from './commitDiff.js';
import { maskSecrets } from '../platform/maskSecrets.js';

/** Characters of a commit message: more is no message. */
const MAX_MESSAGE = 4_000;
/** Characters of the first line, and of each line below it. */
const MAX_SUBJECT = 72;
/** Characters of diff that are sent at most, however large the model's window is. */
const MAX_DIFF = 60_000;
/** Characters of what the person wrote already, of one earlier subject, and of the advice. */
const MAX_HINT = 2_000;
const MAX_EARLIER = 200;
const MAX_ADVICE = 6_000;

/** What a commit message is made from. */
export interface CommitFacts {
  files: readonly FileDiff[];
  /** Whether the files are staged, or everything that has changed. */
  staged: boolean;
  branch: string | undefined;
  /** First lines of the newest commits, newest first. */
  subjects: readonly string[];
  /** What stands in the box already. */
  hint: string;
}

/** The instructions; `advice` is the text of the skill for commits, if there is one. */
export function commitSystem(advice: string): string {
  const rules = SYSTEM.trim();
  return advice.trim() === '' ? rules : `${rules}\n\n## Advice\n\n${advice.trim().slice(0, MAX_ADVICE)}`;
}

/** The question, in at most `room` characters where the names of the files leave so much. */
export function commitPrompt(facts: CommitFacts, room: number): string {
  const { files, staged, branch, subjects, hint } = facts;
  const parts = [
    `[Commit message] ${staged ? 'These changes are staged.' : 'Nothing is staged: these are all changes.'}`,
    ...(branch === undefined ? [] : [`Branch: ${branch}`]),
    subjects.length === 0
      ? 'There are no earlier commits.'
      : `Earlier commits, newest first:\n${subjects.map((line) => `- ${line.slice(0, MAX_EARLIER)}`).join('\n')}`,
    ...(hint.trim() === '' ? [] : [`The person wrote already:\n${hint.trim().slice(0, MAX_HINT)}`]),
    `<files>\n${fileList(files)}\n</files>`,
  ].map(maskSecrets);
  const used = parts.reduce((sum, part) => sum + part.length + 2, 0);
  const diff = diffText(files, Math.max(0, Math.min(MAX_DIFF, room - used - 20)));
  return [...parts, `<diff>\n${diff}\n</diff>`].join('\n\n');
}

/**
 * The message in a model's answer: without thoughts, fences, quotation marks and words around it, the first line at most 72 characters, a longer one
 * goes on in the body, whose lines are wrapped. Empty where there is none.
 */
export function cleanMessage(answer: string): string {
  const text = withoutFrame(
    answer
      .replace(/<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/gi, '')
      .replaceAll('\r\n', '\n')
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
      .slice(0, MAX_MESSAGE * 2)
      .trim(),
  );
  const [first = '', ...rest] = text.split('\n');
  const { subject, over } = cutSubject(withoutFullStop(first.replace(/^#+\s+/, '').trim()));
  const body = [...(over === '' ? [] : [over, '']), ...rest]
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return (body === '' ? subject : `${subject}\n\n${wrapped(body)}`).slice(0, MAX_MESSAGE).trim();
}

/** What some models put around a message: an introduction, a fence, quotation marks, a title. */
function withoutFrame(text: string): string {
  const fenced = /```[\w-]*\n([\s\S]*?)\n?```/.exec(text);
  const inner = (fenced?.[1] ?? text).trim();
  const bare = inner
    .replace(/^(?:sure|okay|certainly|of course|here(?:'s| is))\b[^\n]*:\s*\n+/i, '')
    .replace(/^(?:\*\*)?(?:commit message|message|提交信息)(?:\*\*)?\s*[:：](?:\*\*)?\s*/i, '')
    .trim();
  const quoted = /^(["'`“«])([\s\S]+)(["'`”»])$/.exec(bare);
  const isOneQuote = quoted !== null && !(quoted[2] ?? '').includes(quoted[1] ?? '');
  return isOneQuote ? (quoted[2] ?? '').trim() : bare;
}

function withoutFullStop(line: string): string {
  return /[^.]\.$/.test(line) ? line.slice(0, -1) : line.replace(/。$/, '');
}

/** Breaks at a word; a line without one is cut. */
function cutSubject(line: string): { subject: string; over: string } {
  if (line.length <= MAX_SUBJECT) return { subject: line, over: '' };
  const space = line.lastIndexOf(' ', MAX_SUBJECT - 1);
  const at = space > MAX_SUBJECT / 2 ? space : MAX_SUBJECT - 1;
  return { subject: `${line.slice(0, at).trimEnd()}…`, over: `…${line.slice(at).trimStart()}` };
}

/** Wraps prose at 72 characters; a list's lines go on indented, and what has no spaces stays as it is. */
function wrapped(body: string): string {
  return body
    .split('\n')
    .flatMap((line) => wrapLine(line.trimEnd()))
    .join('\n');
}

function wrapLine(line: string): string[] {
  if (line.length <= MAX_SUBJECT) return [line];
  const indent = ' '.repeat(/^\s*(?:[-*]\s+|\d+[.)]\s+)?/.exec(line)?.[0].length ?? 0);
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<=\S)\s+/)) {
    if (current === '') current = word;
    else if (current.length + 1 + word.length <= MAX_SUBJECT) current += ` ${word}`;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current];
}
