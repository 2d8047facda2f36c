import type { ErrorInfo, NextStep } from '../protocol/message.js';
import type { ProviderError } from '../providers/provider.js';

const NEXT: Record<ProviderError['code'], NextStep[]> = {
  auth: ['setKey', 'switchModel'],
  payment: ['switchModel', 'setKey'],
  quota: ['switchModel', 'setKey'],
  rate_limit: ['retry', 'switchModel'],
  overloaded: ['retry', 'switchModel'],
  not_found: ['switchModel', 'openSettings'],
  context_length: ['newChat', 'switchModel'],
  image_rejected: ['retry', 'switchModel'],
  bad_request: ['openLog', 'switchModel'],
  server: ['retry', 'switchModel'],
  network: ['retry', 'openSettings'],
  timeout: ['retry', 'switchModel'],
  stream_broken: ['retry', 'openLog'],
  no_model: ['switchModel', 'setKey'],
  refused: ['switchModel', 'newChat'],
};

/** What a person is shown of a provider's failure, with the steps that lead on. */
export function errorInfo(error: ProviderError): ErrorInfo {
  return { code: error.code, message: error.message, next: NEXT[error.code] };
}
