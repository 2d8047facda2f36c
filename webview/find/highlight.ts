const NAME = 'nanobot-find';

/**
 * Marks every occurrence of `words` in an element without changing its nodes, and the element itself, as the words may be in a folded part.
 * Returns the first occurrence that can be seen.
 */
export function highlight(element: HTMLElement, words: string): Range | null {
  clearHighlight();
  element.toggleAttribute('data-found', true);
  const ranges = words.trim() === '' ? [] : rangesOf(element, words.trim().toLowerCase());
  if (ranges.length > 0) {
    const found = new Highlight(...ranges);
    // Over the colours of code.
    found.priority = 1;
    CSS.highlights.set(NAME, found);
  }
  return ranges[0] ?? null;
}

export function clearHighlight(): void {
  CSS.highlights.delete(NAME);
  document.querySelector('[data-found]')?.removeAttribute('data-found');
}

function rangesOf(element: HTMLElement, words: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      // Lower case can be longer than what it came from ("İ").
      range.setEnd(node, Math.min(at + words.length, node.nodeValue?.length ?? 0));
      ranges.push(range);
    }
  }
  return ranges;
}
