import createDOMPurify, { type Config } from 'dompurify';
import { strings } from '../strings.js';

/** Turns HTML into nodes that can neither run nor fetch anything. */
export type Sanitize = (html: string) => DocumentFragment;

const CONFIG = {
  ALLOWED_TAGS: (
    'p br hr h1 h2 h3 h4 h5 h6 strong em b i u s del ins mark small sub sup kbd code pre figure figcaption blockquote ul ol li input ' +
    'div table thead tbody tr th td a img details summary'
  ).split(' '),
  ALLOWED_ATTR:
    'class role tabindex title start type checked disabled alt src data-href data-path data-line data-lang data-info'.split(
      ' ',
    ),
  // A path or a language may look like an address of an unknown kind; neither is used as one.
  ADD_URI_SAFE_ATTR: ['data-path', 'data-lang', 'data-info'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config;

/**
 * Where the side matters on which marks, borders and columns begin, it is that of the first letters within. Code has none of them: a list that begins with
 * a command has the direction of its words.
 */
const DIRECTIONS: Record<string, string> = {
  UL: 'auto',
  OL: 'auto',
  TABLE: 'auto',
  BLOCKQUOTE: 'auto',
  DETAILS: 'auto',
  CODE: 'ltr',
};

/** The renderer makes no unsafe HTML; this is the second lock, for the day it does. Images keep data only, never an address. */
export function createSanitize(window: Window & typeof globalThis): Sanitize {
  const purify = createDOMPurify(window);
  purify.addHook('uponSanitizeAttribute', (_node, data) => {
    if (data.attrName === 'src' && !data.attrValue.startsWith('data:image/')) data.keepAttr = false;
    if (data.attrName === 'type' && data.attrValue !== 'checkbox') data.keepAttr = false;
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    // Here and not in the renderer, so that no answer names anything.
    if (node.nodeName === 'INPUT') node.setAttribute('aria-label', strings.task);
    const direction = DIRECTIONS[node.nodeName];
    if (direction) node.setAttribute('dir', direction);
  });
  // Set once: a configuration that is passed along is read anew at each call, which costs more than the cleaning.
  purify.setConfig(CONFIG);
  return (html) => purify.sanitize(html, { RETURN_DOM_FRAGMENT: true });
}
