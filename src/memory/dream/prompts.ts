import { shorten } from '../../runner/toolCalls.js';
import type { Rejection } from '../undone.js';
import { lineOf, type Finding } from './findings.js';

/** Characters of MEMORY.md from which on Dream is told to condense it. */
export const CONDENSE_FROM = 12_000;
/** Characters of one file that stand in a prompt. */
const MAX_FILE = 24_000;
/** Rejections and skills that stand in a prompt; the newest, and the first by name. */
const MAX_REJECTIONS = 50;
const MAX_SKILLS = 100;

/** A file as a prompt shows it. */
export interface ShownFile {
  path: string;
  text: string;
}

export interface SkillLine {
  name: string;
  description: string;
}

/** What the first phase is told beside its instructions. */
export function readingWords(about: {
  today: string;
  files: readonly ShownFile[];
  skills: readonly SkillLine[];
  rejections: readonly Rejection[];
  entries: string;
}): string {
  const { today, files, skills, rejections, entries } = about;
  return [
    `Today is ${today}.`,
    '## What is remembered already',
    ...files.map(fileText),
    ...condenseText(files, 'say which lines of it can go or be said in one line'),
    skillsText(skills),
    ...rejectionsText(rejections),
    '## Entries to go through, oldest first',
    entries,
  ].join('\n\n');
}

/** What the second phase is told beside its instructions. */
export function editingWords(about: {
  today: string;
  files: readonly ShownFile[];
  skills: readonly SkillLine[];
  findings: readonly Finding[];
  projects: readonly string[];
}): string {
  const { today, files, skills, findings, projects } = about;
  return [
    `Today is ${today}.`,
    '## Findings',
    findings.map(lineOf).join('\n'),
    ...(projects.length > 0
      ? [
          `Headings of the projects these findings can be about: ${projects.map((name) => `"## Project: ${name}"`).join(', ')}.`,
        ]
      : []),
    '## The files as they are now',
    ...files.map(fileText),
    ...condenseText(files, 'shorten it with these edits: say in one line what takes several, leave out what is stale'),
    skillsText(skills),
  ].join('\n\n');
}

function fileText({ path, text }: ShownFile): string {
  const cut = text.length > MAX_FILE ? ', shown by its beginning and end: read_file shows the rest' : '';
  return `<file path="${path}" characters="${String(text.length)}"${cut}>\n${shorten(text.replaceAll('\r\n', '\n').trimEnd(), MAX_FILE)}\n</file>`;
}

function condenseText(files: readonly ShownFile[], how: string): string[] {
  const long = files.find(({ path, text }) => path === 'memory/MEMORY.md' && text.length > CONDENSE_FROM);
  if (!long) return [];
  return [
    `${long.path} has ${String(long.text.length)} characters, more than the ${String(CONDENSE_FROM)} it should have: ${how}.`,
  ];
}

function skillsText(skills: readonly SkillLine[]): string {
  if (skills.length === 0) return 'There are no skills yet.';
  const lines = skills.slice(0, MAX_SKILLS).map(({ name, description }) => `- ${name}: ${shorten(description, 200)}`);
  return ['## Skills there are', ...lines].join('\n');
}

function rejectionsText(rejections: readonly Rejection[]): string[] {
  if (rejections.length === 0) return [];
  const lines = rejections.slice(-MAX_REJECTIONS).flatMap(({ file, lines: added, removed, cursors }) => {
    const until = cursors.length > 0 ? `, made of entries up to ${String(Math.max(...cursors))}` : '';
    return [
      ...added.map((line) => `- must not come back to ${file}: ${JSON.stringify(shorten(line, 300))}${until}`),
      ...removed.map((line) => `- must not be taken out of ${file}: ${JSON.stringify(shorten(line, 300))}${until}`),
    ];
  });
  return [
    [
      '## What the person undid',
      'The person rejected these; bring them back only if newer entries say so.',
      ...lines,
    ].join('\n'),
  ];
}
