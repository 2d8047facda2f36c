import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ChatMessage, Part, ToolPart } from '../../src/protocol/chatState.js';
import type { Attachment, ErrorInfo } from '../../src/protocol/message.js';
import { iconOf, nameOf, openAttachment } from '../composer/chips.js';
import { MarkdownText } from '../markdown/markdownText.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';
import { TextArea } from '../ui/fields.js';
import { Icon } from '../ui/icon.js';
import { Lines } from '../ui/lines.js';
import { memo } from '../ui/memo.js';
import { Changes } from './changes.js';
import { SubagentCard, SubagentResult } from '../cards/subagent.js';
import { ToolCard } from './toolCard.js';

/** A message of the conversation. Drawn again only when it changes itself: a finished one never is. */
export const Message = memo(({ message, isPending }: MessageProps): VNode => {
  if (message.role === 'assistant') return <Answer message={message} />;
  return <UserMessage message={message} isPending={isPending} />;
});

interface MessageProps {
  message: ChatMessage;
  /** True from Enter until the host has confirmed the message. */
  isPending: boolean;
}

function Answer({ message }: { message: ChatMessage }): VNode {
  const { turn, error, parts } = message;
  return (
    <article
      role="article"
      aria-label={strings.nanobot}
      tabIndex={-1}
      data-message-id={message.id}
      data-status={message.status}
    >
      {parts.map((part, index) => (
        <PartView part={part} done={message.status !== 'streaming' || index < parts.length - 1} />
      ))}
      {message.status === 'aborted' && <p class="note">{strings.stopped}</p>}
      {error && <ErrorBox error={error} messageId={message.id} />}
      {turn?.changes && turn.changes.length > 0 && <Changes turn={turn} changes={turn.changes} />}
    </article>
  );
}

const PartView = memo(({ part, done }: { part: Part; done: boolean }): VNode => {
  if (part.kind === 'text') return <MarkdownText text={part.text} done={done} />;
  if (part.kind === 'thinking') return <Thinking text={part.text} done={done} />;
  return part.name === 'spawn' ? <SpawnCall part={part} /> : <ToolCard part={part} />;
});

/** A call that started no subagent (yet) is one like any other. */
function SpawnCall({ part }: { part: ToolPart }): VNode {
  const subagent = usePage().subagents.value.find(({ callId }) => callId === part.callId);
  return subagent ? <SubagentCard subagent={subagent} /> : <ToolCard part={part} />;
}

/** Folded; its text is in the page only while it is open. */
function Thinking({ text, done }: { text: string; done: boolean }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="thinking" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{done ? strings.thought : strings.thinking}</summary>
      {isOpen && (
        <div>
          <Lines text={text} />
        </div>
      )}
    </details>
  );
}

function ErrorBox({ error, messageId }: { error: ErrorInfo; messageId: string }): VNode {
  const page = usePage();
  return (
    <div class="notice error" data-code={error.code}>
      <p>{error.message}</p>
      {error.next.map((step, index) => (
        <Button
          label={strings.nextStep(step)}
          appearance={index === 0 ? 'primary' : 'secondary'}
          onPress={() => page.next(step, { messageId })}
        />
      ))}
    </div>
  );
}

/** What the person wrote, as it was written. */
function UserMessage({ message, isPending }: MessageProps): VNode {
  const { editing } = usePage();
  const text = plainText(message.parts);
  const isEdited = editing.value === message.id;
  const { sender } = message;
  if (sender?.kind === 'subagent') {
    const label = strings.subagentResult(sender.label);
    return (
      <article role="article" aria-label={label} tabIndex={-1} data-message-id={message.id} data-status="done">
        <SubagentResult sender={sender} text={text} />
      </article>
    );
  }
  return (
    <article
      role="article"
      aria-label={sender ? strings.task : strings.you}
      tabIndex={-1}
      class="you"
      data-message-id={message.id}
      data-status={isPending ? 'queued' : 'done'}
    >
      {isEdited ? <Edit id={message.id} text={text} /> : <Lines text={text} />}
      {message.attachments && <Attached attachments={message.attachments} />}
    </article>
  );
}

/** The text of a message's parts, as Copy and Edit use it. */
export function plainText(parts: Part[]): string {
  return parts
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n\n');
}

function Edit({ id, text }: { id: string; text: string }): VNode {
  const page = usePage();
  const [value, setValue] = useState(text);
  const [withFiles, setWithFiles] = useState(false);
  const plan = page.editPlan.value;
  const files = plan?.messageId === id ? plan.files.length : 0;
  const changed = plan?.files.filter(({ changedSince }) => changedSince).length ?? 0;
  const close = () => void (page.editing.value = null);
  const send = () => {
    if (value.trim() === '') return;
    close();
    page.resend(id, value.trim(), withFiles);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send();
    } else return;
    event.stopPropagation();
  };
  const rows = Math.min(12, value.split('\n').length + 1);
  return (
    <div class="edit">
      <TextArea label={strings.editMessage} value={value} onType={setValue} onKey={onKey} rows={rows} autofocus />
      {files > 0 && (
        <label class="files">
          <input type="checkbox" checked={withFiles} onChange={() => setWithFiles(!withFiles)} />
          {strings.alsoRestoreFiles(files, changed)}
        </label>
      )}
      <Button label={strings.resend} appearance="primary" disabled={value.trim() === ''} onPress={send} />
      <Button label={strings.cancel} onPress={close} />
    </div>
  );
}

function Attached({ attachments }: { attachments: Attachment[] }): VNode {
  const page = usePage();
  return (
    <div class="chips">
      {attachments.map((attachment) => (
        <button
          type="button"
          class={`chip ${attachment.error === undefined ? '' : 'failed'}`}
          title={attachment.error ?? strings.openFile(attachment.path)}
          onClick={() => openAttachment(page, attachment)}
        >
          {attachment.kind && <Icon name={iconOf(attachment)} />}
          <bdi>{nameOf(attachment)}</bdi>
        </button>
      ))}
    </div>
  );
}
