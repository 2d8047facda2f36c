import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import type { MentionItem } from '../../src/protocol/wire.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { Icon, type IconName } from '../ui/icon.js';
import { iconOf } from './chips.js';
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
  const { label, kind, detail } = suggestion.item;
  const name = kind === undefined || kind === 'folder' ? (label.split(/[\\/]/).at(-1) ?? label) : label;
  const where = detail ?? (name === label ? '' : label.slice(0, -name.length - 1));
  return (
    <>
      <Icon name={kind === 'narrow' ? narrowIcon(suggestion.item) : iconOf({ kind })} />
      <span>{name}</span> {where && <small>{where}</small>}
    </>
  );
}

function narrowIcon({ path }: MentionItem): IconName {
  if (path.startsWith('https')) return 'url';
  const kind = path.slice(0, -1);
  return kind === 'symbol' || kind === 'session' || kind === 'memory' || kind === 'skill' ? kind : 'file';
}

/** A command completes the text, as does a word that narrows the list; everything else becomes an attachment and its word goes. */
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
  } else if (chosen.item.kind === 'narrow') {
    const narrowed = `${before}@${chosen.item.path}`;
    composer.setText(narrowed + after, narrowed.length);
    return mentions.look(narrowed + after, narrowed.length);
  } else {
    attachItem(page, chosen.item);
    composer.setText(before + after.trimStart(), before.length);
  }
  mentions.chosen();
}

function attachItem({ attaching }: Page, { kind, path, label, line }: MentionItem): void {
  if (kind === 'narrow') return;
  if (kind === undefined || kind === 'folder' || kind === 'memory' || kind === 'skill' || kind === 'image')
    attaching.add([{ path, label, ...(kind ? { kind } : {}) }]);
  else attaching.take({ kind, value: path, label, ...(line ? { line } : {}) });
}
