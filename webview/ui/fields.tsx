import { h, type ComponentChild } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface FieldProps {
  label: string;
  value: string;
  onType: (value: string) => void;
  onKey?: (event: KeyboardEvent) => void;
  placeholder?: string;
  autofocus?: boolean;
  /** Selects what is there when it takes the focus. */
  select?: boolean;
}

/** A line to type into: the toolkit's. */
export function TextField(props: FieldProps): ComponentChild {
  return h('vscode-text-field', useField(props));
}

/** Several lines to type into: the toolkit's, at most `rows` high before it scrolls. */
export function TextArea({ rows, ...props }: FieldProps & { rows: number }): ComponentChild {
  return h('vscode-text-area', { ...useField(props), rows, resize: 'vertical' });
}

interface ToolkitField extends HTMLElement {
  value: string;
  control?: HTMLInputElement | HTMLTextAreaElement;
}

function useField({ label, value, onType, onKey, placeholder, autofocus, select }: FieldProps) {
  const ref = useRef<ToolkitField>(null);
  useLayoutEffect(() => {
    // When it is connected the toolkit names the field after its text content, which is empty.
    ref.current?.setAttribute('aria-label', label);
  }, [label]);
  useLayoutEffect(() => {
    if (!autofocus) return;
    // The toolkit draws its inner field a moment after it is connected.
    requestAnimationFrame(() => {
      ref.current?.control?.focus();
      if (select) ref.current?.control?.select();
    });
  }, []);
  return {
    ref,
    value,
    placeholder,
    onInput: (event: Event) => onType((event.currentTarget as ToolkitField).value),
    onKeyDown: onKey,
  };
}
