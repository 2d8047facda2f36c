import ts from 'typescript';
import { codeFiles, parseSource } from './sourceFiles.js';

/** A call of `t` in the sources. */
export interface TranslatedText {
  /** What the bundles know it by: the text, with ` /` and the comments where it has some. */
  key: string;
  message: string;
  /** `src/app.ts:12`. */
  place: string;
  /** It runs when the module is loaded, before the language is known. */
  isTooEarly: boolean;
}

/** A word of ours that would be shown as it is written. */
export interface BareText {
  place: string;
  text: string;
}

const SHOWN_BY = new Set([
  'showInformationMessage',
  'showWarningMessage',
  'showErrorMessage',
  'showNotice',
  'setStatusBarMessage',
]);
const SHOWN_AS = new Set([
  'title',
  'placeHolder',
  'placeholder',
  'prompt',
  'label',
  'description',
  'detail',
  'tooltip',
  'openLabel',
  'saveLabel',
  'accessibilityInformation',
]);

/** Every `t(…)` below these folders. Throws where what is to be translated is no literal: it could not be found. */
export function translatedTexts(...folders: string[]): TranslatedText[] {
  return folders.flatMap(codeFiles).flatMap((path) => {
    const found: TranslatedText[] = [];
    const file = parseSource(path);
    const visit = (node: ts.Node, inFunction: boolean): void => {
      if (isTranslation(node)) {
        const place = placeOf(file, node);
        found.push({ ...keyOf(node, place), place, isTooEarly: !inFunction });
      }
      ts.forEachChild(node, (child) => {
        visit(child, inFunction || ts.isFunctionLike(node));
      });
    };
    visit(file, false);
    return found;
  });
}

/** What the sources below a folder give VS Code to show without `t`: arguments of its messages and properties of its items. */
export function bareTexts(folder: string): BareText[] {
  return codeFiles(folder).flatMap((path) => {
    const found: BareText[] = [];
    const file = parseSource(path);
    const look = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) return;
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
        if (/\p{L}{2}/u.test(node.text.replace(/\$\([\w~-]+\)|Nanobot|Dream|^auto$|nanobot\.[\w.]+|https?:\S+/g, '')))
          found.push({ place: placeOf(file, node), text: node.text });
        return;
      }
      if (ts.isConditionalExpression(node)) {
        look(node.whenTrue);
        look(node.whenFalse);
      } else if (ts.isTemplateExpression(node)) {
        look(node.head);
        for (const span of node.templateSpans) {
          look(span.expression);
          look(span.literal);
        }
      } else if (ts.isParenthesizedExpression(node)) look(node.expression);
      else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(look);
      else if (ts.isBinaryExpression(node) && node.operatorToken.kind !== ts.SyntaxKind.EqualsEqualsEqualsToken) {
        look(node.left);
        look(node.right);
      }
    };
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && SHOWN_BY.has(nameOf(node.expression))) node.arguments.forEach(look);
      if (ts.isPropertyAssignment(node) && SHOWN_AS.has(node.name.getText(file))) look(node.initializer);
      if (
        ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        ts.isPropertyAccessExpression(node.left) &&
        SHOWN_AS.has(node.left.name.text)
      )
        look(node.right);
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}

/** The `{…}` of a text, in order of their names. */
export function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort();
}

function isTranslation(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 't';
}

function keyOf(call: ts.CallExpression, place: string): { key: string; message: string } {
  const [first] = call.arguments;
  if (first && ts.isStringLiteralLike(first)) return { key: first.text, message: first.text };
  if (first && ts.isObjectLiteralExpression(first)) {
    const literal = (name: string) => {
      const property = first.properties.find((one) => ts.isPropertyAssignment(one) && one.name.getText() === name);
      const value = property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
      return value && ts.isStringLiteralLike(value) ? value.text : undefined;
    };
    const message = literal('message');
    const comment = literal('comment');
    if (message !== undefined && comment !== undefined) return { key: `${message}/${comment}`, message };
  }
  throw new Error(`${place}: t(…) takes a literal, or { message, comment } of literals.`);
}

function nameOf(callee: ts.Expression): string {
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
}

function placeOf(file: ts.SourceFile, node: ts.Node): string {
  return `${file.fileName}:${String(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)}`;
}
