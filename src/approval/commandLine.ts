import type { Language, Node, Parser } from 'web-tree-sitter';
import type { Log } from '../platform/ports.js';
import { ShellReader } from './shellReader.js';
import { UnparsableError, type ParsedLine } from './shellTypes.js';
import { refuseDeceiving } from './shellWords.js';
import { checkEffort, checkSyntax, type SyntaxNode } from './syntax.js';
import { unwrapper } from './unwrap.js';

export type GrammarFile = 'web-tree-sitter.wasm' | 'tree-sitter-bash.wasm';

/** Longer lines count as unparsable: reading them would hold up the host. Characters. */
const MAX_LINE = 20_000;
/** Nodes and depth beyond which a line counts as unparsable. */
const MAX_NODES = 20_000;
const MAX_DEPTH = 150;
/** Rounds of 100 parser operations after which a line counts as unparsable. */
const MAX_PARSE_ROUNDS = 1_000;

/**
 * The grammar of POSIX command lines. Loads its WebAssembly at the first line (about 30 ms) and keeps one parser. A line is read as bash
 * would read it; whatever is unclear, unusual or too long is `unparsable`, with the reason as the end of "This line cannot be checked: …".
 */
export class CommandLineParser {
  private parser: Promise<Parser> | undefined;

  /** `load` gives the bytes of the two WebAssembly files, which lie beside the bundle in the product. */
  constructor(
    private readonly load: (file: GrammarFile) => Promise<Uint8Array>,
    private readonly log: Log,
  ) {}

  /** Never rejects. A grammar that cannot be loaded makes the line unparsable and is tried again with the next line. */
  async parse(line: string): Promise<ParsedLine> {
    if (line.length > MAX_LINE)
      return { kind: 'unparsable', reason: (t) => t('it is longer than {0} characters', MAX_LINE) };
    let parser: Parser;
    try {
      parser = await (this.parser ??= this.open());
    } catch (error) {
      this.parser = undefined;
      this.log.error('The grammar of command lines could not be loaded.', error);
      return { kind: 'unparsable', reason: (t) => t('the grammar of command lines could not be loaded (see the log)') };
    }
    return parseWith(parser, line, 0);
  }

  private async open(): Promise<Parser> {
    const [module, runtime, bash] = await Promise.all([
      import('web-tree-sitter'),
      this.load('web-tree-sitter.wasm'),
      this.load('tree-sitter-bash.wasm'),
    ]);
    await module.Parser.init({ wasmBinary: runtime.slice().buffer });
    const language: Language = await module.Language.load(bash);
    const parser = new module.Parser();
    parser.setLanguage(language);
    // The first parse compiles the grammar's code; better here than within a line's budget.
    parser.parse('a "$b" | c > d <<E\nE\n')?.delete();
    return parser;
  }
}

function parseWith(parser: Parser, line: string, depth: number): ParsedLine {
  try {
    refuseDeceiving(line);
    checkEffort(line);
    const root = syntaxTree(parser, line);
    checkSyntax(root, line);
    const unwrap = unwrapper((inner, level) => parseWith(parser, inner, level), depth);
    return new ShellReader(line, unwrap).read(root);
  } catch (error) {
    if (error instanceof UnparsableError) return { kind: 'unparsable', reason: error.words };
    throw error;
  }
}

function syntaxTree(parser: Parser, line: string): SyntaxNode {
  let rounds = 0;
  const tree = parser.parse(line, null, { progressCallback: () => ++rounds > MAX_PARSE_ROUNDS });
  if (!tree) {
    parser.reset();
    throw new UnparsableError((t) => t('it is too complicated'));
  }
  try {
    if (tree.rootNode.hasError) throw new UnparsableError((t) => t('it does not follow the grammar of a shell'));
    return copyNode(tree.rootNode, 0, { left: MAX_NODES });
  } finally {
    tree.delete();
  }
}

function copyNode(node: Node, depth: number, budget: { left: number }): SyntaxNode {
  if (depth > MAX_DEPTH || budget.left-- <= 0) throw new UnparsableError((t) => t('it is too complicated'));
  const children = node.children.map((child) => copyNode(child, depth + 1, budget));
  return { type: node.type, named: node.isNamed, start: node.startIndex, end: node.endIndex, children };
}
