import { join } from 'node:path';
import type { Files } from '../../platform/ports.js';
import { readFrontmatter } from '../../skills/frontmatter.js';
import type { SkillLine } from './prompts.js';

/** Bytes of a SKILL.md that are read for its head. */
const HEAD_BYTES = 8_192;
const MAX_SKILLS = 200;

/** The skills of the home by name, with what they say of themselves; one that cannot be read is listed by its name alone. */
export async function skillsOf(files: Files, home: string): Promise<SkillLine[]> {
  const folder = join(home, 'skills');
  const lines: SkillLine[] = [];
  for (const entry of (await files.list(folder)).slice(0, MAX_SKILLS)) {
    const path = join(folder, entry.name, 'SKILL.md');
    const stat = await files.stat(path).catch(() => undefined);
    if (stat?.type === 'file') lines.push({ name: entry.name, description: await descriptionIn(files, path) });
  }
  return lines;
}

async function descriptionIn(files: Files, path: string): Promise<string> {
  try {
    const head = await readFrontmatter(new TextDecoder().decode(await files.readRange(path, 0, HEAD_BYTES)));
    const description = 'data' in head ? head.data['description'] : undefined;
    return typeof description === 'string' ? description.replace(/\s+/g, ' ').trim() : '(its head cannot be read)';
  } catch {
    return '(it cannot be read)'; // Its name is what counts: nothing may be written over it.
  }
}
