/** An answer of about 24 KB as models write them: headings, prose, lists, code, a table, quotes. The same at every call. */
export function longAnswer(bytes = 24_000): string {
  const sections: string[] = [];
  for (let index = 1; sections.join('\n\n').length < bytes; index++) sections.push(section(index));
  return sections.join('\n\n').slice(0, bytes);
}

/** The text in pieces of a length that varies as a model's chunks do. */
export function deltasOf(text: string, count: number): string[] {
  const cuts = Array.from({ length: count - 1 }, (_, index) => {
    const even = ((index + 1) * text.length) / count;
    return Math.round(even + Math.sin(index * 7.3) * 12);
  });
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index] ?? text.length));
}

function section(index: number): string {
  return `## Part ${index}: what the service does

The **service** reads \`config/app-${index}.json\` at the start, checks every field and refuses what it does not know. A person who edits the file
while it runs sees the change at once, because a watcher tells the *loader*, which is in src/loader/watch-${index}.ts:${index * 3}, that something is new.

- it starts in under a second, measured on a small machine with two cores
- it **never** writes the file itself, see [the reasons](docs/reasons.md)
- it says what is wrong, where, and what to do:
  - a line and a column
  - the nearest name that would have been right
- [x] tested with ${index * 10} files

\`\`\`ts
export async function load(path: string, options: Options): Promise<Config> {
  const text = await readFile(path, 'utf8');
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(\`\${path}: \${parsed.error.message}\`);
  return { ...defaults, ...parsed.data, loadedAt: options.now() };
}
\`\`\`

| field | type | default | meaning |
| --- | --- | ---: | --- |
| \`port\` | number | ${8000 + index} | where it listens |
| \`host\` | string | 127.0.0.1 | which address it takes |
| \`retries\` | number | 3 | how often it tries again |

1. Read the file.
2. Check it against the schema, and say *all* that is wrong at once.
3. Merge it with the defaults.

> Whatever is not in the file keeps its default, so that a new version can add a field without breaking anyone.

More is at https://example.com/service/part-${index} for those who want it.`;
}
