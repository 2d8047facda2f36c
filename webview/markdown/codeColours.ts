import { codeTokens, type TokenKind } from './codeTokens.js';

/** Colours the code blocks in a finished part of the page. Returns what takes the colours back. */
export type ColourCode = (part: Element) => () => void;

/**
 * Colours by the browser's own highlights, which need no nodes: a block stays one text. The ranges are static, as live ones would make each
 * later change of the page slower.
 */
export function createColourCode(registry: HighlightRegistry): ColourCode {
  const highlightOf = (kind: TokenKind) => {
    const name = `code-${kind}`;
    const known = registry.get(name);
    if (known) return known;
    const made = new Highlight();
    registry.set(name, made);
    return made;
  };
  return (part) => {
    const undo: (() => void)[] = [];
    const figures = part.matches('figure.code') ? [part] : Array.from(part.querySelectorAll('figure.code'));
    for (const figure of figures) {
      const text = figure.querySelector('pre')?.firstChild;
      if (!(text instanceof Text)) continue;
      for (const { kind, start, end } of codeTokens(text.data, figure.getAttribute('data-lang') ?? '')) {
        const range = new StaticRange({ startContainer: text, startOffset: start, endContainer: text, endOffset: end });
        // The type knows live ranges only; the browser takes both.
        const highlight = highlightOf(kind) as unknown as Set<AbstractRange>;
        highlight.add(range);
        undo.push(() => highlight.delete(range));
      }
    }
    return () => undo.forEach((step) => step());
  };
}
