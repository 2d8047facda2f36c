import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A JSON file at the root. */
export function rootJson(name: string): unknown {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

/** package.json as VS Code reads it in a language: each `%key%` is what this language's table says. Throws on a key that the table lacks. */
export function manifestIn(table: 'package.nls.json' | 'package.nls.zh-cn.json'): unknown {
  const texts = rootJson(table) as Record<string, string>;
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'), (_name, value: unknown) => {
    const [, key] = typeof value === 'string' ? (/^%([\w.-]+)%$/.exec(value) ?? []) : [];
    if (key === undefined) return value;
    if (!(key in texts)) throw new Error(`${table} has no ${key}.`);
    return texts[key];
  });
}
