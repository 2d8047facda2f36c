import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isClosed } from '../../src/protocol/chatState.js';
import { usePage } from '../pageContext.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import { Named } from '../ui/named.js';
import { Chips } from './chips.js';
import { ContextMeter } from './contextMeter.js';
import { ComposerKeys } from './keys.js';
import { pick, Suggestions } from './suggestions.js';
import { UsageButton } from './usage.js';

/** Where a person writes. */
export function Composer(): VNode {
  const page = usePage();
  const box = useRef<HTMLTextAreaElement>(null);
  const keys = useRef<ComposerKeys | null>(null);
  keys.current ??= new ComposerKeys(page, () => pick(page));
  useCaret(page, box);
  useLayoutEffect(() => {
    // Preact does not know this event by its property.
    const onEnd = (event: Event) => keys.current?.compositionEnded(event.timeStamp);
    box.current?.addEventListener('compositionend', onEnd);
    return () => box.current?.removeEventListener('compositionend', onEnd);
  }, []);
  const look = () => {
    if (box.current) page.mentions.look(box.current.value, box.current.selectionStart);
  };
  const { composer, attaching, chat, host, mentions, refusal } = page;
  const isListed = mentions.suggestions.value.length > 0;
  const closed = isClosed(chat.value.session);
  return (
    <div class="composer">
      <Suggestions />
      {host.isSilent.value && (
        <p class="refusal" role="alert">
          {strings.hostSilent}
        </p>
      )}
      {refusal.value && (
        <p class="refusal" role="alert">
          {refusal.value}
        </p>
      )}
      <Chips />
      {attaching.isAwaited.value && (
        <p class="note" role="status">
          {strings.sendsWhenRead}
        </p>
      )}
      <textarea
        ref={box}
        rows={1}
        dir="auto"
        aria-label={strings.messageNanobot}
        aria-autocomplete="list"
        aria-controls={isListed ? 'suggestions' : undefined}
        aria-activedescendant={isListed ? `suggestion-${mentions.active.value}` : undefined}
        placeholder={chat.value.turn ? strings.placeholderRunning : strings.placeholder}
        value={composer.text.value}
        disabled={closed}
        onInput={(event) => {
          composer.typed(event.currentTarget.value);
          attaching.forgetAwaited();
          look();
        }}
        onKeyDown={(event) => keys.current?.onKey(event)}
        onPaste={(event) => onPaste(page, event)}
        onKeyUp={look}
        onClick={look}
        onBlur={() => mentions.close()}
      />
      <Actions />
    </div>
  );
}

/** Puts the caret and the focus where the page wants them. */
function useCaret(page: Page, box: { current: HTMLTextAreaElement | null }): void {
  const { caret, focusRequests } = page.composer;
  const at = caret.value;
  useLayoutEffect(() => {
    if (at === null) return;
    box.current?.setSelectionRange(at, at);
    caret.value = null;
  }, [at]);
  useLayoutEffect(() => {
    // Not when the page opens: the person may be typing in an editor.
    if (focusRequests.value > 0) box.current?.focus();
  }, [focusRequests.value]);
}

function Actions(): VNode {
  const page = usePage();
  const { composer, attaching, chat } = page;
  const { turn, model, session } = chat.value;
  const attached = composer.attachments.value.length + attaching.busy.value.length;
  const isEmpty = composer.text.value.trim() === '' && attached === 0;
  return (
    <div class="actions">
      <IconButton
        icon="attach"
        label={strings.attach}
        keys={strings.attachKeys}
        disabled={isClosed(session)}
        onPress={() => page.post({ type: 'attach' })}
      />
      <button
        type="button"
        class="model"
        title={model ? strings.modelTooltip(model) : strings.noModel}
        onClick={() => page.post({ type: 'selectModel' })}
      >
        <Named words={model?.label ?? strings.noModel} around={strings.selectModel} />
        {model && (
          <small aria-hidden="true">
            {model.profile ?? (model.own ? strings.thisChatOnly : strings.window(model.window))}
          </small>
        )}
      </button>
      <UsageButton />
      <ContextMeter />
      {turn && <IconButton icon="stop" label={strings.stop} keys="Escape" onPress={page.stop} />}
      {(!turn || !isEmpty) && (
        <IconButton
          icon="send"
          label={strings.send}
          keys="Enter"
          className="primary"
          disabled={isEmpty || isClosed(session)}
          onPress={page.send}
        />
      )}
    </div>
  );
}

/** Images and long texts become attachments; everything else goes into the box as usual. */
function onPaste({ attaching }: Page, event: ClipboardEvent): void {
  const data = event.clipboardData;
  if (!data) return;
  const images = [...data.files].filter(({ type }) => type.startsWith('image/'));
  // A spreadsheet's cells come as text and as a picture of them.
  const text = data.getData('text/plain');
  if (images.length > 0 && text === '') attaching.takeImages(images);
  else if (!attaching.takeText(text)) return;
  event.preventDefault();
}
