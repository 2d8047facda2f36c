import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/platform/plainText.js';

const FOLDER = join(import.meta.dirname, '../../../src/vscode');
const SHOWS = /^show(Information|Warning|Error)Message$/;

/** Calls that show a notification with words that may hold more than our own, and do not pass them through `plain`. */
function unguarded(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(FOLDER, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && SHOWS.test(node.name.text)) {
      const isGuarded = ts.isCallExpression(node.parent) && isSafe(node.parent.arguments);
      if (!isGuarded) found.push(`${file}: ${node.parent.getText().slice(0, 80)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isSafe([words, options]: readonly ts.Expression[]): boolean {
  // A dialog makes no links.
  const isDialog = options && ts.isObjectLiteralExpression(options) && /\bmodal: true\b/.test(options.getText());
  return words !== undefined && (isDialog === true || isOurs(words));
}

function isOurs(words: ts.Expression): boolean {
  if (ts.isConditionalExpression(words)) return isOurs(words.whenTrue) && isOurs(words.whenFalse);
  if (ts.isCallExpression(words)) return words.expression.getText() === 'plain';
  return ts.isStringLiteralLike(words);
}

describe('notifications', () => {
  it('make no links of what a model, an endpoint or a page wrote', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.flatMap(unguarded)).toEqual([]);
  });

  it.each(['[Docs](command:nanobot.newChat)', '[a](b) and [c](https://d.test "e")', 'f[0](1)'])(
    'show a link as it is written: %s',
    (text) => {
      const shown = plain(text);
      expect(shown).not.toContain('](');
      expect(shown.replaceAll('] (', '](')).toBe(text);
    },
  );
});
