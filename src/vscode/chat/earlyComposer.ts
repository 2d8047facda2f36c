import { t } from '@vscode/l10n';

/**
 * A box to write in that is part of the document, so that a person can begin before the page's script is there. The script takes over what was
 * typed; Enter is noted until then. The names are those the page looks for.
 */
export function earlyComposer(nonce: string): string {
  return `<div class="composer early"><textarea id="early" rows="1" dir="auto" aria-label="${t('Message Nanobot')}"></textarea></div>
<script nonce="${nonce}">
document.getElementById('early').addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  event.currentTarget.dataset.entered = 'true';
});
</script>`;
}
