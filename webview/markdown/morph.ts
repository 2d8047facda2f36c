/**
 * Makes the children of `parent` from `start` on equal to `wanted`, touching only what differs, so that a selection, a hover and the
 * pixels of what stays the same survive. Nodes of `wanted` are moved, not copied.
 */
export function morphChildren(parent: Node, start: number, wanted: ArrayLike<Node>): void {
  const nodes = Array.from(wanted);
  nodes.forEach((next, index) => {
    const present = parent.childNodes[start + index];
    if (!present) parent.appendChild(next);
    else if (!morph(present, next)) parent.replaceChild(next, present);
  });
  const extra = Array.from(parent.childNodes).slice(start + nodes.length);
  for (const node of extra) if (!isBar(node)) parent.removeChild(node);
}

/** The buttons of a code block are put behind it by those who show them, and stay while its text grows. */
function isBar(node: Node): boolean {
  return node instanceof Element && node.className === 'code-bar';
}

/** False if the node has to be replaced. */
function morph(present: Node, next: Node): boolean {
  if (present.nodeType !== next.nodeType || present.nodeName !== next.nodeName) return false;
  if (present instanceof CharacterData && next instanceof CharacterData) {
    if (present.data !== next.data) growText(present, next.data);
    return true;
  }
  if (!(present instanceof Element) || !(next instanceof Element)) return false;
  if (!haveSameAttributes(present, next)) return false;
  if (!present.isEqualNode(next)) morphChildren(present, 0, next.childNodes);
  return true;
}

/** Text that only grew is added to, which keeps a selection in it. */
function growText(present: CharacterData, data: string): void {
  if (data.startsWith(present.data)) present.appendData(data.slice(present.data.length));
  else present.data = data;
}

function haveSameAttributes(a: Element, b: Element): boolean {
  if (a.attributes.length !== b.attributes.length) return false;
  return Array.from(a.attributes).every((attribute) => b.getAttribute(attribute.name) === attribute.value);
}
