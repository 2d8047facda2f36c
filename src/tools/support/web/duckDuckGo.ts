import { parseHTML } from 'linkedom';
import type { SearchHit } from './searchProviders.js';
import { clean } from './words.js';

/** DuckDuckGo's page of results, without a script. */
export interface DuckDuckGoPage {
  hits: SearchHit[];
  /** True where it asks for proof of a person instead of answering. */
  challenge: boolean;
}

/** Takes the hits from the page; advertisements are left out. */
export function duckDuckGoHits(html: string): DuckDuckGoPage {
  const { document } = parseHTML(html) as unknown as { document: Document };
  const hits = [...document.querySelectorAll('.result')]
    .filter((result) => !result.classList.contains('result--ad'))
    .flatMap((result): SearchHit[] => {
      const link = result.querySelector('a.result__a');
      const url = targetOf(link?.getAttribute('href') ?? '');
      if (!link || url === undefined) return [];
      return [
        {
          title: clean(link.textContent),
          url,
          text: clean(result.querySelector('.result__snippet')?.textContent ?? ''),
        },
      ];
    });
  return {
    hits,
    challenge:
      hits.length === 0 &&
      document.querySelector('.anomaly-modal__modal, #challenge-form, form[action*="anomaly"]') !== null,
  };
}

/** Links lead through a counter of DuckDuckGo's, which names the address itself. */
function targetOf(href: string): string | undefined {
  if (href === '' || !URL.canParse(href, 'https://duckduckgo.com')) return undefined;
  const url = new URL(href, 'https://duckduckgo.com');
  const target = url.hostname.endsWith('duckduckgo.com') ? url.searchParams.get('uddg') : url.href;
  return target !== null && /^https?:/.test(target) ? target : undefined;
}
