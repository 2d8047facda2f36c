import type { ProviderError } from './provider.js';

/** What a failed answer says of itself, gathered from the body's various forms. */
export interface FailureWords {
  /** The provider's own sentence; empty where there was none. */
  words: string;
  /** Its codes and types, such as `insufficient_quota`, in lower case. */
  codes: string[];
  /** How long the body asks to wait (Gemini's RetryInfo). */
  retryAfterMs?: number;
}

const CONTEXT =
  /context[ _]?(length|window|size)|maximum context|prompt is too long|input is too long|too many (input )?tokens|(exceeds?|exceeded|over) the (model'?s )?(max|maximum|limit)[^.]*token|request_too_large|string too long.*messages|输入.*(过长|超过)|range of input length/i;
const PAYMENT =
  /credit balance|insufficient[ _](balance|credit|funds)|arrearage|payment required|billing_hard_limit|余额不足|欠费/i;
const QUOTA =
  /insufficient_quota|exceeded_current_quota|quota.{0,40}exceeded|exceeded your current quota|usage limit reached|额度/i;
const BAD_KEY =
  /(invalid|incorrect|missing|no|expired|bad)[ _](x-)?api[-_ ]?key|api[-_ ]?key[^.]{0,20}(invalid|not valid|expired|missing)|invalid_api_key|unauthenticated/i;
const IMAGE = /image|vision|multi-?modal|图片|图像/i;
const NO_MODEL =
  /model[^.]{0,80}(not exist|not found|not supported|unknown|is not a valid|does not have access)|(invalid|unknown|no such|unsupported)[ _]model|model_not_found|模型不存在/i;
const REFUSED =
  /content[_ ](filter|policy|management)|flagged|moderation|data_inspection_failed|safety system|违规|敏感/i;
const OVERLOADED = /overload|over capacity|at capacity|engine_overloaded|server is busy|insufficient_system_resource/i;

/** Statuses that stand for the error types which come inside a stream, where there is no status. */
const STATUS_OF_TYPE: Record<string, number> = {
  overloaded_error: 529,
  engine_overloaded_error: 529,
  server_overloaded: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  authentication_error: 401,
  invalid_api_key: 401,
  permission_error: 403,
  billing_error: 402,
  not_found_error: 404,
  request_too_large: 413,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  api_error: 500,
  server_error: 500,
  timeout_error: 504,
  slow_down: 503,
  server_is_overloaded: 529,
  invalid_prompt: 400,
  content_filter: 400,
};

/** The HTTP status a failure without one amounts to, judged by its codes; 500 where they say nothing. */
export function impliedStatus(codes: readonly string[]): number {
  for (const code of codes) {
    const status =
      STATUS_OF_TYPE[code] ?? (/^[45]\d\d$/.test(code) ? Number(code) : /image|policy/.test(code) ? 400 : undefined);
    if (status !== undefined) return status;
  }
  return 500;
}

/** Sorts a failed HTTP answer by what to do about it. `hasImages`: the request held images, so words about images mean them. */
export function classify(status: number, failure: FailureWords, hasImages: boolean): ProviderError['code'] {
  const said = `${failure.words} ${failure.codes.join(' ')}`;
  if (status === 401) return 'auth';
  if (status === 402) return 'payment';
  if (status === 403) return forbidden(said);
  if (status === 429) return tooMany(said, failure);
  if (status === 408 || status === 504 || status === 524) return 'timeout';
  if (status === 409) return 'server';
  if (status === 503 || status === 529) return CONTEXT.test(said) ? 'context_length' : 'overloaded';
  if (status >= 500) return CONTEXT.test(said) ? 'context_length' : OVERLOADED.test(said) ? 'overloaded' : 'server';
  return refusedRequest(status, said, hasImages);
}

function forbidden(said: string): ProviderError['code'] {
  if (PAYMENT.test(said)) return 'payment';
  if (REFUSED.test(said)) return 'refused';
  return NO_MODEL.test(said) ? 'not_found' : 'auth';
}

function tooMany(said: string, failure: FailureWords): ProviderError['code'] {
  if (PAYMENT.test(said)) return 'payment';
  if (failure.codes.includes('insufficient_quota')) return 'quota';
  // Gemini speaks of quota also when only this minute's is used up: then it says when to come back.
  if (QUOTA.test(said) && failure.retryAfterMs === undefined) return 'quota';
  return OVERLOADED.test(said) ? 'overloaded' : 'rate_limit';
}

function refusedRequest(status: number, said: string, hasImages: boolean): ProviderError['code'] {
  if (hasImages && IMAGE.test(said)) return 'image_rejected';
  if (CONTEXT.test(said)) return 'context_length';
  if (PAYMENT.test(said)) return 'payment';
  if (BAD_KEY.test(said)) return 'auth';
  if (REFUSED.test(said)) return 'refused';
  if (status === 413) return 'context_length';
  if (status === 404 || status === 405 || NO_MODEL.test(said)) return 'not_found';
  return 'bad_request';
}
