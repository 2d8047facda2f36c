import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The built-in skill that says how skills are written, as the product ships it. */
export function skillGuide(): Promise<string> {
  return readFile(join(import.meta.dirname, '../../skills/skill-creator/SKILL.md'), 'utf8');
}
