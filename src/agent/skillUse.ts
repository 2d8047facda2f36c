import { t } from '@vscode/l10n';
import type { CommandItem } from '../protocol/wire.js';
import { closest } from '../platform/closest.js';
import { reasonOf } from '../platform/reason.js';
import { skillParts } from '../skills/promptText.js';
import { STATUS_TITLES, statusOf, whyNot, type Skill, type SkillStatus } from '../skills/skill.js';
import type { SkillTexts } from './context.js';
import type { Conversation } from './conversation.js';

/** Skills that one message loads at most. */
const MAX_ASKED = 3;
/** `/name` or `$name`, as a word of its own. */
const CALL = /(?:^|(?<=[\s(]))[/$]([a-z0-9][\w.-]*?)(?=$|[\s,;:!?)]|\.(?:\s|$))/gi;

/** What of the skills the agent needs. */
export interface SkillShelf {
  current(): Promise<readonly Skill[]>;
  list(): readonly Skill[];
  find(name: string): Promise<Skill | undefined>;
  body(skill: Skill): Promise<string>;
}

/** The texts that skills add to prompts and messages. The parts of the prompt are made once for each state of the skills. */
export function skillTexts(shelf: SkillShelf): SkillTexts {
  let made: { of: readonly Skill[]; parts: string[] } | undefined;
  return {
    parts: async () => {
      const skills = await shelf.current();
      if (made?.of !== skills) made = { of: skills, parts: skillParts(skills) };
      return made.parts;
    },
    asked: async (text) => {
      const names = namesIn(text);
      if (names.length === 0) return [];
      const skills = await shelf.current();
      const asked = names.flatMap((name) => skills.find((skill) => skill.name.toLowerCase() === name) ?? []);
      return Promise.all([...new Set(asked)].slice(0, MAX_ASKED).map((skill) => askedText(shelf, skill)));
    },
  };
}

/** Words that may be names of skills, in small letters. Most of them are none: a variable, a path, a price. */
function namesIn(text: string): string[] {
  return [...text.matchAll(CALL)].map((match) => (match[1] ?? '').toLowerCase());
}

/** A skill for one turn. What keeps it from being used is said in its place, so that the model does not guess. */
async function askedText(shelf: SkillShelf, skill: Skill): Promise<string> {
  const { name, folder } = skill;
  const why = whyNot(skill, 'model');
  if (why !== undefined) return `[Skill ${name}: the person asked for it, and it cannot be used now (${why}). Say so.]`;
  if (statusOf(skill) === 'always') return `[Skill ${name}: the person asked for it. It stands in your instructions.]`;
  try {
    const body = await shelf.body(skill);
    return `[Skill ${name}: the person asked for it, so follow it in this turn. Its folder is ${folder}]\n\n${body}\n\n[End of skill ${name}]`;
  } catch (cause) {
    const reason = reasonOf(cause);
    return `[Skill ${name}: the person asked for it, and it could not be read (${reason}). Say so.]`;
  }
}

/** Tells the person where a skill they call for cannot be used. */
export function noteUnusable(skill: Skill, conversation: Pick<Conversation, 'notice'>): void {
  const why = whyNot(skill);
  if (why === undefined) return;
  const next =
    statusOf(skill) === 'disabled'
      ? t(' Enable it in the Skills view, then send the message again.')
      : t(' The Skills view shows it; put that right, then send the message again.');
  conversation.notice('command', 'warning', t('The skill {0} cannot be used now ({1}).', skill.name, why) + next);
}

/** The skills in their groups, or everything about one of them, as lines for a person. */
export function skillLines(skills: readonly Skill[], name: string): string {
  if (name !== '') return aboutSkill(skills, name.replace(/^[/$]/, ''));
  if (skills.length === 0) return t('There are no skills. "Nanobot: New Skill" makes one.');
  const groups = (Object.keys(STATUS_TITLES) as SkillStatus[]).flatMap((status) => {
    const rows = skills.filter((skill) => statusOf(skill) === status).map(lineOf);
    return rows.length === 0 ? [] : [`${STATUS_TITLES[status]}:`, ...rows];
  });
  return [...groups, t('Use one with /name, or $name anywhere in a message.')].join('\n');
}

function lineOf(skill: Skill): string {
  const why = statusOf(skill) === 'unavailable' ? ` (${whyNot(skill) ?? ''})` : '';
  const words = skill.description.length > 100 ? `${skill.description.slice(0, 99)}…` : skill.description;
  return `/${skill.name}${why} – ${words}`;
}

function aboutSkill(skills: readonly Skill[], name: string): string {
  const skill = skills.find((other) => other.name.toLowerCase() === name.toLowerCase());
  if (!skill) {
    const near = closest(
      name,
      skills.map((other) => other.name),
    );
    return near.length > 0
      ? t('There is no skill {0}. Did you mean {1}?', name, near.join(t(' or ')))
      : t('There is no skill {0}. /skill lists them.', name);
  }
  const why = whyNot(skill);
  return [
    `${skill.name} – ${skill.description}`,
    `${STATUS_TITLES[statusOf(skill)]}${why === undefined || skill.disabled ? '' : ` (${why})`}, ${skill.source.label}: ${skill.path}`,
    ...skill.overrides.map(({ source, path }) => t('Overrides that of {0}: {1}', source.label, path)),
    ...skill.problems.map(({ line, message }) => t('Line {0}: {1}', line, message)),
  ].join('\n');
}

/** Skills that can be called for, for a completion list. */
export function skillItems(skills: readonly Skill[], taken: readonly CommandItem[]): CommandItem[] {
  const commands = new Set(taken.map(({ name }) => name));
  return skills
    .filter((skill) => whyNot(skill) === undefined && !commands.has(skill.name))
    .map(({ name, description }) => ({ name, description }));
}
