import { Marked, type RendererObject, type Token, type TokenizerExtension, type Tokens } from 'marked';
import { strings } from '../strings.js';
import { pathOf, splitAtPaths, type PathMatch } from './paths.js';

/** Turns Markdown into tokens and tokens into HTML, which `sanitize` must see before it reaches the page. */
export interface Parser {
  lex(markdown: string): Token[];
  html(tokens: Token[]): string;
}

/** HTML elements that may stand in an answer as they are: they cannot carry an address or a program. Everything else is shown as text. */
const PLAIN_TAGS = /^<\/?(?:br|sub|sup|kbd|b|i|u|s|em|strong|del|ins|mark|small|p|hr|details|summary)\s*\/?>$/i;

/** Languages that VS Code's Markdown preview draws. */
const DRAWN = new Set(['mermaid', 'math', 'latex', 'tex', 'katex']);

/** GitHub's Markdown, with formulas kept as source, files as links and foreign HTML as text. */
export function createParser(): Parser {
  const marked = new Marked({ gfm: true, async: false, renderer, extensions: [mathBlock] });
  return {
    lex: (markdown) => marked.lexer(markdown),
    html: (tokens) => marked.parser(tokens),
  };
}

/** `$$ … $$` and `\[ … \]` on lines of their own become a code block in the language `math`. */
const mathBlock: TokenizerExtension = {
  name: 'code',
  level: 'block',
  start: (source) => /^ {0,3}(?:\$\$|\\\[)/m.exec(source)?.index,
  tokenizer: (source) => {
    const match = /^ {0,3}(?:\$\$([\s\S]+?)\$\$|\\\[([\s\S]+?)\\\]) *(?:\n+|$)/.exec(source);
    if (!match) return undefined;
    return { type: 'code', raw: match[0], lang: 'math', text: (match[1] ?? match[2] ?? '').trim() };
  },
};

const renderer: RendererObject = {
  code: ({ text, lang }) => codeHtml(text, lang),
  codespan: ({ text }) => {
    const file = pathOf(text);
    const code = `<code>${escapeHtml(text)}</code>`;
    return file ? linkToFile(file, code) : code;
  },
  html: ({ text }) => textWithPlainTags(text),
  image: ({ href, text }) => imageHtml(href, text),
  link(token) {
    return linkHtml(token, withoutLinks(this.parser.parseInline(token.tokens)));
  },
  // No white space between items: the children of a list are its items, which the stream counts.
  list(token) {
    const tag = token.ordered ? 'ol' : 'ul';
    const start = token.ordered && token.start !== 1 ? ` start="${token.start}"` : '';
    return `<${tag}${start}>${token.items.map((item) => this.listitem(item)).join('')}</${tag}>`;
  },
  listitem(item) {
    return `<li>${this.parser.parse(item.tokens)}</li>`;
  },
  table(token) {
    const cells = (row: Tokens.TableCell[]) => row.map((cell) => this.tablecell(cell)).join('');
    const body = token.rows.map((row) => `<tr>${cells(row)}</tr>`).join('');
    return `<div class="table" tabindex="0"><table><thead><tr>${cells(token.header)}</tr></thead><tbody>${body}</tbody></table></div>`;
  },
  tablecell(token) {
    const tag = token.header ? 'th' : 'td';
    const align = token.align ? ` class="${token.align}"` : '';
    return `<${tag}${align}>${this.parser.parseInline(token.tokens)}</${tag}>`;
  },
  text(token) {
    if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens);
    return splitAtPaths(decodeEntities(token.text))
      .map((piece) => (typeof piece === 'string' ? escapeHtml(piece) : linkToFile(piece, escapeHtml(piece.text))))
      .join('');
  },
};

/** A code block: the label is drawn by the style sheet, the buttons appear when it is pointed at or focused. */
export function codeHtml(text: string, info: string | undefined): string {
  const language = languageOf(info);
  const label = escapeHtml(language);
  const more =
    info === undefined || info.trim() === language ? '' : ` data-info="${escapeHtml(info.trim().slice(0, 300))}"`;
  const preview = DRAWN.has(language.toLowerCase())
    ? `<figcaption><a role="link" tabindex="0" class="preview">${escapeHtml(strings.openInPreview)}</a></figcaption>`
    : '';
  return `<figure class="code" data-lang="${label}"${more}><pre tabindex="0">${escapeHtml(text)}</pre>${preview}</figure>`;
}

/** The first word after the fence, without what some models add to it (`ts:src/a.ts`, `ts {1,3}`). */
export function languageOf(info: string | undefined): string {
  const word = /^\S{1,300}/.exec(info ?? '')?.[0] ?? '';
  // Some models write the file in its place.
  if (/^[^:]*[\\/]/.test(word)) return /\.(\w{1,12})$/.exec(word)?.[1] ?? '';
  return /^[\w+#.-]{1,30}/.exec(word)?.[0] ?? '';
}

/** Web and mail addresses only; everything else (`javascript:`, `command:`, `data:`, …) loses its link. */
function linkHtml({ href }: Tokens.Link, label: string): string {
  const plainHref = decodeEntities(href).trim();
  if (/^(?:https?:\/\/|mailto:)/i.test(plainHref)) {
    const address = escapeHtml(plainHref);
    return `<a role="link" tabindex="0" data-href="${address}" title="${address}">${label}</a>`;
  }
  const file = pathOf(safeDecode(plainHref.replace(/#L?(\d+)\b.*$/, ':$1').replace(/^file:\/\//i, '')));
  return file ? linkToFile(file, label) : label;
}

/** Links in links are no HTML: a file named in a link's label stays text. */
function withoutLinks(html: string): string {
  return html.replace(/<\/?a\b[^>]*>/g, '');
}

function linkToFile({ path, line }: PathMatch, label: string): string {
  const place = line === undefined ? '' : ` data-line="${line}"`;
  const title = escapeHtml(line === undefined ? path : `${path}:${line}`);
  return `<a role="link" tabindex="0" data-path="${escapeHtml(path)}"${place} title="${title}">${label}</a>`;
}

/** Pictures on this machine's pages come as data; a remote one would tell its host that the answer was read, so it waits for a click. */
function imageHtml(href: string, alt: string): string {
  const source = decodeEntities(href).trim();
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=\s]+$/i.test(source)) {
    return `<img src="${escapeHtml(source)}" alt="${escapeHtml(alt)}">`;
  }
  const host = /^https?:\/\/([^/?#\s]+)/i.exec(source)?.[1];
  if (!host) return escapeHtml(alt);
  const address = escapeHtml(source);
  const label = escapeHtml(strings.loadImage(host.replace(/^.*@/, ''), alt));
  return `<a role="link" tabindex="0" class="image" data-href="${address}" title="${address}">${label}</a>`;
}

function textWithPlainTags(html: string): string {
  return html
    .split(/(<[^<>]*>)/)
    .map((piece) => (PLAIN_TAGS.test(piece) ? piece : escapeHtml(piece)))
    .join('');
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an encoded address: a file name may hold a lone percent sign.
    return text;
  }
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
    if (name) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
