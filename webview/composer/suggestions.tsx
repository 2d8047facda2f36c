import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import type { Suggestion } from './mentionState.js';

/** The list over the composer. The focus stays in the composer, which names the active row. */
export function Suggestions(): VNode | null {
  const page = usePage();
  const { suggestions, active } = page.mentions;
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active.value, suggestions.value]);
  if (suggestions.value.length === 0) return null;
  return (
    <ul id="suggestions" class="suggestions" role="listbox" aria-label={strings.suggestions} ref={list}>
      {suggestions.value.map((suggestion, index) => (
        <li
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === active.value}
          // A press must not take the focus from the composer.
          onMouseDown={(event) => {
            event.preventDefault();
            pick(page, index);
          }}
        >
          <Row suggestion={suggestion} />
        </li>
      ))}
    </ul>
  );
}

function Row({ suggestion }: { suggestion: Suggestion }): VNode {
  if (suggestion.kind === 'command') {
    const { name, description } = suggestion.item;
    return (
      <>
        <span>/{name.replace(/^\//, '')}</span> <small>{description}</small>
      </>
    );
  }
  const { label } = suggestion.item;
  const name = label.split(/[\\/]/).at(-1) ?? label;
  return (
    <>
      <span>{name}</span> {name !== label && <small>{label.slice(0, -name.length - 1)}</small>}
    </>
  );
}

/** A command completes the text; a file becomes an attachment and its word goes. */
export function pick(page: Page, index = page.mentions.active.value): void {
  const { mentions, composer } = page;
  const trigger = mentions.trigger.value;
  const chosen = mentions.suggestions.value[index];
  if (!trigger || !chosen) return;
  const text = composer.text.value;
  const before = text.slice(0, trigger.start);
  const after = text.slice(trigger.start + 1 + trigger.query.length);
  if (chosen.kind === 'command') {
    const command = `/${chosen.item.name.replace(/^\//, '')} `;
    composer.setText(command + after.trimStart(), command.length);
  } else {
    composer.attach([{ path: chosen.item.path, label: chosen.item.label }]);
    composer.setText(before + after.trimStart(), before.length);
  }
  mentions.close();
}
