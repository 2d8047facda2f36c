import { t } from '@vscode/l10n';
import type { Settings } from '../config/schema.js';
import type { ModelFacts } from '../providers/provider.js';

/** A model in a few words: how much it reads, what it costs, what it can. */
export function modelWords({ contextWindow, price, images, thinking }: ModelFacts & { thinking: boolean }): string {
  const words = [
    t('{0} window', sizeWords(contextWindow)),
    price ? t('{0} in, {1} out per million', dollars(price.input), dollars(price.output)) : '',
    images ? t('images') : '',
    thinking ? t('thinking') : '',
    t('tools'),
  ];
  return words.filter(Boolean).join(' · ');
}

/** What a profile sets, in a few words. */
export function profileWords({ model, thinking, temperature, approval }: Settings['profiles'][string]): string {
  const words = [
    model ?? '',
    thinking ? t('thinking {0}', thinking) : '',
    temperature === undefined ? '' : t('temperature {0}', temperature),
    approval ? t('approval {0}', approval) : '',
  ];
  return words.filter(Boolean).join(' · ');
}

/** How a test of the connection went. */
export function connectionWords({ model, firstMs, ms }: { model: string; firstMs: number; ms: number }): string {
  return t('{0} answers: first words after {1}, the whole answer after {2}.', model, seconds(firstMs), seconds(ms));
}

function sizeWords(tokens: number): string {
  if (tokens >= 1_000_000) return `${trimmed(tokens / 1_000_000)}M`;
  return `${trimmed(tokens / 1_000)}k`;
}

/** With as many places as a price needs: most are whole dollars, some a few cents. */
function dollars(amount: number): string {
  return `$${trimmed(amount, amount < 1 ? 3 : 2)}`;
}

function seconds(ms: number): string {
  return t('{0} s', trimmed(ms / 1_000, 2));
}

function trimmed(value: number, places = 1): string {
  return String(Number(value.toFixed(places)));
}
