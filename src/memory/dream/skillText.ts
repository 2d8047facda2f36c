import { readFrontmatter } from '../../skills/frontmatter.js';

/** Words a skill may have, and characters of its description. */
export const MAX_SKILL_WORDS = 2_000;
const MAX_DESCRIPTION = 1_024;

/**
 * What is wrong with a skill that Dream wants to write, as words for the model; undefined where nothing is. Its head holds a name, the same as
 * its folder, and a description, and nothing else: nothing that Dream writes may put itself into every prompt or allow itself tools.
 */
export async function skillProblem(name: string, text: string): Promise<string | undefined> {
  const read = await readFrontmatter(text);
  if ('problem' in read) return `This is no valid skill: ${read.problem}.`;
  const { data, body, warnings } = read;
  if (warnings.length > 0) return 'Its head cannot be read as YAML: put texts that hold a colon in double quotes.';
  const others = Object.keys(data).filter((key) => key !== 'name' && key !== 'description');
  if (others.length > 0)
    return `The head of a skill that Dream writes has name and description only, not ${others.join(', ')}.`;
  if (data['name'] !== name) return `The head must say name: ${name}, as its folder is called.`;
  const description = data['description'];
  if (typeof description !== 'string' || description.trim() === '')
    return 'The head has no description that is a text.';
  if (description.length > MAX_DESCRIPTION) {
    return `The description has ${String(description.length)} characters; ${String(MAX_DESCRIPTION)} are allowed.`;
  }
  if (body.trim() === '')
    return 'There is nothing below the head: write when to use it, the steps, the form of the result, one example.';
  const words = wordCount(body);
  if (words >= MAX_SKILL_WORDS)
    return `It has ${String(words)} words; it must have fewer than ${String(MAX_SKILL_WORDS)}.`;
  return undefined;
}

/** Words as a person counts them; in scripts written without spaces two letters count as one. */
function wordCount(text: string): number {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  const others =
    text.match(/[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu)?.length ?? 0;
  return others + Math.ceil(wide / 2);
}
