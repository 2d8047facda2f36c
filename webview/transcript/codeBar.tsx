import type { VNode } from 'preact';
import { MAX_CODE, type CodeAction } from '../../src/protocol/wire.js';
import type { Page } from '../state.js';
import { strings } from '../strings.js';
import { IconButton } from '../ui/button.js';
import type { IconName } from '../ui/icon.js';
import { CopyButton } from './copyButton.js';

/** Languages whose blocks a terminal may run; the host looks whether it is the right one. */
const SHELLS = new Set(
  'sh bash zsh ksh fish shell shellscript console terminal shell-session shellsession powershell pwsh ps1 cmd bat batch'.split(
    ' ',
  ),
);
const ACTIONS: { action: CodeAction; icon: IconName }[] = [
  { action: 'insert', icon: 'insert' },
  { action: 'apply', icon: 'apply' },
  { action: 'newFile', icon: 'newFile' },
];
/** Characters of a fence's words that are handed on. */
const LONGEST_INFO = 300;
const MOST_NAMED = 10;

/** The buttons of one code block. While it is still being written there is only Copy. */
export function CodeBar({ page, figure }: { page: Page; figure: HTMLElement }): VNode {
  const isWhole = !isGrowing(page, figure);
  const language = (figure.dataset['lang'] ?? '').toLowerCase();
  const press = (action: CodeAction) => {
    const text = codeOf(figure);
    if (text.length > MAX_CODE) page.refusal.value = strings.blockTooLong;
    else page.post({ type: 'code', action, text, info: infoOf(figure), named: namedBefore(figure) });
  };
  return (
    <>
      <CopyButton page={page} text={() => codeOf(figure)} />
      {isWhole &&
        ACTIONS.map(({ action, icon }) => (
          <IconButton key={action} icon={icon} label={strings.code[action]} onPress={() => press(action)} />
        ))}
      {isWhole && SHELLS.has(language) && (
        <IconButton icon="run" label={strings.code.run} onPress={() => press('run')} />
      )}
    </>
  );
}

/** The source of a code block. */
export function codeOf(figure: Element | null): string {
  return figure?.querySelector('pre')?.textContent ?? '';
}

/** Whether the answer still adds to a block: it is the last of an answer that streams and is in the middle of one. */
function isGrowing(page: Page, figure: HTMLElement): boolean {
  const article = figure.closest<HTMLElement>('article');
  const id = article?.dataset['messageId'];
  const message = page.chat.value.messages.findLast((candidate) => candidate.id === id);
  const last = message?.parts.at(-1);
  if (message?.status !== 'streaming' || last?.kind !== 'text' || !endsInBlock(last.text)) return false;
  return Array.from(article?.querySelectorAll('figure.code') ?? []).at(-1) === figure;
}

function endsInBlock(text: string): boolean {
  let open = '';
  for (const [, marks = '', rest = ''] of text.matchAll(/^[ \t>]*(`{3,}|~{3,})(.*)$/gm)) {
    if (open === '') open = marks;
    else if (marks.startsWith(open) && rest.trim() === '') open = '';
  }
  return open !== '';
}

function infoOf(figure: HTMLElement): string {
  return (figure.dataset['info'] ?? figure.dataset['lang'] ?? '').slice(0, LONGEST_INFO);
}

/** The files that the text just before a block names. */
function namedBefore(figure: HTMLElement): string[] {
  let before: Element | null = figure.previousElementSibling;
  // In a list it is the item's own text, which may lie beside the block or around it.
  if (!before && figure.parentElement?.matches('li')) before = figure.parentElement;
  if (!before || before.matches('figure')) return [];
  const links = Array.from(before.querySelectorAll<HTMLElement>('[data-path]'));
  return [...new Set(links.map((link) => link.dataset['path'] ?? ''))].slice(0, MOST_NAMED);
}
