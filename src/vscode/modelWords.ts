import type { Settings } from '../config/schema.js';
import type { ModelFacts } from '../providers/provider.js';

/** A model in a few words: how much it reads, what it costs, what it can. */
export function modelWords({ contextWindow, price, images, thinking }: ModelFacts & { thinking: boolean }): string {
  const words = [
    `${sizeWords(contextWindow)} window`,
    price ? `${dollars(price.input)} in, ${dollars(price.output)} out per million` : '',
    images ? 'images' : '',
    thinking ? 'thinking' : '',
    'tools',
  ];
  return words.filter(Boolean).join(' · ');
}

/** What a profile sets, in a few words. */
export function profileWords({ model, thinking, temperature, approval }: Settings['profiles'][string]): string {
  const words = [
    model ?? '',
    thinking ? `thinking ${thinking}` : '',
    temperature === undefined ? '' : `temperature ${String(temperature)}`,
    approval ? `approval ${approval}` : '',
  ];
  return words.filter(Boolean).join(' · ');
}

/** How a test of the connection went. */
export function connectionWords({ model, firstMs, ms }: { model: string; firstMs: number; ms: number }): string {
  return `${model} answers: first words after ${seconds(firstMs)}, the whole answer after ${seconds(ms)}.`;
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
  return `${trimmed(ms / 1_000, 2)} s`;
}

function trimmed(value: number, places = 1): string {
  return String(Number(value.toFixed(places)));
}
