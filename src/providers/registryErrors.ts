import { t } from '@vscode/l10n';
import { closest } from '../platform/closest.js';
import type { ErrorInfo } from '../protocol/message.js';
import { familyOf } from './endpoints.js';
import type { Endpoint } from './openaiDialects.js';

/** A model whose provider nobody knows, with the nearest names. `names` are those that are known; `id` is what was written. */
export function unknownProvider(id: string, names: readonly string[]): ErrorInfo {
  const [provider = '', ...model] = id.split('/');
  const family = familyOf(id);
  const near = closest(provider, names);
  const hint =
    model.length === 0 && family
      ? t(' Write it with its provider: {0}.', `${family}/${id}`)
      : near.length > 0
        ? t(' Did you mean {0}?', near.join(t(' or ')))
        : t(' For an endpoint of your own, give it an address in nanobot.providers.');
  const message = t('The model "{0}" names no provider that is known.', id) + hint;
  return { code: 'no_model', message, next: ['switchModel', 'openSettings'] };
}

/** No key, no local server, and nobody to practise with. */
export function nothingConfigured(): ErrorInfo {
  return {
    code: 'no_model',
    message: t('No model is set up. Set a key with "Nanobot: Set API Key", or choose a model.'),
    next: ['setKey', 'switchModel'],
  };
}

/** A model whose provider has no key. */
export function noKey({ label }: Endpoint): ErrorInfo {
  return {
    code: 'auth',
    message: t('There is no API key for {0}. Set one with "Nanobot: Set API Key", or choose another model.', label),
    next: ['setKey', 'switchModel'],
  };
}

/** A provider that has a different address for every account, and none was set. */
export function noAddress({ name, label }: Endpoint): ErrorInfo {
  return {
    code: 'no_model',
    message: t(
      '{0} has no address of its own: set nanobot.providers to {1}.',
      label,
      `{"${name}": {"apiBase": "https://…"}}`,
    ),
    next: ['openSettings', 'switchModel'],
  };
}

/** A provider without a model of ours, written without one. */
export function noModelNamed({ name, label }: Endpoint): ErrorInfo {
  return {
    code: 'no_model',
    message: t('Which model of {0}? Write it as {1}/model, or choose one.', label, name),
    next: ['switchModel', 'openSettings'],
  };
}
