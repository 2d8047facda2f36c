import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';

/** Milliseconds that a copy button says "Copied". */
const COPIED_MS = 1500;

/** Copies a text, which is asked for when it is pressed. */
export function CopyButton({ page, text }: { page: Page; text: () => string }): VNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    page.post({ type: 'copy', text: text() });
    setCopied(true);
    page.ports.after(COPIED_MS, () => setCopied(false));
  };
  return (
    <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? strings.copied : strings.copy} onPress={copy} />
  );
}
