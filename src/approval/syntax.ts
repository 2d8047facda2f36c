import { UnparsableError } from './shellTypes.js';

/** A node of the grammar's tree, copied out of the parser's memory. */
export interface SyntaxNode {
  type: string;
  named: boolean;
  start: number;
  end: number;
  children: SyntaxNode[];
}

/** Parentheses and braces that may be open at once. */
const MAX_OPEN = 60;
/** Characters of one line beside a here-document: the grammar's effort grows with the square of it. */
const MAX_HEREDOC_LINE = 4_000;

/** Inside these, what lies between children is text and not white space. */
const TEXTUAL = ['string', 'heredoc_body', 'raw_string', 'ansi_c_string', 'comment'];

/** A newline ends these for a shell; the grammar sometimes reads on. */
const ONE_LINE = [
  'command',
  'declaration_command',
  'unset_command',
  'variable_assignment',
  'variable_assignments',
  'file_redirect',
  'herestring_redirect',
  'redirected_statement',
  'negated_command',
  'concatenation',
];

/**
 * Checks that the tree says about the source what a shell would: everything between tokens is white space, nothing that runs hides inside a
 * token, comments and here-documents begin and end where bash begins and ends them. Error recovery and the lexer of the grammar are more
 * lenient than a shell; where they differ a line must count as unparsable. Throws `UnparsableError`.
 */
export function checkSyntax(root: SyntaxNode, source: string): void {
  checkGap(source.slice(0, root.start));
  checkGap(source.slice(root.end));
  checkNode(root, source, { heredocRows: new Set(), inBackticks: false, inString: false });
}

/** Refuses what would keep the parser busy for long: brackets within brackets without end, very long lines in here-documents. */
export function checkEffort(source: string): void {
  if (source.includes('<<') && source.split('\n').some((line) => line.length > MAX_HEREDOC_LINE)) {
    throw new UnparsableError((t) => t('a line of its here-document is too long'));
  }
  let depth = 0;
  for (const character of source) {
    if (character === '(' || character === '{') depth++;
    if (character === ')' || character === '}') depth--;
    if (depth > MAX_OPEN) throw new UnparsableError((t) => t('it is nested too deeply'));
  }
}

interface Seen {
  heredocRows: Set<number>;
  inBackticks: boolean;
  inString: boolean;
}

function checkNode(node: SyntaxNode, source: string, seen: Seen): void {
  if (node.type === 'heredoc_redirect') checkHeredoc(node, source, seen);
  if (node.type === 'comment') checkComment(node, source);
  if (node.type === 'file_redirect' && /[^\s;&|()]*\d$/.test(source.slice(Math.max(0, node.start - 64), node.start))) {
    throw new UnparsableError((t) => t('it is unclear what a redirection belongs to'));
  }
  if (node.type === 'expansion') checkExpansion(node, source);
  if (node.children.length === 0) return checkLeaf(node, source, seen);
  const backticks = node.type === 'command_substitution' && source.charAt(node.start) === '`';
  if (backticks && (seen.inBackticks || source.slice(node.start, node.end).includes('\\'))) {
    throw new UnparsableError((t) => t('it holds backticks within backticks'));
  }
  const textual = TEXTUAL.includes(node.type);
  const inside = {
    heredocRows: seen.heredocRows,
    inBackticks: seen.inBackticks || backticks,
    inString: /^(string|heredoc_body)$/.test(node.type) || (seen.inString && !node.type.endsWith('substitution')),
  };
  let at = node.start;
  for (const child of node.children) {
    const gap = source.slice(at, child.start);
    if (!textual) checkGap(gap);
    if (ONE_LINE.includes(node.type) && /(^|[^\\])\n/.test(gap))
      throw new UnparsableError((t) => t('a command in it goes on after its line'));
    if (node.type === 'command' && /^=[=~]$/.test(child.type)) {
      throw new UnparsableError((t) => t('it compares outside of a test'));
    }
    if (gap !== '' && ['simple_expansion', 'variable_assignment'].includes(node.type)) {
      throw new UnparsableError((t) => t('a word in it has gaps'));
    }
    if (node.type === 'compound_statement' && source.charAt(at - 1) === '{' && gap === '') {
      throw new UnparsableError((t) => t('it is unclear what a brace in it means'));
    }
    if (node.type === 'negated_command' && at > node.start && gap === '') {
      throw new UnparsableError((t) => t('it is unclear what `!` belongs to'));
    }
    checkNode(child, source, inside);
    at = child.end;
  }
  if (!textual) checkGap(source.slice(at, node.end));
}

/** A backslash and newline with nothing beside them join what the grammar takes apart. */
function checkGap(gap: string): void {
  if (gap === '') return;
  const joined = gap.replace(/\\\n/g, '');
  if (!/^[ \t\n]*$/.test(joined))
    throw new UnparsableError((t) => t('the grammar and a shell would read it differently'));
  if (joined === '') throw new UnparsableError((t) => t('a word in it is split over two lines'));
}

function checkLeaf(node: SyntaxNode, source: string, seen: Seen): void {
  if (seen.inString && /^(raw|ansi_c)_string$/.test(node.type)) {
    throw new UnparsableError((t) => t('it holds single quotes within an expansion within double quotes'));
  }
  if (['raw_string', 'comment', 'ansi_c_string', 'heredoc_body', 'heredoc_content'].includes(node.type)) return;
  const text = source.slice(node.start, node.end);
  const descriptor = /^\d+$/.test(text) && /^[\s;&|(]?$/.test(source.charAt(node.start - 1));
  if (node.type === 'file_descriptor' && !descriptor) {
    throw new UnparsableError((t) => t('it is unclear what a redirection belongs to'));
  }
  // The lexer at times puts text of the word before into an operator's token: `a -f<<E`.
  if (!node.named && text !== node.type && !(node.type === '"' && text.trim() === '"')) {
    throw new UnparsableError((t) => t('it is unclear where a word in it ends'));
  }
  if (['`', '$(', '$((', '$[', '${', '<(', '>('].includes(text) && !node.named) return;
  if (text === '``' || text === '$`') throw new UnparsableError((t) => t('it holds empty or unusual backticks'));
  const bare = text.replace(/\\[^]/g, '');
  if (/`|\$[({[]|[<>]\(/.test(bare)) throw new UnparsableError((t) => t('an expansion in it is not clear'));
  if (seen.inBackticks && bare !== text) throw new UnparsableError((t) => t('it holds backticks within backticks'));
}

/** `${x#…}` ends at the first `}` for a shell; the grammar counts braces, and would hide the commands between the two. */
function checkExpansion(node: SyntaxNode, source: string): void {
  const nested = source.slice(node.start, node.end).split('');
  const blank = (child: SyntaxNode) => {
    if (/string$|expansion$|substitution$/.test(child.type))
      nested.fill('_', child.start - node.start, child.end - node.start);
    else child.children.forEach(blank);
  };
  node.children.forEach(blank);
  const own = nested
    .slice(2, -1)
    .join('')
    .replace(/\\[^}'"`\n]/g, '');
  if (/[}'"`\\\n]/.test(own)) throw new UnparsableError((t) => t('it is unclear where an expansion in it ends'));
}

function checkComment(node: SyntaxNode, source: string): void {
  const before = source.charAt(node.start - 1);
  const after = source.charAt(node.end);
  if (!/^[\s;&|()]?$/.test(before) || !/^\n?$/.test(after)) {
    throw new UnparsableError((t) => t('it is unclear where a comment in it begins'));
  }
}

/** What a here-document's first line says about the rest. */
export function heredocDelimiter(node: SyntaxNode, source: string): { word: string; quoted: boolean; tabs: boolean } {
  const start = node.children.find((child) => child.type === 'heredoc_start');
  const text = start ? source.slice(start.start, start.end) : '';
  const match = /^(?:'([\w.-]+)'|"([\w.-]+)"|\\(\w+)|(\w+))$/.exec(text);
  if (!match) throw new UnparsableError((t) => t('the end mark of a here-document is not plain'));
  const word = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
  return { word, quoted: match[4] === undefined, tabs: node.children.some((child) => child.type === '<<-') };
}

/** Offsets of a here-document's text by bash's rule: from the next line to the first line that is the end mark and nothing else. */
export function heredocRange(node: SyntaxNode, source: string): { from: number; to: number } {
  const start = node.children.find((child) => child.type === 'heredoc_start');
  const { word, tabs } = heredocDelimiter(node, source);
  const from = source.indexOf('\n', start?.end ?? 0) + 1;
  for (let at = from; from > 0 && at <= source.length;) {
    const lineEnd = source.indexOf('\n', at);
    const line = source.slice(at, lineEnd < 0 ? source.length : lineEnd);
    if ((tabs ? line.replace(/^\t+/, '') : line) === word) return { from, to: at };
    if (lineEnd < 0) break;
    at = lineEnd + 1;
  }
  throw new UnparsableError((t) => t('a here-document in it has no end'));
}

function checkHeredoc(node: SyntaxNode, source: string, seen: Seen): void {
  const differs = () => new UnparsableError((t) => t('it is unclear where a here-document in it ends'));
  const row = source.slice(0, node.start).split('\n').length;
  if (seen.heredocRows.has(row)) throw new UnparsableError((t) => t('it holds two here-documents on one line'));
  seen.heredocRows.add(row);
  const { from, to } = heredocRange(node, source);
  const end = node.children.find((child) => child.type === 'heredoc_end');
  if (!end || end.start < to || source.slice(to, end.start).trim() !== '') throw differs();
  for (const child of node.children) {
    const inBody = child.type === 'heredoc_body' || child.type === 'heredoc_end';
    const holdsBody = child.children.length > 0 && child.end > from;
    if (inBody ? child.start < from : child.start >= from || holdsBody) throw differs();
  }
}
