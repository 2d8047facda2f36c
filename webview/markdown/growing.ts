import type { Token, Tokens } from 'marked';

export type GrowingKind = 'list' | 'table';

/** A list or a table that still grows: its finished items are frozen one by one. */
export interface GrowingBlock {
  kind: GrowingKind;
  /** What holds the items: the list itself, or the table's body. */
  holder: Element;
  /** Items that are frozen. */
  frozen: number;
  /** What has to stand before the rest so that it parses as a part of the block: a table's first two lines. */
  prefix: string;
}

/** The source of each item of a list or row of a table, so that together they are the block's source after its prefix. */
export function itemsOf(token: Token): string[] {
  if (token.type === 'list') return (token as Tokens.List).items.map((item) => item.raw);
  const rows = token.raw.split('\n').slice(2);
  return rows.filter((row) => row !== '').map((row) => `${row}\n`);
}

export function prefixOf(token: Token): string {
  return token.type === 'table' ? `${token.raw.split('\n').slice(0, 2).join('\n')}\n` : '';
}

export function holderIn(block: Node, kind: GrowingKind): Element | null {
  if (!(block instanceof Element)) return null;
  return kind === 'list' ? block : block.querySelector('tbody');
}
