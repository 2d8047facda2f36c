import type { VNode } from 'preact';
import type { Attachment } from '../../src/protocol/message.js';
import { usePage } from '../pageContext.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { Icon, type IconName } from '../ui/icon.js';
import { isSameAttachment } from './composerState.js';

/** What goes with the next message, what is on its way to that, and what is selected in the editor, which is only offered. */
export function Chips(): VNode | null {
  const { composer, attaching } = usePage();
  const attachments = composer.attachments.value;
  const offer = attaching.offer.value;
  const isOffered = offer !== null && !attachments.some((known) => isSameAttachment(known, offer));
  if (attachments.length + attaching.busy.value.length === 0 && !isOffered) return null;
  return (
    <div class="chips" role="group" aria-label={strings.attachments} onKeyDown={onChipKey}>
      {isOffered && (
        <button type="button" class="chip offer" title={strings.offerExplained} onClick={attaching.acceptOffer}>
          <Icon name="add" />
          <span>{strings.offer(nameOf(offer))}</span>
        </button>
      )}
      {attachments.map((attachment) => (
        <Chip attachment={attachment} />
      ))}
      {attaching.busy.value.map(({ id, source }) => (
        <span key={id} class="chip" data-kind={source.kind} aria-busy="true">
          <span>
            <Icon name={iconOf(source)} />
            <span>{source.label}</span>
            <small>{strings.reading}</small>
          </span>
          <RemoveChip name={source.label} onPress={() => attaching.cancel(id)} />
        </span>
      ))}
    </div>
  );
}

function Chip({ attachment }: { attachment: Attachment }): VNode {
  const page = usePage();
  const { path, kind, tokens, error } = attachment;
  const name = nameOf(attachment);
  const size = error === undefined && tokens !== undefined ? strings.tokens(tokens) : '';
  return (
    <span class={`chip ${error === undefined ? '' : 'failed'}`} data-kind={kind ?? 'file'}>
      <button
        type="button"
        title={[error ?? path, size].filter(Boolean).join('\n')}
        aria-label={[strings.openFile(name), error ?? size].filter(Boolean).join(', ')}
        onClick={() => openAttachment(page, attachment)}
      >
        <Icon name={iconOf(attachment)} />
        <span>{name}</span> {size && <small>{size}</small>}
      </button>
      {error !== undefined && <small>{strings.cannotAttach}</small>}
      {kind === 'text' && (
        <button
          type="button"
          title={strings.unfold}
          aria-label={strings.unfoldText(name)}
          onClick={() => page.attaching.unfold(attachment)}
        >
          <Icon name="text" />
        </button>
      )}
      <RemoveChip name={name} onPress={() => page.composer.detach(attachment)} />
    </span>
  );
}

function RemoveChip({ name, onPress }: { name: string; onPress: () => void }): VNode {
  const { composer } = usePage();
  return (
    <button
      type="button"
      class="remove"
      title={strings.removeAttachment(name)}
      aria-label={strings.removeAttachment(name)}
      onClick={(event) => {
        const next = neighbourOf(event.currentTarget);
        onPress();
        // The focus would be lost with the chip.
        if (next) next.focus();
        else composer.focus();
      }}
    >
      <Icon name="close" />
    </button>
  );
}

function neighbourOf(button: HTMLElement): HTMLElement | null {
  const chip = button.closest('.chip');
  const other = chip?.nextElementSibling ?? chip?.previousElementSibling;
  return other?.querySelector<HTMLElement>('.remove') ?? null;
}

/** Backspace and Delete remove the chip that has the focus. */
function onChipKey(event: KeyboardEvent): void {
  if (event.key !== 'Backspace' && event.key !== 'Delete') return;
  const remove = (event.target as Element).closest('.chip')?.querySelector<HTMLElement>('.remove');
  if (!remove) return;
  event.preventDefault();
  remove.click();
}

/** Opens what is attached: a file at its lines, an address that could not be read in the browser. */
export function openAttachment({ post }: Pick<Page, 'post'>, { path, kind, startLine, error }: Attachment): void {
  if (kind === 'url' && error !== undefined) post({ type: 'openLink', href: path });
  else if (kind === 'session' && error !== undefined) post({ type: 'openSession', key: path });
  else post({ type: 'openFile', path, ...(startLine ? { line: startLine } : {}) });
}

/** What a chip is called: a file with its lines, everything else by its own name. */
export function nameOf({ label, kind, startLine, endLine }: Attachment): string {
  return label + (startLine && kind !== 'symbol' ? strings.lines(startLine, endLine ?? startLine) : '');
}

/** The picture of what is attached. */
export function iconOf({ kind }: { kind?: Attachment['kind'] | 'narrow' }): IconName {
  return kind === undefined || kind === 'narrow' ? 'file' : kind;
}
