import { t } from '@vscode/l10n';
import { join } from 'node:path';
import type { Files } from '../platform/ports.js';
import TEMPLATE from '../templates/newSkill.md';
import { isSkillName, MAX_NAME } from './manifest.js';

/** Why a text is no name for a skill, as words; undefined where it is one. */
export function nameProblem(name: string): string | undefined {
  if (isSkillName(name)) return undefined;
  if (name.length > MAX_NAME) return t('A name has at most {0} characters.', MAX_NAME);
  return t('Use small letters a-z, digits and single hyphens between them, such as release-notes.');
}

/**
 * Writes a new skill from the template into a folder of skills; resolves with its SKILL.md. Throws in words where the name is none, or something
 * of that name is there: nothing is ever written over.
 */
export async function createSkill(
  files: Pick<Files, 'stat' | 'createExclusive'>,
  folder: string,
  { name, purpose }: { name: string; purpose: string },
): Promise<string> {
  const problem = nameProblem(name);
  if (problem) throw new Error(t('"{0}" is no name for a skill. {1}', name, problem));
  const path = join(folder, name, 'SKILL.md');
  const taken =
    (await files.stat(join(folder, name))) || !(await files.createExclusive(path, skillFrom(name, purpose)));
  if (taken)
    throw new Error(t('There is something named {0} in {1} already. Open that, or choose another name.', name, folder));
  return path;
}

function skillFrom(name: string, purpose: string): string {
  const plain = purpose.replace(/\s+/g, ' ').trim();
  const when =
    plain === '' ? 'Say when to use this, in the words a person would use.' : `When the person asks for this: ${plain}`;
  const description = `Use when the person asks for this: ${plain === '' ? 'say what, in one sentence' : plain}`;
  const values: Record<string, string> = {
    name,
    // JSON's escapes are those of YAML's double quotes.
    description: JSON.stringify(description).slice(1, -1),
    title: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' '),
    when,
  };
  return TEMPLATE.replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? '');
}
