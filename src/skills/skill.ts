import { t } from '@vscode/l10n';
import { english, translated, type Words } from '../platform/words.js';
import type { SkillNeeds } from './manifest.js';
import type { SkillProblem } from './frontmatter.js';

/** Where skills come from. The order of a list of sources is their precedence: of one name the first wins. */
export interface SkillSource {
  kind: 'workspace' | 'personal' | 'built-in';
  /** The folder that holds one folder for each skill. Absolute. */
  folder: string;
  /** For people: "workspace (.agents/skills)". */
  label: string;
  /** Skills must lie in this folder, links followed: a repository may not reach for the person's other files. */
  within?: string;
}

/** A skill of the same name that another one hides. */
export interface OverriddenSkill {
  source: SkillSource;
  path: string;
}

/** A skill as it stands now. */
export interface Skill {
  /** Its folder's name, by which it is called. */
  name: string;
  /** One line; never empty. */
  description: string;
  /** Its SKILL.md. Absolute. */
  path: string;
  folder: string;
  source: SkillSource;
  /** Its body stands in every prompt while its needs are met. */
  always: boolean;
  /** False where only a person may call for it. */
  modelMayUse: boolean;
  needs: SkillNeeds;
  /** Needs that are not met, as words: programs, variables, systems. */
  missing: string[];
  disabled: boolean;
  problems: SkillProblem[];
  /** Those of the same name in later sources, nearest first. */
  overrides: OverriddenSkill[];
  emoji: string;
  license: string;
  allowedTools: string[];
  /** The body of an always-skill, cut for the prompt; empty for all others. */
  body: string;
}

/** The group a skill stands in. */
export type SkillStatus = 'always' | 'available' | 'unavailable' | 'disabled';

/** What the groups of skills are called, in their order. */
export const STATUS_TITLES: Readonly<Record<SkillStatus, string>> = {
  get always() {
    return t('Always on');
  },
  get available() {
    return t('Available');
  },
  get unavailable() {
    return t('Unavailable');
  },
  get disabled() {
    return t('Disabled');
  },
};

/** Disabled counts before broken, broken before everything else. */
export function statusOf(skill: Skill): SkillStatus {
  if (skill.disabled) return 'disabled';
  if (skill.missing.length > 0 || errorOf(skill)) return 'unavailable';
  return skill.always ? 'always' : 'available';
}

/** What makes a skill unusable, if anything does. */
export function errorOf(skill: Skill): SkillProblem | undefined {
  return skill.problems.find(({ severity }) => severity === 'error');
}

/** Why a skill cannot be used, in a few words: "missing: gh". Undefined where it can. */
export function whyNot(skill: Skill, reader: 'person' | 'model' = 'person'): string | undefined {
  return whyNotWords(skill)?.(reader === 'person' ? translated : english);
}

function whyNotWords(skill: Skill): Words | undefined {
  if (skill.disabled) return (t) => t({ message: 'disabled', comment: 'a skill' });
  const error = errorOf(skill);
  if (error) return (t) => (t === english ? error.inEnglish : undefined) ?? error.message;
  return skill.missing.length > 0 ? (t) => t('missing: {0}', skill.missing.join(', ')) : undefined;
}
