/** The part of VS Code's document symbols that is used. Lines count from 0. */
export interface SymbolNode {
  name: string;
  /** VS Code's `SymbolKind`. */
  kind: number;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  /** Where its name stands. */
  selectionRange?: SymbolNode['range'];
  children: readonly SymbolNode[];
}

/** `SymbolKind` of what is a function: Method, Constructor, Function. */
const FUNCTIONS: ReadonlySet<number> = new Set([5, 8, 11]);
/** What can hold one without saying so, such as `const f = () => …`: Property, Field, Variable, Constant. */
const HOLDERS: ReadonlySet<number> = new Set([6, 7, 12, 13]);

/**
 * The innermost function whose lines hold this one; where there is none, the innermost variable or property of several lines. Undefined for anything
 * else, also for the older, flat form of symbols, which says nothing of what lies in what.
 */
export function enclosingFunction(symbols: readonly SymbolNode[], line: number): SymbolNode | undefined {
  const around: SymbolNode[] = [];
  let level: readonly SymbolNode[] | undefined = symbols;
  while (level) {
    const next: SymbolNode | undefined = level.find((symbol) => holds(symbol, line));
    if (next) around.push(next);
    level = next?.children;
  }
  const isLong = ({ range }: SymbolNode) => range.end.line > range.start.line;
  return (
    around.findLast((symbol) => FUNCTIONS.has(symbol.kind)) ??
    around.findLast((symbol) => HOLDERS.has(symbol.kind) && isLong(symbol))
  );
}

/** The outermost symbol that begins in this line, with its body; undefined where none does, and for the flat form of symbols. */
export function symbolAt(symbols: readonly SymbolNode[], line: number): SymbolNode | undefined {
  for (const symbol of symbols) {
    if (!holds(symbol, line)) continue;
    const nameLine = symbol.selectionRange?.start.line ?? symbol.range.start.line;
    if (nameLine === line || symbol.range.start.line === line) return symbol;
    return symbolAt(symbol.children, line);
  }
  return undefined;
}

function holds(symbol: Partial<SymbolNode>, line: number): boolean {
  const { range } = symbol;
  return range !== undefined && range.start.line <= line && line <= range.end.line;
}
