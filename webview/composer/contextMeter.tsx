import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';

/** Share of the window from which the meter warns. */
const HIGH = 0.8;
/** The circle's circumference is 100 with this radius, so that a dash is a percentage. */
const RADIUS = 15.915;

/** How full the model's window is; the tooltip names the parts, a press opens what it is filled with. */
export function ContextMeter(): VNode | null {
  const page = usePage();
  const { context } = page.chat.value;
  if (!context || context.window <= 0) return null;
  const share = Math.min(1, context.used / context.window);
  const labels = strings.contextParts;
  const parts = (['system', 'memory', 'skills', 'history', 'tools'] as const).map((part) => ({
    label: labels[part],
    tokens: context[part],
  }));
  const { contextDetails } = page;
  const title = strings.contextTooltip(context.used, context.window, parts);
  return (
    <span class={`meter ${share >= HIGH ? 'high' : ''}`}>
      <button
        type="button"
        aria-label={strings.showContext(strings.percent(share))}
        aria-haspopup="dialog"
        aria-expanded={contextDetails.isOpen.value}
        title={title}
        onClick={() => (contextDetails.isOpen.value ? (contextDetails.isOpen.value = false) : contextDetails.open())}
      >
        <svg viewBox="0 0 36 36" aria-hidden="true">
          <circle cx="18" cy="18" r={RADIUS} />
          <circle cx="18" cy="18" r={RADIUS} stroke-dasharray={`${share * 100} 100`} />
        </svg>
      </button>
      <span
        role="meter"
        aria-label={strings.contextMeter}
        aria-valuemin={0}
        aria-valuemax={context.window}
        aria-valuenow={context.used}
        aria-valuetext={strings.percent(share)}
        title={title}
      >
        {strings.percent(share)}
      </span>
    </span>
  );
}
