import { t } from '@vscode/l10n';
import { BrokenStream, WireFailure } from './errors.js';
import { record, type Json } from './json.js';

/**
 * The object that an event of a stream holds. Text that is no JSON throws `BrokenStream`; anything else that is no object, and stray text in place
 * of events (an error page), throws `WireFailure` with what came.
 */
export function parseEventData(data: string, stray: boolean): Json {
  try {
    const parsed = record(JSON.parse(data) as unknown);
    if (parsed) return parsed;
  } catch {
    if (!stray) throw new BrokenStream(t('The stream holds something that is not JSON.'));
  }
  throw new WireFailure(data);
}
