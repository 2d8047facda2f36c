import type { Page } from '../state.js';

/** Milliseconds after the end of a composition in which Enter still belongs to the input method: Safari reports it late. */
const LATE_ENTER_MS = 50;

/** The composer's keys. It owns what ↑ recalls and when the input method was last at work. */
export class ComposerKeys {
  private composedAt = Number.NEGATIVE_INFINITY;
  /** Position in the former prompts, counted from the newest; -1 while nothing is recalled. */
  private recalled = -1;

  constructor(
    private readonly page: Page,
    /** Puts a suggestion into the text. */
    private readonly pick: () => void,
  ) {}

  /** @param at the event's time stamp in milliseconds. */
  compositionEnded(at: number): void {
    this.composedAt = at;
  }

  onKey(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return;
    if (this.onListKey(event) || this.onRecallKey(event) || this.onChipKey(event)) return event.preventDefault();
    if (event.key === '?' && this.page.composer.text.value === '') {
      this.page.dialog.value = 'keys';
      return event.preventDefault();
    }
    if (event.key === 'Escape') this.page.stop();
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (event.timeStamp - this.composedAt < LATE_ENTER_MS) return;
    this.recalled = -1;
    this.page.send();
  }

  /** True if the key belonged to the list of suggestions. */
  private onListKey({ key, shiftKey }: KeyboardEvent): boolean {
    const { mentions } = this.page;
    const chosen = mentions.suggestions.value[mentions.active.value];
    if (!chosen) return false;
    if (key === 'ArrowDown') mentions.move(1);
    else if (key === 'ArrowUp') mentions.move(-1);
    else if (key === 'Escape') mentions.close();
    else if (key === 'Tab' || (key === 'Enter' && !shiftKey && !this.isTypedOut())) this.pick();
    else return false;
    return true;
  }

  /** A command that is there in full is sent, not completed. */
  private isTypedOut(): boolean {
    const { mentions, setup } = this.page;
    const trigger = mentions.trigger.value;
    const isKnown = (query: string) => setup.value?.commands.some(({ name }) => name.replace(/^\//, '') === query);
    return trigger?.kind === 'command' && isKnown(trigger.query) === true;
  }

  /** Alt+S adds what is selected in the editor; Backspace in an empty box goes to the newest chip, where it removes it. */
  private onChipKey({ key, code, altKey, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
    const { attaching, composer } = this.page;
    if (altKey && !ctrlKey && !metaKey && code === 'KeyS' && attaching.offer.value) {
      attaching.acceptOffer();
      return true;
    }
    if (key !== 'Backspace' || composer.text.value !== '') return false;
    const chips = (target as Element).closest('.composer')?.querySelectorAll<HTMLElement>('.chip .remove');
    const last = chips?.[chips.length - 1];
    last?.focus();
    return last !== undefined;
  }

  /** ↑ in an empty box, and ↑ ↓ while what it recalled stands unchanged. */
  private onRecallKey({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    if ((key !== 'ArrowUp' && key !== 'ArrowDown') || shiftKey || ctrlKey || metaKey || altKey) return false;
    const prompts = this.formerPrompts();
    const { text } = this.page.composer;
    if (this.recalled >= 0 && text.value !== prompts[this.recalled]) this.recalled = -1;
    if (this.recalled < 0 && (text.value !== '' || key === 'ArrowDown')) return false;
    const next = this.recalled + (key === 'ArrowUp' ? 1 : -1);
    if (next >= prompts.length) return true;
    this.recalled = next;
    this.page.composer.setText(prompts[next] ?? '');
    return true;
  }

  /** The newest first, repetitions once. */
  private formerPrompts(): string[] {
    const texts = this.page.chat.value.messages
      .filter((message) => message.role === 'user')
      .map((message) => message.parts.map((part) => (part.kind === 'text' ? part.text : '')).join(''));
    return [...new Set(texts.reverse())].filter((text) => text !== '');
  }
}
