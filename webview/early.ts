/** What a person did in the document's own box before the page's script was there. */
export interface EarlyInput {
  text: string;
  caret: number;
  hasFocus: boolean;
  /** Enter was pressed: it is to be sent. */
  isEntered: boolean;
}

/** Takes the document's own box away and gives what is in it; undefined where there is none. */
export function takeEarlyInput(): EarlyInput | undefined {
  const box = document.getElementById('early');
  if (!(box instanceof HTMLTextAreaElement)) return undefined;
  const input = {
    text: box.value,
    caret: box.selectionStart,
    hasFocus: document.activeElement === box,
    isEntered: box.dataset['entered'] !== undefined,
  };
  box.parentElement?.remove();
  return input;
}
