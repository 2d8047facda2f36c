import { t } from '@vscode/l10n';

/** The files Dream may change, by their paths below the home. */
export const MEMORY_FILES = ['SOUL.md', 'USER.md', 'memory/MEMORY.md'] as const;
export type MemoryFile = (typeof MEMORY_FILES)[number];

/** One thing the first phase found. `file` is absent where it left to the second phase which file it belongs to. */
export type Finding =
  | { kind: 'add' | 'remove'; file?: MemoryFile; text: string }
  /** `name` is kebab-case, `text` the description. */
  | { kind: 'skill'; name: string; text: string };

/** What an answer of the first phase came to. */
export type Findings =
  { kind: 'findings'; findings: Finding[] } | { kind: 'skip' } | { kind: 'unusable'; reason: string };

/** More than this for one batch is no summary but a model that runs on. */
export const MAX_FINDINGS = 100;
/** Characters of one finding; a fact is a sentence. */
const MAX_TEXT = 600;
/** Other lines that an answer may have besides, such as a word of introduction: so many, and so many more for each finding. */
const STRAY_LINES = 6;
const STRAY_PER_FINDING = 1;

const FILES: Record<string, MemoryFile | undefined> = {
  SOUL: 'SOUL.md',
  USER: 'USER.md',
  MEMORY: 'memory/MEMORY.md',
};

/** Bullets, numbers, emphasis and code marks that models put around a line. */
const BEFORE = String.raw`^\s*(?:[-*•]\s+|\d+[.)]\s+)?[*_\x60]*`;
const LINE = new RegExp(`${BEFORE}\\[(SOUL|USER|MEMORY|FILE)(?:\\.md)?(-REMOVE)?\\][*_\x60]*\\s*:?\\s*(.*)$`, 'i');
const SKILL = new RegExp(
  `${BEFORE}\\[SKILL\\][*_\x60]*\\s*:?\\s*[*_\x60]*([^\\s:：\x60*]+)[*_\x60]*\\s*[:：]\\s*(.*)$`,
  'i',
);
const SKIP = new RegExp(`${BEFORE}\\[SKIP\\]`, 'i');
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/**
 * Reads the first phase's answer: one finding a line. What is no such line (prose, an error page, nothing at all) or far too many of them
 * makes the answer unusable; single lines that do not fit are passed over. The same finding twice counts once.
 */
export function parseFindings(answer: string): Findings {
  const lines = answer.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^\s*```/.test(line));
  if (lines.length === 0) return { kind: 'unusable', reason: t('the answer was empty') };
  const found = new Map<string, Finding>();
  let stray = 0;
  let skip = false;
  for (const line of lines) {
    const finding = findingIn(line);
    if (finding) found.set(keyOf(finding), found.get(keyOf(finding)) ?? finding);
    else if (SKIP.test(line)) skip = true;
    else stray++;
  }
  const findings = [...found.values()];
  if (findings.length > MAX_FINDINGS) {
    return {
      kind: 'unusable',
      reason: t('it listed {0} findings, far more than such a batch holds', findings.length),
    };
  }
  if (stray > STRAY_LINES + findings.length * STRAY_PER_FINDING || (findings.length === 0 && !skip)) {
    return { kind: 'unusable', reason: t('it was not a list of findings but text ("{0}")', excerpt(lines)) };
  }
  return findings.length > 0 ? { kind: 'findings', findings } : { kind: 'skip' };
}

/** A finding as the line that says it, for the second phase. */
export function lineOf(finding: Finding): string {
  if (finding.kind === 'skill') return `[SKILL] ${finding.name}: ${finding.text}`;
  const name = finding.file?.replace(/^memory\/|\.md$/g, '') ?? 'FILE';
  return `[${name}${finding.kind === 'remove' ? '-REMOVE' : ''}] ${finding.text}`;
}

function findingIn(line: string): Finding | undefined {
  const skill = SKILL.exec(line);
  if (skill) return skillIn(skill[1] ?? '', textIn(skill[2] ?? ''));
  const found = LINE.exec(line);
  const text = textIn(found?.[3] ?? '');
  if (!found || text === '') return undefined;
  const file = FILES[(found[1] ?? '').toUpperCase()];
  return { kind: found[2] ? 'remove' : 'add', ...(file ? { file } : {}), text };
}

function skillIn(name: string, text: string): Finding | undefined {
  const fits = SKILL_NAME.test(name) && name.length <= 64;
  return fits && text !== '' ? { kind: 'skill', name, text } : undefined;
}

/** Empty for what says nothing. */
function textIn(text: string): string {
  const trimmed = text.trim();
  if (!/[\p{L}\p{N}]/u.test(trimmed)) return '';
  return trimmed.length > MAX_TEXT ? `${trimmed.slice(0, MAX_TEXT - 1)}…` : trimmed;
}

function keyOf(finding: Finding): string {
  return lineOf(finding).toLowerCase().replace(/\s+/g, ' ');
}

function excerpt(lines: readonly string[]): string {
  const text = lines.join(' ').replace(/\s+/g, ' ').trim();
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
