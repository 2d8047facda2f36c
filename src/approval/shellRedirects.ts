import { heredocDelimiter, heredocRange, type SyntaxNode } from './syntax.js';
import { literalWord, unknownWord, UnparsableError, type Redirection, type Word } from './shellTypes.js';

/** What the redirections of one command say. */
export interface RedirectParts {
  redirections: Redirection[];
  /** Words of the command that stand after a redirection: `git > file status`. */
  words: Word[];
  stdin: Word | null;
  /** Statements on the first line of a here-document: `cat <<EOF | sh`, `cat <<EOF && ls`. */
  rest: { operator: string; statement: SyntaxNode }[];
}

/** What reading a redirection needs of the reader of the line. */
export interface RedirectReader {
  words(node: SyntaxNode): Word[];
  substitutions(node: SyntaxNode): void;
  statement(type: string): boolean;
}

/** Reads redirections in the order they stand. Throws `UnparsableError` for what is not understood. */
export function redirectionsOf(nodes: readonly SyntaxNode[], source: string, reader: RedirectReader): RedirectParts {
  const parts: RedirectParts = { redirections: [], words: [], stdin: null, rest: [] };
  for (const node of nodes) {
    if (node.type === 'file_redirect') fileRedirect(node, parts, reader);
    else if (node.type === 'herestring_redirect') hereString(node, parts, reader);
    else if (node.type === 'heredoc_redirect') hereDocument(node, source, parts, reader);
    else throw new UnparsableError((t) => t('it holds something that is not understood ({0})', node.type));
  }
  return parts;
}

function fileRedirect(node: SyntaxNode, parts: RedirectParts, reader: RedirectReader): void {
  const operator = node.children.find((child) => !child.named)?.type ?? '';
  const [destination, ...extra] = node.children.filter((child) => child.named && child.type !== 'file_descriptor');
  for (const [index, each] of extra.entries()) {
    const before = index === 0 ? destination : extra[index - 1];
    if (before?.end === each.start) throw new UnparsableError((t) => t('two words in it touch each other'));
  }
  if (destination) {
    const targets = reader.words(destination);
    const target = targets.length === 1 && targets[0] ? targets[0] : unknownWord();
    const descriptor = operator.endsWith('&') && /^(\d+-?|-)$/.test(target.text);
    const writes = operator.includes('>') && !descriptor && !operator.endsWith('-');
    parts.redirections.push({ operator, target, writes });
  }
  for (const each of extra) parts.words.push(...reader.words(each));
}

function hereString(node: SyntaxNode, parts: RedirectParts, reader: RedirectReader): void {
  const value = node.children.findLast((child) => child.named && child.type !== 'file_descriptor');
  const words = value ? reader.words(value) : [];
  parts.stdin = words.length === 1 && words[0] ? words[0] : unknownWord();
}

function hereDocument(node: SyntaxNode, source: string, parts: RedirectParts, reader: RedirectReader): void {
  const { quoted, tabs } = heredocDelimiter(node, source);
  const { from, to } = heredocRange(node, source);
  const body = node.children.find((child) => child.type === 'heredoc_body');
  const expansions = quoted ? [] : (body?.children ?? []).filter((child) => child.type !== 'heredoc_content');
  let operator = '';
  for (const child of node.children) {
    if (!child.named) operator = /^(&&|\|\|)$/.test(child.type) ? child.type : operator;
    else if (/^(file_descriptor|heredoc_start|heredoc_body|heredoc_end|comment)$/.test(child.type)) continue;
    else if (child.type.endsWith('_redirect')) mergeInto(parts, redirectionsOf([child], source, reader));
    else if (operator) parts.rest.push({ operator, statement: child });
    else if (child.type === 'pipeline' && /^\|&?$/.test(child.children[0]?.type ?? '')) pipe(child, parts);
    else if (reader.statement(child.type))
      throw new UnparsableError((t) => t('a command stands beside a here-document'));
    else parts.words.push(...reader.words(child));
  }
  for (const expansion of expansions) reader.substitutions(expansion);
  const text = source.slice(from, to);
  if (!quoted) checkBody(text, from, expansions);
  const shown = tabs ? text.replace(/^\t+/gm, '') : text;
  parts.stdin =
    expansions.length > 0 ? unknownWord(shown) : literalWord(quoted ? shown : shown.replace(/\\([\\$`])/g, '$1'));
}

/** `cat <<EOF | sh`: the grammar puts the rest of the pipe below the here-document. */
function pipe(node: SyntaxNode, parts: RedirectParts): void {
  const [operator, statement, ...more] = node.children;
  if (!operator || !statement || more.length > 0)
    throw new UnparsableError((t) => t('the pipe of a here-document is not clear'));
  parts.rest.push({ operator: operator.type, statement });
}

/** The grammar must have seen every expansion that a shell would make in the text. */
function checkBody(text: string, from: number, expansions: readonly SyntaxNode[]): void {
  let literal = '';
  let at = 0;
  for (const each of expansions) {
    literal += text.slice(at, Math.max(at, each.start - from)) + ' ';
    at = Math.max(at, each.end - from);
  }
  literal += text.slice(at);
  if (/`|\$[({[]/.test(literal.replace(/\\[^]/g, ''))) {
    throw new UnparsableError((t) => t('an expansion in a here-document is not clear'));
  }
}

function mergeInto(parts: RedirectParts, more: RedirectParts): void {
  parts.redirections.push(...more.redirections);
  parts.words.push(...more.words);
  parts.stdin = more.stdin ?? parts.stdin;
  parts.rest.push(...more.rest);
}
