import type { Page } from '../state.js';
import { codeOf } from './codeBar.js';

/** Follows what an answer names: an address, a file, a formula's preview. True if the element was one of these. */
export function follow(page: Page, target: Element): boolean {
  const link = target.closest<HTMLElement>('[data-href], [data-path], .preview');
  if (!link) return false;
  const { href, path, line } = link.dataset;
  if (href !== undefined) page.post({ type: 'openLink', href });
  else if (path !== undefined) page.post({ type: 'openFile', path, ...(line ? { line: Number(line) } : {}) });
  else openPreview(page, link);
  return true;
}

function openPreview(page: Page, link: HTMLElement): void {
  const figure = link.closest<HTMLElement>('figure.code');
  const source = codeOf(figure);
  const language = figure?.dataset['lang'] ?? '';
  const isFormula = language !== 'mermaid';
  const markdown = isFormula ? `$$\n${source}\n$$\n` : `\`\`\`${language}\n${source}\n\`\`\`\n`;
  page.post({ type: 'openPreview', markdown });
}
