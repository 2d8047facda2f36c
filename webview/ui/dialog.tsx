import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { strings } from '../strings.js';
import { IconButton } from './button.js';

interface DialogProps {
  label: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A box over the page that keeps the focus until Escape or its button closes it; then the focus is back where it was. */
export function Dialog({ label, onClose, children }: DialogProps): VNode {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-label={label} onClose={onClose}>
      <header>
        <h2>{label}</h2>
        <IconButton icon="close" label={strings.close} keys="Escape" onPress={onClose} />
      </header>
      {children}
    </dialog>
  );
}
