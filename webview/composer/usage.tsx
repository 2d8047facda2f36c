import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';

/** The tokens of the turn that ended last, in a narrow page those of the session in short; opens what was used in detail. */
export function UsageButton(): VNode | null {
  const page = usePage();
  const { messages, spent } = page.chat.value;
  const usage = messages.findLast((message) => message.turn)?.turn?.usage ?? spent;
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return null;
  return (
    <button
      type="button"
      class="usage"
      aria-label={strings.showUsage(strings.usage(usage), strings.usageShort(spent ?? usage))}
      title={spent ? strings.sessionUsage(spent) : undefined}
      aria-haspopup="dialog"
      onClick={() => void (page.dialog.value = 'usage')}
    >
      <small>{strings.usage(usage)}</small>
      <small>{strings.usageShort(spent ?? usage)}</small>
    </button>
  );
}
