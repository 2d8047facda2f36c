/** The title of a page, without taking it apart. */
export function titleIn(html: string): string {
  return clean(/<title[^>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? '');
}

/** What stands between the tags of an HTML text, without scripts and styles. Runs in linear time. */
export function wordsOf(html: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    pieces.push(html.slice(at, tag < 0 ? html.length : tag));
    if (tag < 0) break;
    at = behindTag(html, tag);
  }
  return clean(
    pieces.join(' ').replaceAll('&nbsp;', ' ').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}

function behindTag(html: string, tag: number): number {
  const name = /^<(script|style|template|noscript)[\s>]/i.exec(html.slice(tag, tag + 12))?.[1];
  const from = name === undefined ? tag : endOfElement(html, name.toLowerCase(), tag);
  const end = html.startsWith('<!--', tag) ? html.indexOf('-->', tag) + 2 : html.indexOf('>', from);
  return end <= tag ? html.length : end + 1;
}

function endOfElement(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

/** Every run of spaces and line ends made one space. */
export function clean(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Elements without an end, and those whose end may be left out: how many of them stand open says nothing. */
const UNCOUNTED =
  /^(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|dt|dd|option|optgroup|tr|td|th|thead|tbody|tfoot|rp|rt)$/i;

/** How deeply the elements of an HTML text are nested, about: what is inside of each other without end takes a parser for ever. Runs in linear time. */
export function nestingOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    if (UNCOUNTED.test(name)) continue;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
