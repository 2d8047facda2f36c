import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';

const PARTS = ['system', 'memory', 'skills', 'tools', 'history'] as const;

/** What the model's window is filled with, what of it is large, and what makes room. */
export function ContextPanel(): VNode | null {
  const { contextDetails } = usePage();
  return contextDetails.isOpen.value ? <Panel /> : null;
}

function Panel(): VNode {
  const page = usePage();
  const { contextDetails, chat } = page;
  const panel = useRef<HTMLDivElement>(null);
  const { context } = chat.value;
  useLayoutEffect(() => panel.current?.querySelector<HTMLElement>('button')?.focus(), []);
  const close = () => {
    contextDetails.isOpen.value = false;
    page.composer.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  // The host estimates; the parts are in the model's own tokens.
  const attached = Math.min(contextDetails.pieces.value?.attachments ?? 0, context?.history ?? 0);
  return (
    <div class="context" role="dialog" aria-label={strings.contextDetails} ref={panel} onKeyDown={onKey}>
      <header>
        <strong>{context ? strings.contextOf(context.used, context.window) : strings.contextUnknown}</strong>
        <IconButton icon="close" label={strings.close} keys="Escape" onPress={close} />
      </header>
      {context && (
        <table>
          <tbody>
            {PARTS.map((part) => (
              <Part label={strings.contextParts[part]} tokens={context[part]} window={context.window} />
            ))}
            {attached > 0 && <Part label={strings.attachedPart} tokens={attached} window={context.window} isInner />}
          </tbody>
        </table>
      )}
      <Largest onGo={close} />
      <h3>{strings.drop}</h3>
      <ul>
        {ways(page).map(({ label, why, act }) => (
          <Row
            title={why}
            onPress={() => {
              close();
              act();
            }}
          >
            <span class="link">{label}</span> <small>{why}</small>
          </Row>
        ))}
      </ul>
    </div>
  );
}

/** What makes room. */
function ways({ post, sendText }: Page): { label: string; why: string; act: () => void }[] {
  return [
    { label: strings.compact, why: strings.compactExplained, act: () => sendText('/compact', []) },
    { label: strings.newChat, why: strings.newChatExplained, act: () => post({ type: 'newChat' }) },
    {
      label: strings.openServers,
      why: strings.openServersExplained,
      act: () => post({ type: 'openView', view: 'servers' }),
    },
    {
      label: strings.openSkills,
      why: strings.openSkillsExplained,
      act: () => post({ type: 'openView', view: 'skills' }),
    },
    { label: strings.openMemory, why: strings.openMemoryExplained, act: () => post({ type: 'openMemory' }) },
  ];
}

/** Several messages and results by their size; a press goes there. */
function Largest({ onGo }: { onGo: () => void }): VNode | null {
  const page = usePage();
  const found = page.contextDetails.pieces.value;
  if (!found) return null;
  return (
    <>
      <h3>{strings.largest}</h3>
      {found.pieces.length === 0 && <small>{strings.nothingLarge}</small>}
      <ul>
        {found.pieces.map(({ label, tokens, kind, index }) => (
          <Row
            title={label}
            onPress={() => {
              onGo();
              page.post({ type: 'goTo', index });
            }}
          >
            <small>{strings.pieceKinds[kind]}</small> <span>{label}</span>
            <small class="size">{strings.tokens(tokens)}</small>
          </Row>
        ))}
      </ul>
    </>
  );
}

function Row(props: { title: string; onPress: () => void; children: ComponentChildren }): VNode {
  const { title, onPress, children } = props;
  return (
    <li>
      <button type="button" title={title} onClick={onPress}>
        {children}
      </button>
    </li>
  );
}

interface PartProps {
  label: string;
  tokens: number;
  window: number;
  /** A part of the row above. */
  isInner?: boolean;
}

function Part({ label, tokens, window, isInner }: PartProps): VNode {
  return (
    <tr class={isInner ? 'inner' : ''}>
      <th scope="row">{label}</th>
      <td>{strings.tokens(tokens)}</td>
      <td>{strings.percent(tokens / window)}</td>
      <td aria-hidden="true">
        <progress max={window} value={tokens} />
      </td>
    </tr>
  );
}
