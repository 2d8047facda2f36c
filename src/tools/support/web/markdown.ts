import TurndownService from 'turndown/lib/turndown.browser.es.js';

/** Elements that hold nothing to read. */
const UNREADABLE =
  'script,style,noscript,template,iframe,object,embed,svg,canvas,link,meta,button,input,select,textarea,dialog';

/** What a reader of the page does not see, and a model should not either. */
const HIDDEN =
  '[hidden],[aria-hidden="true"],[style*="display:none"],[style*="display: none"],[style*="visibility:hidden"],[style*="visibility: hidden"]';

/**
 * Makes a part of a page fit to become Markdown: without what cannot be read or seen, and with every link absolute. Links and pictures that are no web
 * addresses go; their text stays. Changes the element.
 */
export function prepare(root: Element, base: string): void {
  for (const element of root.querySelectorAll(`${UNREADABLE},${HIDDEN}`)) element.remove();
  for (const link of root.querySelectorAll('a[href]')) {
    const href = absolute(link.getAttribute('href'), base);
    if (href === undefined) link.removeAttribute('href');
    else link.setAttribute('href', href);
  }
  for (const image of root.querySelectorAll('img')) {
    const source = absolute(image.getAttribute('src'), base);
    if (source === undefined || !image.getAttribute('alt')?.trim()) image.remove();
    else image.setAttribute('src', source);
  }
}

/** The Markdown of an element. Throws a RangeError where elements are nested too deeply for the stack. */
export function toMarkdown(root: Element): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.addRule('cell', {
    filter: (node) => ['TH', 'TD'].includes(node.nodeName) && inDataTable(node),
    replacement: (content) =>
      ` ${content
        .replaceAll(/\s*\n\s*/g, ' ')
        .trim()
        .replaceAll('|', '\\|')} |`,
  });
  service.addRule('row', {
    filter: (node) => node.nodeName === 'TR' && inDataTable(node),
    replacement: (content, node) =>
      `\n|${content}${isFirstRow(node) ? `\n|${' --- |'.repeat(node.childElementCount)}` : ''}`,
  });
  service.addRule('table', {
    filter: (node) => node.nodeName === 'TABLE' && inDataTable(node),
    replacement: (content) => `\n\n${content.replaceAll(/\n{2,}/g, '\n').trim()}\n\n`,
  });
  return tidied(service.turndown(root as HTMLElement));
}

function absolute(address: string | null, base: string): string | undefined {
  if (address === null || !URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : undefined;
}

/** Whether an element belongs to a table of data: several columns, and no table within, as layouts have. */
function inDataTable(node: Element): boolean {
  const table = node.closest('table');
  if (!table || table.querySelector('table')) return false;
  return (table.querySelector('tr')?.childElementCount ?? 0) > 1;
}

function isFirstRow(row: Element): boolean {
  return row.closest('table')?.querySelector('tr') === row;
}

function tidied(markdown: string): string {
  return markdown
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
