import { t } from '@vscode/l10n';
import type { UsageDay, UsageSource, UsageSum } from '../agent/usageLedger.js';

/** Characters of the longest bar. */
const BAR = 20;

/** A week's use as Markdown: a bar and the numbers of each day, and a sum of each source. */
export function usageMarkdown(days: readonly UsageDay[]): string {
  const labels: Record<UsageSource, string> = {
    chat: t('Chat'),
    dream: 'Dream',
    schedules: t('Schedules'),
    subagents: t('Subagents'),
  };
  const sources = Object.keys(labels) as UsageSource[];
  const totals = days.map(({ sources: used }) => summed(Object.values(used)));
  const most = Math.max(1, ...totals.map(tokensOf));
  const all = summed(totals);
  // With hyphens at which no line breaks.
  const rows = days.map(({ day, sources: used }, at) => {
    const total = totals[at] ?? all;
    const cells = sources.map((source) => tokenWords(tokensOf(used[source])));
    return `| ${day.replaceAll('-', '\u2011')} | ${barOf(tokensOf(total) / most)} | ${cells.join(' | ')} | ${tokenWords(tokensOf(total))} | ${costWords(total)} |`;
  });
  const sums = sources.map((source) => tokenWords(tokensOf(summed(days.map(({ sources: used }) => used[source])))));
  return [
    `# ${t('Nanobot: usage of the last seven days')}`,
    '',
    t('Tokens sent and received. Costs are by the list prices, as far as they are known.'),
    '',
    `| ${t('Day')} | | ${sources.map((source) => labels[source]).join(' | ')} | ${t('Total')} | ${t('Cost')} |`,
    `| --- | --- | ${sources.map(() => '---:').join(' | ')} | ---: | ---: |`,
    ...rows,
    `| **${t('Together')}** | | ${sums.join(' | ')} | **${tokenWords(tokensOf(all))}** | **${costWords(all)}** |`,
    '',
  ].join('\n');
}

function summed(sums: readonly UsageSum[]): UsageSum {
  const all = { input: 0, output: 0, cost: 0, unpriced: 0 };
  for (const { input, output, cost, unpriced } of sums) {
    all.input += input;
    all.output += output;
    all.cost += cost;
    all.unpriced += unpriced;
  }
  return all;
}

function tokensOf({ input, output }: UsageSum): number {
  return input + output;
}

/** A picture for the eye: screen readers pass it over, since the numbers stand beside it. */
function barOf(share: number): string {
  const length = share === 0 ? 0 : Math.max(1, Math.round(share * BAR));
  return `<span aria-hidden="true">${'█'.repeat(length)}</span>`;
}

function tokenWords(tokens: number): string {
  return tokens.toLocaleString('en-US');
}

function costWords({ cost, unpriced }: UsageSum): string {
  if (cost === 0 && unpriced === 0) return '';
  const dollars = `$${cost.toFixed(2)}`;
  if (unpriced === 0) return dollars;
  return cost === 0 ? t('{0} without a price', unpriced) : t('{0} and {1} without a price', dollars, unpriced);
}
