/** Letters, digits and marks that mean nothing in Markdown wherever they stand after a letter. */
const PLAIN = /^[\p{L}\p{M}\p{N} ,'’!?()—–，。、；！？（）“”-]+$/u;
/** A word with one of these may be, or become, an address, a file or an entity. */
const MAY_BECOME_MORE = /[/:.@\\&<>[\]#$_*`~|]/;
/** Characters at the end that must be the same in the source and on the page. */
const COMPARED = 12;

/**
 * Adds plain words to the text that ends an element, without the parser. False, and nothing done, where they might mean something else: then
 * the parser has to see them. Most pieces of an answer are such words.
 */
export function addPlainWords(root: Element, source: string, added: string): boolean {
  if (!PLAIN.test(added) || MAY_BECOME_MORE.test(source.slice(source.lastIndexOf(' ') + 1))) return false;
  const leaf = lastLeaf(root);
  if (!(leaf instanceof Text) || leaf.data.length < 2) return false;
  const end = leaf.data.slice(-COMPARED);
  if (!source.endsWith(end) || leaf.parentElement?.closest('a, code, pre, table, figure')) return false;
  leaf.appendData(added);
  return true;
}

function lastLeaf(node: Node): Node {
  let leaf = node;
  while (leaf.lastChild) leaf = leaf.lastChild;
  return leaf;
}
