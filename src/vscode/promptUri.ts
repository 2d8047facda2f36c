import { t } from '@vscode/l10n';
/** Characters of a prompt that may come with an address. */
export const MAX_URI_PROMPT = 8_000;

/** What an address that another program opened asks for, or why it is not followed. */
export type UriRequest = { text: string } | { problem: string };

/**
 * Reads `…/prompt?text=…`. VS Code hands over the query decoded, so an `&` of the text looks like one between two parameters: the text is all that follows
 * `text=`. Control and other invisible characters are taken out, so that a person sees all that there is.
 */
export function readPromptUri(path: string, query: string): UriRequest {
  if (path.replace(/\/+$/, '') !== '/prompt')
    return { problem: t('Nanobot does not know the address "{0}". There is one: /prompt?text=….', shown(path)) };
  const given = /(?:^|&)text=([\s\S]*)$/.exec(query)?.[1] ?? '';
  const text = withoutInvisible(given).trim();
  if (text === '') return { problem: t('The address has no text: nanobot/prompt?text=… is its form.') };
  if (text.length > MAX_URI_PROMPT) {
    const [own, most] = [text.length, MAX_URI_PROMPT].map((count) => count.toLocaleString('en'));
    return { problem: t('The text of the address has {0} characters; {1} are the most.', own ?? '', most ?? '') };
  }
  return { text };
}

/** Line breaks and tabs stay; what steers a terminal, turns the direction of writing or cannot be seen goes. */
function withoutInvisible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\P{C}\n\t\u200d]/gu, '');
}

function shown(path: string): string {
  return withoutInvisible(path).slice(0, 80);
}
