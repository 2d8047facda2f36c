import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import { TextField } from '../ui/fields.js';

/** Searches the whole conversation, messages that are not loaded too. */
export function FindBar(): VNode | null {
  const { find, composer } = usePage();
  if (!find.isOpen.value) return null;
  const close = () => {
    find.close();
    composer.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' || event.key === 'F3') find.step(event.shiftKey ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const count = find.hits.value.length;
  return (
    <div class="find" role="search" aria-label={strings.find} onKeyDown={onKey}>
      <TextField
        label={strings.find}
        placeholder={strings.find}
        value={find.query.value}
        onType={find.type}
        autofocus
      />
      <span class="count">{countOf(find.query.value, find.isBusy.value, find.current.value, count)}</span>
      <IconButton
        icon="previous"
        label={strings.findPrevious}
        keys="Enter"
        disabled={count === 0}
        onPress={() => find.step(-1)}
      />
      <IconButton
        icon="next"
        label={strings.findNext}
        keys="Shift+Enter"
        disabled={count === 0}
        onPress={() => find.step(1)}
      />
      <IconButton icon="close" label={strings.closeFind} keys="Escape" onPress={close} />
    </div>
  );
}

function countOf(query: string, isBusy: boolean, current: number, count: number): string {
  if (query.trim() === '' || isBusy) return '';
  return count === 0 ? strings.findNothing : strings.findCount(current + 1, count);
}
