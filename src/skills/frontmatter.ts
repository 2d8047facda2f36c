/** The head of a SKILL.md as it was read, and what follows it. */
export interface Frontmatter {
  data: Record<string, unknown>;
  body: string;
}

/**
 * Reads the YAML head of a skill. The library would run a head that is marked as JavaScript, so a mark of any language is refused before it is
 * asked, and every engine but YAML's throws. Never throws: what is wrong comes back as words.
 */
export async function readFrontmatter(text: string): Promise<Frontmatter | { problem: string }> {
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const first = plain.split('\n', 1)[0] ?? '';
  if (!first.startsWith('---')) return { problem: 'it does not begin with a YAML head between two lines of ---' };
  if (first.trimEnd() !== '---') {
    return { problem: `its first line is "${first.slice(0, 40)}": only --- may stand there, the head is always YAML` };
  }
  if (!/\n---[ \t]*(?:\n|$)/.test(plain.slice(3))) return { problem: 'its YAML head is not closed by a line of ---' };
  const { default: matter } = await import('gray-matter');
  const refuse = (): never => {
    throw new Error('only YAML is read');
  };
  try {
    const file = matter(plain, {
      language: 'yaml',
      engines: { javascript: refuse, js: refuse, json: refuse, coffee: refuse, coffeescript: refuse, cson: refuse },
    });
    const data: unknown = file.data;
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return { problem: 'its YAML head is not a list of names with values' };
    }
    return { data: data as Record<string, unknown>, body: file.content };
  } catch (cause) {
    return {
      problem: `its YAML head cannot be read (${cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause)})`,
    };
  }
}
