/** What VS Code shows of a manifest's settings, and of no other part of it. */
const SHOWN = new Set(['title', 'description', 'markdownDescription', 'enumDescriptions', 'markdownEnumDescriptions']);

/** Parts of a JSON schema's path that say nothing to a translator. */
const SILENT = new Set([
  ...['properties', 'additionalProperties', 'items', 'anyOf', 'description', 'markdownDescription'],
  ...['enumDescriptions', 'markdownEnumDescriptions'],
]);

/**
 * A part of a manifest with `%key%` in the place of every text that people read, and the texts by these keys, for package.nls.json. A key is `prefix`
 * and the way to the text.
 */
export function withKeys(part, prefix) {
  const texts = {};
  const visit = (value, path, shown) => {
    if (typeof value === 'string' && shown) {
      const way = path.filter((name) => !SILENT.has(name)).map((name) => name.replace(/^nanobot\./, ''));
      const key = [prefix, ...way].join('.');
      if (key in texts) throw new Error(`Two texts are called ${key}.`);
      texts[key] = value;
      return `%${key}%`;
    }
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, String(index)], shown));
    if (typeof value !== 'object' || value === null) return value;
    const isSchema = path.at(-1) !== 'properties';
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, visit(item, [...path, name], isSchema && SHOWN.has(name))]),
    );
  };
  return { part: visit(part, [], false), texts };
}
