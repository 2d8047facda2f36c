import type { Page } from 'playwright-core';

/** What of the page reaches beyond its edges, scrolls sideways, or is a button whose words are cut, each in words. */
export function misfits(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const nameOf = (element: Element) =>
      `<${element.localName} class="${element.getAttribute('class') ?? ''}"> ${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 60)}`;
    /** Wide code and tables scroll in themselves; what is only heard has no size. */
    const mayBeWide = (element: Element) => element.closest('pre, .table, .sr-only, textarea') !== null;
    for (const element of document.querySelectorAll<HTMLElement>('body, body *')) {
      const { width, height, left, right } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || mayBeWide(element) || !element.checkVisibility()) continue;
      const style = getComputedStyle(element);
      const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
      if (isCut && style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis' && !holdsEllipsis(element))
        found.push(`${nameOf(element)}: ${element.scrollWidth} in ${element.clientWidth}`);
      if (left < -1 || right > innerWidth + 1) found.push(`${nameOf(element)}: from ${left} to ${right}`);
      const words = element.shadowRoot?.querySelector('.control');
      if (element.localName === 'vscode-button' && words && words.scrollWidth > words.clientWidth + 1)
        found.push(`${nameOf(element)}: its words are cut`);
    }
    return [...new Set(found)];

    /** A line that ends in an ellipsis within it. */
    function holdsEllipsis(element: Element): boolean {
      return [...element.children].some((child) => getComputedStyle(child).textOverflow === 'ellipsis');
    }
  });
}
