import { t } from './l10n.js';

/** By the list price, so never exact: two figures are enough. */
export function dollars(cost: number): string {
  if (cost === 0) return '$0';
  return cost < 0.01 ? '< $0.01' : `$${cost.toFixed(2)}`;
}

/** A count of tokens in short: 950, 1.2k, 64k, 1.5M. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

function trimmed(value: number): string {
  return value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));
}

/** How long something took or has been running. */
export function duration(ms: number): string {
  if (ms < 100) return t('{0} ms', Math.max(0, Math.round(ms)));
  if (ms < 950) return t('{0} s', (ms / 1000).toFixed(1));
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t('{0} s', seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t('{0} min {1} s', minutes, seconds % 60);
  return t('{0} h {1} min', Math.floor(minutes / 60), minutes % 60);
}

/** How long ago something was. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return t({ message: 'now', comment: 'how long ago' });
  if (minutes < 60) return t({ message: '{0} min', args: [minutes], comment: 'how long ago' });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t({ message: '{0} h', args: [hours], comment: 'how long ago' });
  return t({ message: '{0} d', args: [Math.floor(hours / 24)], comment: 'how long ago' });
}
