import type { VNode } from 'preact';

/** The words on a button with what they are for around them, which is heard and not seen: so its name holds what is seen. */
export function Named({ words, around }: { words: string; around: readonly string[] }): VNode {
  return (
    <span class="named">
      <i class="spoken">{around[0]}</i>
      {words}
      <i class="spoken">{around[1]}</i>
    </span>
  );
}
