import type { MentionItem } from '../../src/protocol/wire.js';
import { strings } from '../strings.js';

/** The kinds that stand on top of the list: attached as they are, or words that narrow the list. */
const KINDS = [
  'file:',
  'symbol:',
  'problems',
  'terminal',
  'changes',
  'https://',
  'session:',
  'memory:',
  'skill:',
] as const;
/** Letters from which on a kind goes before the files: with fewer, a file is more likely to be meant. A Chinese character says as much as three. */
const MEANT = 3;

/** The kinds that a query offers, and the page whose address it is. */
export function kindsFor(query: string): MentionItem[] {
  if (/^https?:\/\/[^/]+/i.test(query)) {
    return [{ kind: 'url', path: query, label: query, detail: strings.fetchPage }];
  }
  const wanted = query.toLowerCase();
  if (wanted !== '' && wanted.length < MEANT && !/\p{Script=Han}/u.test(wanted)) return [];
  const isMeant = (kind: (typeof KINDS)[number]) =>
    !isNarrowed(kind, wanted) &&
    [kind, strings.mentionKinds[kind].toLowerCase()].some((name) => name.startsWith(wanted));
  return KINDS.filter(isMeant).map(itemOf);
}

/** Whether the list is narrowed to this kind already. */
function isNarrowed(kind: string, query: string): boolean {
  return kind === query && /[:/]$/.test(kind);
}

function itemOf(kind: (typeof KINDS)[number]): MentionItem {
  const row = { label: strings.mentionKinds[kind], detail: strings.mentionDetails[kind] };
  const isWhole = kind === 'problems' || kind === 'terminal' || kind === 'changes';
  return isWhole ? { ...row, kind, path: '' } : { ...row, kind: 'narrow', path: kind };
}
