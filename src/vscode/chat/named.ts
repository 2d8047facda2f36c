import type { MentionItem } from '../../protocol/wire.js';

/** The best rows of a short list for some letters of a name: those that begin with them, then those that hold them, then those that have them in their order. */
export function bestNamed(items: readonly MentionItem[], query: string, most: number): MentionItem[] {
  const wanted = query.toLowerCase();
  const groups: [MentionItem[], MentionItem[], MentionItem[]] = [[], [], []];
  for (const item of items) {
    const name = item.label.toLowerCase();
    const at = name.indexOf(wanted);
    if (at === 0) groups[0].push(item);
    else if (at > 0) groups[1].push(item);
    else if (isScattered(name, wanted)) groups[2].push(item);
  }
  return groups.flat().slice(0, most);
}

function isScattered(name: string, letters: string): boolean {
  let next = 0;
  for (const letter of name) if (letter === letters[next]) next++;
  return next === letters.length;
}
