import { signal, type Signal } from '@preact/signals';
import type { Attachment } from '../../src/protocol/message.js';
import type { PagePorts, SavedScroll } from '../ports.js';

/** Milliseconds between two copies of the draft that the host is sent. */
const DRAFT_EVERY_MS = 300;

/** What is in the composer: text and attachments, kept through reloads. */
export interface ComposerState {
  text: Signal<string>;
  attachments: Signal<Attachment[]>;
  /** Where the caret belongs after the page has changed the text itself; the composer puts it there and clears this. */
  caret: Signal<number | null>;
  /** Changes each time the composer is to take the focus. */
  focusRequests: Signal<number>;
  scroll: Signal<SavedScroll | undefined>;
  /** Replaces the text; the caret goes to `caret` or to the end. */
  setText(text: string, caret?: number): void;
  /** The person typed. */
  typed(text: string): void;
  attach(attachments: Attachment[]): void;
  detach(attachment: Attachment): void;
  /** Puts what is known of them now in place of attachments; those that are gone stay gone. */
  replace(of: Attachment[], now: Attachment[]): void;
  clear(): void;
  /** What was typed before the page was there: it comes after a draft. */
  begin(text: string, caret: number): void;
  /**
   * The draft that the host kept at that time, for a page that has none of its own or an older one: a window that crashed has not put down the
   * page's. It comes before what was typed before the page was there.
   */
  takeDraft(draft: string, at: number): void;
  /** Gives back text that was not sent: it comes before what was typed since. */
  giveBack(text: string, attachments: Attachment[]): void;
  focus(): void;
}

/** The composer's state. It saves itself at once on this side and, at most every 300 ms, with the host. */
export function createComposer(ports: PagePorts): ComposerState {
  const saved = ports.saved();
  const text = signal(saved?.draft ?? '');
  const attachments = signal<Attachment[]>(saved?.attachments ?? []);
  const caret = signal<number | null>(null);
  const focusRequests = signal(0);
  let early = '';
  let changedAt = saved?.at ?? 0;
  const scroll = signal<SavedScroll | undefined>(saved?.scroll);
  const tellHost = throttledDraft(ports, () => ({ text: text.value, at: changedAt }));

  const save = () => {
    ports.save({
      draft: text.value,
      at: changedAt,
      attachments: attachments.value,
      ...(scroll.value ? { scroll: scroll.value } : {}),
    });
  };
  const typed = (next: string) => {
    if (next === text.value) return;
    text.value = next;
    changedAt = ports.now();
    save();
    tellHost();
  };
  const setText = (next: string, at = next.length) => {
    typed(next);
    caret.value = at;
  };
  const setAttachments = (next: Attachment[]) => {
    attachments.value = next;
    save();
  };
  const attach = (more: Attachment[]) => {
    const added = more.filter((candidate) => !attachments.value.some((known) => isSameAttachment(known, candidate)));
    if (added.length > 0) setAttachments([...attachments.value, ...added]);
  };
  scroll.subscribe(save);

  return {
    text,
    attachments,
    caret,
    focusRequests,
    scroll,
    setText,
    typed,
    attach,
    detach: (gone) => setAttachments(attachments.value.filter((kept) => kept !== gone)),
    replace: (of, now) => {
      const next: Attachment[] = [];
      for (const kept of attachments.value) {
        const at = of.findIndex((one) => isSameAttachment(one, kept));
        const known = at < 0 ? kept : now[at];
        // Two addresses may have turned out to be one file.
        if (known && !next.some((other) => isSameAttachment(other, known))) next.push(known);
      }
      setAttachments(next);
    },
    begin: (words, at) => {
      if (words === '') return;
      early = words;
      const before = text.value === '' ? '' : `${text.value}\n`;
      setText(before + words, before.length + at);
    },
    takeDraft: (draft, at) => {
      const own = saved?.draft ?? '';
      const isNewer = at > (saved?.at ?? 0);
      // What was typed since the page began is newer than either.
      if (text.value !== inLines(own, early) || (own !== '' && !isNewer)) return;
      setText(inLines(draft, early));
      // What was sent took its attachments along.
      if (isNewer && draft === '') setAttachments([]);
    },
    clear: () => {
      setText('');
      setAttachments([]);
    },
    giveBack: (back, files) => {
      setText(text.value === '' ? back : `${back}\n${text.value}`);
      attach(files);
    },
    focus: () => void focusRequests.value++,
  };
}

function inLines(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}

/** Whether two are the same part of the same thing. */
export function isSameAttachment(a: Attachment, b: Attachment): boolean {
  return a.path === b.path && a.startLine === b.startLine && a.endLine === b.endLine;
}

function throttledDraft(ports: PagePorts, draft: () => { text: string; at: number }): () => void {
  let isPending = false;
  let told = draft().text;
  return () => {
    if (isPending) return;
    isPending = true;
    ports.after(DRAFT_EVERY_MS, () => {
      isPending = false;
      const now = draft();
      if (now.text === told) return;
      told = now.text;
      ports.post({ type: 'draft', ...now });
    });
  };
}
