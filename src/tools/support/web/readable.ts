import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { prepare, toMarkdown } from './markdown.js';
import { clean, nestingOf, titleIn, wordsOf } from './words.js';

/** A page as a person reads it. */
export interface ReadablePage {
  title: string;
  markdown: string;
  /** `article`: its main text; `page`: all of it, since no main text stands out; `text`: its words only, since it could not be taken apart. */
  kind: 'article' | 'page' | 'text';
}

/** A main text shorter than this that leaves most of the page out was probably not what the page is about. */
const SHORT_ARTICLE = 500;

/** Elements of a page at most: beyond that, only its words are taken. */
const MOST_ELEMENTS = 60_000;

/** Pages are nested some dozen deep; at a thousand, taking one apart takes longer than anybody waits. */
const DEEPEST = 400;

/** Characters of a page that is taken apart, at about a second for each million. */
const LARGEST = 2_500_000;

/** The readable text of an HTML page. `url` is where it came from, for its links. Never throws: a page that cannot be taken apart gives its words. */
export function readable(html: string, url: string): ReadablePage {
  if (html.length > LARGEST || nestingOf(html) > DEEPEST) return plain(html);
  try {
    return article(html, url) ?? wholePage(html, url);
  } catch {
    return plain(html);
  }
}

/** The words of a page whose structure is of no use: what stands between tags, without scripts and styles. Runs in linear time. */
export function plain(html: string): ReadablePage {
  return { title: titleIn(html), markdown: wordsOf(html), kind: 'text' };
}

function article(html: string, url: string): ReadablePage | undefined {
  const { document, root, base } = open(html, url);
  const all = wordCount(root.textContent);
  prepare(root, base);
  const found = new Readability<Element>(document, {
    serializer: (element) => element as Element,
    maxElemsToParse: MOST_ELEMENTS,
    charThreshold: 200,
    keepClasses: true,
  }).parse();
  if (!found?.content) return undefined;
  const length = wordCount(found.textContent ?? '');
  if (length < SHORT_ARTICLE && length * 2 < all) return undefined;
  return { title: clean(found.title ?? ''), markdown: toMarkdown(found.content), kind: 'article' };
}

function wholePage(html: string, url: string): ReadablePage {
  const { document, root, base } = open(html, url);
  const title = clean(document.querySelector('title')?.textContent ?? '');
  prepare(root, base);
  return { title, markdown: toMarkdown(root), kind: 'page' };
}

/** Parses a page; one that is a mere fragment is given what is missing around it. */
function open(html: string, url: string): { document: Document; root: Element; base: string } {
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
  const { document } = parseHTML(whole) as unknown as { document: Document };
  if (document.querySelectorAll('*').length > MOST_ELEMENTS) throw new Error('The page has too many elements.');
  const root = document.querySelector('body') ?? document.documentElement;
  const declared = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  return { document, root, base: URL.canParse(declared, url) ? new URL(declared, url).href : url };
}

function wordCount(text: string): number {
  return text.replaceAll(/\s+/g, ' ').length;
}
