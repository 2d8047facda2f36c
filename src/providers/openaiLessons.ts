import type { HttpFailure } from './errors.js';

/** The two APIs over which OpenAI's models, and compatible ones, are asked. */
export type OpenAIApi = 'chat' | 'responses';

/** What a request to one model is made of, as far as that differs between endpoints that look the same. */
export interface Ways {
  api: OpenAIApi;
  /** Reasoning is asked for in the form in which only the endpoint can read it, to be sent back later. */
  encrypted: boolean;
  /** A summary of the reasoning is asked for, for people. */
  summary: boolean;
  /** Ids of reasoning items that were refused. */
  refused: ReadonlySet<string>;
}

export interface WaysOptions {
  provider: string;
  /** The base address in use. */
  address: string;
  /** What the person set; it is kept to, whatever the endpoint says. */
  setting?: OpenAIApi | undefined;
}

/** Models that think before they speak. */
const REASONING = /^(o\d|gpt-([5-9]|\d\d)|codex)/i;
/** Their siblings that do not. */
const NOT_REASONING = /^(gpt-[34]|chatgpt|gpt-\d+(\.\d+)?-chat)/i;
const OWN_ADDRESS = /^https:\/\/([a-z0-9-]+\.)?api\.openai\.com(\/|$)/i;

const USE_RESPONSES = /\/responses\b|responses api/i;
const USE_CHAT =
  /not (supported|enabled|available)[^.]{0,40}responses|responses[^.]{0,40}\b(not|only)\b|operation is unsupported|\/chat\/completions/i;
const NO_MODEL = /model[^.]{0,80}(not exist|not found)|model_not_found|deploymentnotfound/i;
const STALE =
  /invalid_encrypted_content|encrypted content.{0,120}could not be|of type 'reasoning'|required 'reasoning' item/i;
const NO_ENCRYPTED = /encrypted content is not supported|reasoning\.encrypted_content|parameter:? '?include/i;
const NO_SUMMARY = /reasoning\.summary|reasoning summar|parameter:? '?reasoning/i;

/** How each model is asked: first by what is known of it, then by what its endpoint refused. Kept as long as the provider. */
export class Lessons {
  readonly #options: WaysOptions;
  readonly #apis = new Map<string, OpenAIApi>();
  readonly #notEncrypted = new Set<string>();
  readonly #noSummary = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(options: WaysOptions) {
    this.#options = options;
  }

  /** How to ask this model now. */
  of(model: string): Ways {
    return {
      api: this.#apis.get(model) ?? firstApi(this.#options, model),
      encrypted: !NOT_REASONING.test(model) && !this.#notEncrypted.has(model),
      summary: reasons(model) && !this.#noSummary.has(model),
      refused: this.#refused,
    };
  }

  /**
   * Takes in why a request made in these ways was refused; true where the next one will be made in others. No way is taken twice, so asking again as long as
   * this is true comes to an end. `replayed` holds the ids of the reasoning items that were in the request.
   */
  learn(model: string, ways: Ways, { status, body }: HttpFailure, replayed: readonly string[]): boolean {
    if (![400, 404, 405, 422, 501].includes(status)) return false;
    if (ways.api === 'chat') return USE_RESPONSES.test(body) && this.#switch(model, 'responses');
    const gone = status === 404 || status === 405 || status === 501;
    if (STALE.test(body) && replayed.length > 0) return kept(this.#refused, replayed);
    if (ways.encrypted && NO_ENCRYPTED.test(body)) return kept(this.#notEncrypted, [model]);
    if (ways.summary && NO_SUMMARY.test(body)) return kept(this.#noSummary, [model]);
    return (USE_CHAT.test(body) || (gone && !NO_MODEL.test(body))) && this.#switch(model, 'chat');
  }

  /** Takes in what was said of it where an answer that had begun failed: the reasoning in its request is left out of the next one. */
  learnMidway(words: string, replayed: readonly string[]): void {
    if (STALE.test(words)) kept(this.#refused, replayed);
  }

  /** Where another turn has found out meanwhile, nothing is left to switch, and this one goes the new way too. */
  #switch(model: string, to: OpenAIApi): boolean {
    if (this.#options.setting !== undefined) return false;
    const known = this.#apis.get(model);
    if (known === undefined) this.#apis.set(model, to);
    return known === undefined || known === to;
  }
}

/** Which API a model is asked over first: OpenAI's own reasoning models over Responses, where they keep what they thought between calls. */
export function firstApi({ provider, address, setting }: WaysOptions, model: string): OpenAIApi {
  if (setting !== undefined) return setting;
  return provider === 'openai' && OWN_ADDRESS.test(address) && reasons(model) ? 'responses' : 'chat';
}

function reasons(model: string): boolean {
  return REASONING.test(model) && !NOT_REASONING.test(model);
}

function kept(known: Set<string>, more: readonly string[]): true {
  for (const item of more) known.add(item);
  return true;
}
