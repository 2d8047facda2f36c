import { statusOf, type Skill } from './skill.js';

/** Characters of the bodies of always-skills that a prompt holds, all together. */
const MAX_ACTIVE = 48_000;
/** Characters of the list of skills that a prompt holds. */
const MAX_LIST = 24_000;
/** Characters of a description, from whole to none: the first length at which the list fits is taken for all. */
const CUTS = [1_024, 512, 256, 128, 64, 0];

const INTRODUCTION =
  'Recipes for kinds of work. Before a task that one of these fits, read its file with read_file and follow it. Paths in it are relative to its folder, which {baseDir} stands for. One with available="false" lacks what is missing; tell the person, or help to install it.';

/** The parts of the system prompt that skills make: those that are always active, whole, and the list of all others. Sorted by name. */
export function skillParts(skills: readonly Skill[]): string[] {
  return [activeText(skills), listText(skills)].filter((part) => part !== '');
}

function activeText(skills: readonly Skill[]): string {
  const active = skills.filter((skill) => statusOf(skill) === 'always' && skill.body !== '');
  if (active.length === 0) return '';
  let room = MAX_ACTIVE;
  const texts = active.map(({ name, body, path }) => {
    const fits = body.length <= room;
    if (fits) room -= body.length;
    return `## Skill: ${name}\n\n${fits ? body : `(too long to stand here as well: read it at ${path})`}`;
  });
  return ['# Active Skills', ...texts].join('\n\n');
}

function listText(skills: readonly Skill[]): string {
  const listed = skills.filter(({ modelMayUse }) => modelMayUse).filter((skill) => isListed(skill));
  if (listed.length === 0) return '';
  const whole = CUTS.map((cut) => listed.map((skill) => row(skill, cut))).find((rows) => lengthOf(rows) <= MAX_LIST);
  const rows = whole ?? namesThatFit(listed);
  const left = listed.length - rows.length;
  const more = left > 0 ? [`<more>${String(left)} more; list_dir of their folders shows them</more>`] : [];
  return ['# Skills', INTRODUCTION, ['<skills>', ...rows, ...more, '</skills>'].join('\n')].join('\n\n');
}

/** Those in the prompt already, switched off or broken are of no use to a model. */
function isListed(skill: Skill): boolean {
  const status = statusOf(skill);
  return status === 'available' || (status === 'unavailable' && skill.missing.length > 0);
}

function row(skill: Skill, cut: number): string {
  const { name, description, path, missing } = skill;
  const shown = description.length <= cut ? description : cut === 0 ? '' : `${description.slice(0, cut - 1)}…`;
  const needs = missing.length > 0 ? `<missing>${escaped(missing.join(', '))}</missing>` : '';
  const words = shown === '' ? '' : `<description>${escaped(shown)}</description>`;
  const available = String(missing.length === 0);
  return `<skill available="${available}"><name>${escaped(name)}</name>${words}<location>${escaped(path)}</location>${needs}</skill>`;
}

function namesThatFit(skills: readonly Skill[]): string[] {
  const rows: string[] = [];
  let length = 0;
  for (const skill of skills) {
    const next = row(skill, 0);
    length += next.length + 1;
    if (length > MAX_LIST) break;
    rows.push(next);
  }
  return rows;
}

function lengthOf(rows: readonly string[]): number {
  return rows.reduce((sum, text) => sum + text.length + 1, 0);
}

/** A description must not end its element. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
