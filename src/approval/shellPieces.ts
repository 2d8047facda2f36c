import { ansiQuoted, doubleQuoted, unquotedPieces, type Piece } from './shellWords.js';
import { UnparsableError } from './shellTypes.js';
import type { SyntaxNode } from './syntax.js';

/** Told each part of a word that runs commands or is otherwise decided later; parts within it are its own business. */
type Unknown = (node: SyntaxNode) => void;

/** Anonymous tokens that stand as words of a command. */
const TOKEN_WORDS = /^(\$|declare|typeset|export|readonly|local|unset|unsetenv)$/;

/** What a node of the grammar contributes to a word. Throws `UnparsableError` for a kind of node that it does not know. */
export function piecesOf(node: SyntaxNode, source: string, unknown: Unknown): Piece[] {
  const text = source.slice(node.start, node.end);
  const later = (shown: string): Piece[] => {
    unknown(node);
    return [{ text: shown, quoted: false, dynamic: true }];
  };
  switch (node.type) {
    case 'command_name':
      return node.children.flatMap((child) => piecesOf(child, source, unknown));
    case 'concatenation':
      return concatenation(node, source, unknown);
    case 'word':
    case 'variable_name':
    case 'test_operator':
    case 'brace_expression':
      return unquotedPieces(text);
    case 'string':
      return string(node, source, unknown);
    case 'raw_string':
      return [{ text: text.slice(1, -1), quoted: true, dynamic: false }];
    case 'ansi_c_string':
      return [{ text: ansiQuoted(text), quoted: true, dynamic: false }];
    case 'simple_expansion':
      return later(text.replace(/^\$(\w+)$/, '${$1}'));
    case 'expansion':
      refusePrompt(node);
      return later(text);
    case 'command_substitution':
    case 'process_substitution':
    case 'arithmetic_expansion':
    case 'array':
    case 'regex':
      return later('$(…)');
    case 'number':
      return node.children.length > 0 ? later('$(…)') : unquotedPieces(text);
    default:
      if (!node.named && TOKEN_WORDS.test(node.type)) return [{ text, quoted: node.type === '$', dynamic: false }];
      throw new UnparsableError((t) => t('it holds something that is not understood ({0})', node.type));
  }
}

function concatenation(node: SyntaxNode, source: string, unknown: Unknown): Piece[] {
  let end = node.start;
  return node.children.flatMap((child, index) => {
    // `$"…"` is a string of its own to bash; the grammar sees a dollar and a string.
    const dollar = child.type === '$' && index < node.children.length - 1;
    if (child.start !== end || dollar) throw new UnparsableError((t) => t('a word in it has gaps'));
    end = child.end;
    return piecesOf(child, source, unknown);
  });
}

function string(node: SyntaxNode, source: string, unknown: Unknown): Piece[] {
  const pieces: Piece[] = [];
  let at = node.start + 1;
  const literal = (to: number) => {
    if (to > at) pieces.push({ text: doubleQuoted(source.slice(at, to)), quoted: true, dynamic: false });
  };
  for (const child of node.children) {
    if (!child.named || child.type === 'string_content') continue;
    literal(child.start);
    pieces.push(...piecesOf(child, source, unknown).map((piece) => ({ ...piece, quoted: true })));
    at = child.end;
  }
  literal(node.end - 1);
  return pieces.length > 0 ? pieces : [{ text: '', quoted: true, dynamic: false }];
}

/** `${x@P}` runs what stands in the variable. */
export function refusePrompt(node: SyntaxNode): void {
  if (node.children.some((child) => !child.named && child.type === '@')) {
    throw new UnparsableError((t) => t('it expands a variable as a prompt or code'));
  }
}
