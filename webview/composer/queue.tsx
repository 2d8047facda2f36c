import type { VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { QueuedMessage } from '../../src/protocol/event.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';
import { TextArea } from '../ui/fields.js';
import { Lines } from '../ui/lines.js';

/** Messages that wait for the running turn's next step, or that a Stop left behind. */
export function Queue(): VNode | null {
  const page = usePage();
  const { queue, turn } = page.chat.value;
  const sent = turn ? page.pending.value : [];
  if (queue.length + sent.length === 0) return null;
  const isLeft = queue.some((message) => !message.armed);
  return (
    <section class="queue" aria-label={strings.queue}>
      <QueueRows queue={queue} />
      {sent.map((prompt) => (
        <article role="article" aria-label={strings.you} data-message-id={prompt.id} data-status="queued">
          <p>{prompt.text}</p>
        </article>
      ))}
      {isLeft && (
        <Button
          label={strings.send}
          fullLabel={strings.sendQueued}
          appearance="primary"
          onPress={() => page.post({ type: 'queueSend' })}
        />
      )}
    </section>
  );
}

/** The rows in the order in which they will be handed on; Alt+↑ and Alt+↓ move one. */
function QueueRows({ queue }: { queue: QueuedMessage[] }): VNode {
  const page = usePage();
  const rows = useRef<HTMLDivElement>(null);
  const moved = useRef<string | null>(null);
  const order = queue.map(({ id }) => id).join();
  useLayoutEffect(() => {
    const at = queue.findIndex(({ id }) => id === moved.current);
    moved.current = null;
    if (at < 0) return;
    page.say(strings.queuePlace(at + 1, queue.length));
    // A row that is put elsewhere loses the focus, and at the end of the queue its button does.
    const row = rows.current?.children[at];
    const isLost = !document.activeElement || document.activeElement === document.body;
    if (isLost) row?.querySelector<HTMLElement>('button:not(:disabled)')?.focus();
  }, [order]);
  const move = (id: string, by: -1 | 1) => {
    const at = queue.findIndex((message) => message.id === id);
    if (!queue[at + by]) return;
    moved.current = id;
    page.post({ type: 'queueMove', id, by });
  };
  return (
    <div ref={rows}>
      {queue.map((message, at) => (
        <QueueRow
          key={message.id}
          message={message}
          isFirst={at === 0}
          isLast={at === queue.length - 1}
          onMove={(by) => move(message.id, by)}
        />
      ))}
    </div>
  );
}

interface QueueRowProps {
  message: QueuedMessage;
  isFirst: boolean;
  isLast: boolean;
  onMove: (by: -1 | 1) => void;
}

/** An armed message is on its way and counts as one of the conversation; one that a Stop left is a draft. */
function QueueRow({ message, isFirst, isLast, onMove }: QueueRowProps): VNode {
  const page = usePage();
  const [isEdited, setEdited] = useState(false);
  const { id, armed, attachments, sender } = message;
  const isTyped = sender === undefined;
  const text = sender?.kind === 'subagent' ? strings.subagentResult(sender.label) : message.text;
  const save = (next: string) => {
    setEdited(false);
    if (next.trim() !== '' && next !== text) page.post({ type: 'queueEdit', id, text: next.trim() });
  };
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0 || !event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    event.preventDefault();
    onMove(by);
  };
  return (
    <article
      role={armed ? 'article' : 'group'}
      aria-label={isTyped ? strings.you : text}
      onKeyDown={onKey}
      data-message-id={id}
      data-status="queued"
    >
      {isEdited ? (
        <QueueEdit text={text} onSave={save} onCancel={() => setEdited(false)} />
      ) : (
        <>
          <p title={armed ? strings.queued : strings.notSentYet}>
            <Lines text={text} />
            {attachments.length > 0 && <em>{attachments.map(({ label }) => label).join(', ')}</em>}
          </p>
          {!(isFirst && isLast) && (
            <>
              <IconButton
                icon="previous"
                label={strings.moveQueuedUp}
                keys="Alt+↑"
                disabled={isFirst}
                onPress={() => onMove(-1)}
              />
              <IconButton
                icon="next"
                label={strings.moveQueuedDown}
                keys="Alt+↓"
                disabled={isLast}
                onPress={() => onMove(1)}
              />
            </>
          )}
          {isTyped && <IconButton icon="edit" label={strings.editQueued} onPress={() => setEdited(true)} />}
          <IconButton
            icon="close"
            label={strings.removeQueued}
            onPress={() => page.post({ type: 'queueRemove', id })}
          />
        </>
      )}
    </article>
  );
}

interface QueueEditProps {
  text: string;
  onSave: (text: string) => void;
  onCancel: () => void;
}

function QueueEdit({ text, onSave, onCancel }: QueueEditProps): VNode {
  const [value, setValue] = useState(text);
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') onCancel();
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      onSave(value);
    } else return;
    event.stopPropagation();
  };
  return (
    <div class="edit">
      <TextArea label={strings.editQueued} value={value} onType={setValue} onKey={onKey} rows={2} autofocus />
      <Button label={strings.save} appearance="primary" onPress={() => onSave(value)} />
      <Button label={strings.cancel} onPress={onCancel} />
    </div>
  );
}
