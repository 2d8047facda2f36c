import { signal, type ReadonlySignal } from '@preact/signals';
import type { Attachment } from '../../src/protocol/message.js';
import {
  LONG_PASTE,
  MAX_ATTACHMENTS,
  MAX_IMAGES,
  MAX_PASTED,
  type AttachmentSource,
  type HostMessage,
} from '../../src/protocol/wire.js';
import type { PagePorts } from '../ports.js';
import { strings } from '../strings.js';
import { isSameAttachment, type ComposerState } from './composerState.js';
import { fittingImage } from './images.js';

/** Something that the host still has to have before it is an attachment. */
export interface BusyChip {
  id: string;
  source: AttachmentSource;
}

/** What goes with the next message and how it gets there. */
export interface Attaching {
  busy: ReadonlySignal<BusyChip[]>;
  /** What is selected in the editor and not attached yet. */
  offer: ReadonlySignal<Attachment | null>;
  /** Whether the message is sent as soon as nothing is busy any more. */
  isAwaited: ReadonlySignal<boolean>;
  /** Files, folders and what else has a path already. */
  add(attachments: Attachment[]): void;
  /** What the host has to have first. */
  take(source: AttachmentSource): void;
  /** Images that were pasted or dropped, one after the other. */
  takeImages(files: File[]): void;
  /** Takes a pasted text if it is a long one; false where it belongs into the box. */
  takeText(text: string): boolean;
  cancel(id: string): void;
  /** Puts a pasted text into the box. */
  unfold(attachment: Attachment): void;
  acceptOffer(): void;
  /** Looks anew at what a page had that was loaded before: a file may be gone. */
  measureAll(): void;
  /** Sends once nothing is busy; false where nothing is. */
  awaitBusy(): boolean;
  /** The person goes on writing, or to another chat. */
  forgetAwaited(): void;
  receive(message: ContextMessage): void;
}

/** What the host says of attachments. */
export type ContextMessage = Extract<
  HostMessage,
  { type: 'attached' | 'taken' | 'notTaken' | 'measured' | 'shrink' | 'selection' }
>;

/** @param refuse shows why something was not attached. @param send sends what is in the composer. */
export function createAttaching(
  ports: PagePorts,
  composer: ComposerState,
  refuse: (reason: string) => void,
  send: () => void,
): Attaching {
  const busy = signal<BusyChip[]>([]);
  const selected = signal<Attachment | null>(null);
  const isAwaited = signal(false);
  let pictures = 0;
  let reading: Promise<void> = Promise.resolve();

  const count = () => composer.attachments.value.length + busy.value.length;
  const images = () =>
    composer.attachments.value.filter(({ kind }) => kind === 'image').length +
    busy.value.filter(({ source }) => source.kind === 'image').length;
  const measure = (attachments: Attachment[]) => {
    if (attachments.length > 0) ports.post({ type: 'measure', attachments: attachments.slice(0, MAX_ATTACHMENTS) });
  };
  const add = (attachments: Attachment[]) => {
    const room = Math.max(0, MAX_ATTACHMENTS - count());
    if (attachments.length > room) refuse(strings.tooManyAttachments(attachments.length - room));
    const added = attachments.slice(0, room);
    composer.attach(added);
    measure(added.filter(({ tokens, error }) => tokens === undefined && error === undefined));
  };
  const begin = (source: AttachmentSource): string | undefined => {
    if (count() >= MAX_ATTACHMENTS) {
      refuse(strings.tooManyAttachments(1));
      return undefined;
    }
    const id = ports.newId();
    busy.value = [...busy.value, { id, source: { ...source, value: source.kind === 'text' ? source.value : '' } }];
    return id;
  };
  const end = (id: string): BusyChip | undefined => {
    const chip = busy.value.find((one) => one.id === id);
    if (chip) busy.value = busy.value.filter((one) => one !== chip);
    return chip;
  };
  const afterBusy = () => {
    if (busy.value.length > 0 || !isAwaited.value) return;
    isAwaited.value = false;
    send();
  };
  const take = (source: AttachmentSource) => {
    const id = begin(source);
    if (id !== undefined) ports.post({ type: 'take', id, source });
  };
  const giveUp = (id: string, reason: string) => {
    const chip = end(id);
    if (!chip) return;
    isAwaited.value = false;
    if (chip.source.kind === 'text') composer.giveBack(chip.source.value, []);
    refuse(strings.notAttached(chip.source.label, reason));
  };
  /** A picture at a time: twenty that are decoded side by side would take gigabytes. */
  const takeImage = (blob: Blob, label: string) => {
    const id = begin({ kind: 'image', label, value: '' });
    if (id === undefined) return;
    reading = reading.then(async () => {
      if (!busy.value.some((chip) => chip.id === id)) return;
      try {
        ports.post({ type: 'take', id, source: { kind: 'image', label, value: await fittingImage(blob) } });
      } catch {
        giveUp(id, strings.noImage);
      }
    });
  };
  const takeImages = (files: File[]) => {
    const room = Math.max(0, MAX_IMAGES - images());
    if (files.length > room) refuse(strings.tooManyImages(MAX_IMAGES, files.length - room));
    for (const file of files.slice(0, room)) {
      // What comes from the clipboard is always called the same.
      const isNamed = file.name !== '' && !/^image\.\w+$/.test(file.name);
      takeImage(file, isNamed ? file.name : strings.pastedImage(++pictures));
    }
  };
  /** Files turn out to be images when the host has looked at them. */
  const dropImages = () => {
    const extra = composer.attachments.value.filter(({ kind }) => kind === 'image').slice(MAX_IMAGES);
    if (extra.length === 0) return;
    composer.replace(extra, []);
    refuse(strings.tooManyImages(MAX_IMAGES, extra.length));
  };
  const takeText = (text: string) => {
    const lines = text.split('\n').length;
    if (text.length < LONG_PASTE.characters && lines < LONG_PASTE.lines) return false;
    if (text.length > MAX_PASTED) refuse(strings.pastedTooLong);
    else take({ kind: 'text', label: strings.pastedText(text.trim().split('\n')[0] ?? '', lines), value: text });
    return true;
  };
  const shrink = ({ of, data }: Extract<ContextMessage, { type: 'shrink' }>) => {
    if (!composer.attachments.value.some((known) => isSameAttachment(known, of))) return;
    composer.replace([of], []);
    takeImage(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]), of.label);
  };

  return {
    busy,
    offer: selected,
    isAwaited,
    add,
    take,
    takeImages,
    takeText,
    cancel: (id) => {
      end(id);
      afterBusy();
    },
    unfold: (attachment) => {
      composer.detach(attachment);
      ports.post({ type: 'unfold', path: attachment.path });
    },
    acceptOffer: () => {
      if (selected.value) add([selected.value]);
    },
    measureAll: () => measure(composer.attachments.value.filter(({ error }) => error === undefined)),
    awaitBusy: () => (isAwaited.value = busy.value.length > 0),
    forgetAwaited: () => void (isAwaited.value = false),
    receive: (message) => {
      switch (message.type) {
        case 'attached':
          return add(message.attachments);
        case 'taken':
          if (end(message.id)) composer.attach([message.attachment]);
          return afterBusy();
        case 'notTaken':
          return giveUp(message.id, message.reason);
        case 'measured':
          composer.replace(message.of, message.attachments);
          return dropImages();
        case 'shrink':
          return shrink(message);
        case 'selection':
          return void (selected.value = message.attachment);
      }
    },
  };
}
