import { t } from '@vscode/l10n';
import type { Clock } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo, NextStep } from '../protocol/message.js';
import { AnthropicProvider } from './anthropic.js';
import { canonicalName, ENDPOINTS, familyOf, knownEndpoint } from './endpoints.js';
import { factsOf, knownFacts, tableNames, type FactOverrides } from './modelFacts.js';
import { fetchModels, keyProblem, type Access, type ListedModel } from './modelList.js';
import { OpenAIProvider } from './openai.js';
import { SdkProvider } from './sdkProvider.js';
import { dialectOf, type Endpoint } from './openaiDialects.js';
import type { OpenAIApi } from './openaiLessons.js';
import { PRACTICE_FACTS, PRACTICE_MODEL, PracticeProvider } from './practice.js';
import type { ModelFacts, Provider } from './provider.js';
import { canBeTold } from './thinking.js';
import { noAddress, noKey, noModelNamed, nothingConfigured, unknownProvider } from './registryErrors.js';

export { keyFromEnvironment, keyVariables } from './endpoints.js';

/** What a person set for one provider. */
export interface ProviderConfig {
  apiBase?: string | undefined;
  extraHeaders?: Record<string, string> | undefined;
  /** Over which of OpenAI's two APIs it is asked; without, over the one that fits the model. */
  api?: OpenAIApi | undefined;
  /** What is known of its models, by name; wins over the built-in table. */
  models?: FactOverrides | undefined;
}

export interface ProviderSettings {
  /** `provider/model` or `auto`. */
  model: string;
  fallbackModels: string[];
  providers: Record<string, ProviderConfig>;
}

/** For what a model is looked up. */
export interface ResolveOptions {
  /** Whether a person is there who can be asked. */
  watched: boolean;
  /** It is only to be named: nobody is asked for consent. */
  toShow?: boolean;
}

/** A provider handed in from above, such as VS Code's own models, which only the editor can reach. */
export interface ProviderFactory {
  create(): Provider;
  /** The model `auto` takes; undefined where there is none or the person has not agreed to use it. */
  autoModel(options: ResolveOptions): Promise<string | undefined>;
  /** Why this model cannot be used in such a turn; undefined where it can. */
  refusal(model: string, options: ResolveOptions): Promise<ErrorInfo | undefined>;
  models(): Promise<ListedModel[]>;
  facts(model: string): ModelFacts | undefined;
}

/** A model ready to be asked. */
export interface Resolved {
  provider: Provider;
  /** Without the provider's name. */
  model: string;
  info: ModelInfo;
  facts: ModelFacts;
}

export type Resolution = Resolved | { error: ErrorInfo };

export interface RegistryOptions {
  settings(): ProviderSettings;
  /** A provider's key from wherever keys are kept. */
  keys(provider: string): Promise<string | undefined>;
  clock: Clock;
  /** By the name that stands in `provider/model`. */
  extra: Record<string, ProviderFactory>;
  /** Whether `auto` may ask Ollama and LM Studio on this machine. */
  probeLocal: boolean;
  /** Milliseconds between two pieces of the practice model; 0 in tests. */
  practicePieceMs?: number;
}

const PROBE_MS = 300;
/** Milliseconds a look for local servers stays true. */
const PROBED_FOR_MS = 30_000;
const LIST_MS = 5_000;
const PRACTICE_ID = `practice/${PRACTICE_MODEL}`;

/** Finds the provider of a model. Providers are kept per name, key and address; their SDKs are loaded at the first stream. */
export class ProviderRegistry {
  readonly #options: RegistryOptions;
  readonly #made = new Map<string, Provider>();
  /** Context windows that live lists told of, for models no table knows. */
  readonly #learned = new Map<string, number>();
  #probed: { at: number; found: Promise<(Access & { model: string }) | undefined> } | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /**
   * The provider of `provider/model` or `auto`. In a turn that nobody watches the practice model is used only where it was chosen by name. A
   * model that cannot be had is an error with a next step, never another model.
   */
  async resolve(id: string, options: ResolveOptions): Promise<Resolution> {
    const wanted = id.trim();
    if (wanted === '' || wanted === 'auto') return this.#auto(options);
    const slash = wanted.indexOf('/');
    const name = canonicalName(slash < 0 ? wanted : wanted.slice(0, slash));
    const model = slash < 0 ? '' : wanted.slice(slash + 1);
    if (name === 'practice') return this.#practice();
    const factory = this.#options.extra[name];
    if (factory) return this.#fromFactory(name, factory, model, options);
    const endpoint = this.#endpoint(name);
    if (!endpoint) return { error: unknownProvider(wanted, this.#knownNames()) };
    return this.#fromEndpoint(endpoint, model || (endpoint.defaultModel ?? ''));
  }

  /** Loads the SDK of the chosen model's provider in the background, so that the first request does not have to. */
  preload(): void {
    void this.resolve(this.#options.settings().model, { watched: false })
      .then(async (resolution) => {
        if ('error' in resolution) return;
        const { provider } = resolution;
        if (provider instanceof SdkProvider) await provider.preload();
      })
      .catch(() => {
        // A key store that fails now fails again at the first request, which says so to the person.
      });
  }

  /** Names of the providers a key can be set for. */
  keyProviders(): string[] {
    const named = Object.keys(this.#options.settings().providers).map(canonicalName);
    const known = ENDPOINTS.filter((endpoint) => endpoint.needsKey || endpoint.name === 'custom').map(
      ({ name }) => name,
    );
    return [...new Set([...known, ...named])];
  }

  /** Names of the providers that have a key now, in the order in which `auto` takes them. */
  async configured(): Promise<string[]> {
    const names = this.keyProviders();
    const keys = await Promise.all(names.map((name) => this.#options.keys(name)));
    return names.filter((_, at) => keys[at]);
  }

  /**
   * Models to choose from: of one provider, or of all that have a key or run on this machine. Live where the endpoint lists its models within
   * 5 s, else those the table knows. Never rejects.
   */
  async listModels(provider?: string): Promise<ModelInfo[]> {
    const names = provider === undefined ? this.#names() : [canonicalName(provider)];
    const lists = await Promise.all(names.map((name) => this.#list(name)));
    return lists.flat();
  }

  /** What is known of `provider/model`, and whether it can be told how much to think. */
  knownOf(id: string): ModelFacts & { thinking: boolean } {
    const slash = id.indexOf('/');
    const [provider, model] = [canonicalName(id.slice(0, Math.max(0, slash))), id.slice(slash + 1)];
    const own = this.#options.extra[provider]?.facts(model);
    return { ...this.#facts(provider, model), ...own, thinking: canBeTold(provider, model) };
  }

  /** Tries a key with one cheap request. */
  async checkKey(provider: string, key: string): Promise<{ ok: true } | { ok: false; error: ErrorInfo }> {
    const name = canonicalName(provider);
    const endpoint = this.#endpoint(name);
    if (!endpoint) return { ok: false, error: unknownProvider(provider, this.#knownNames()) };
    const access = this.#access(endpoint, key);
    if (access.apiBase === '') return { ok: false, error: noAddress(endpoint) };
    const problem = await keyProblem(access, this.#options.clock);
    if (!problem) return { ok: true };
    const next: NextStep[] =
      problem.code === 'network' || problem.code === 'timeout' ? ['retry', 'openSettings'] : ['setKey'];
    return { ok: false, error: { code: problem.code, message: problem.message, next } };
  }

  async #auto(options: ResolveOptions): Promise<Resolution> {
    const configured = await this.#firstConfigured();
    if (configured) return configured;
    for (const [name, factory] of Object.entries(this.#options.extra)) {
      const model = await factory.autoModel(options);
      if (model !== undefined) return this.#fromFactory(name, factory, model, options);
    }
    const local = await this.#local();
    if (local) return this.#reach(local.endpoint, local, local.model);
    return options.watched ? this.#practice() : { error: nothingConfigured() };
  }

  /** The first provider with a key, or with an address and models of its own. */
  async #firstConfigured(): Promise<Resolution | undefined> {
    const named = Object.keys(this.#options.settings().providers).map(canonicalName);
    const names = [...new Set([...ENDPOINTS.map(({ name }) => name), ...named])];
    const keys = await Promise.all(names.map((name) => this.#options.keys(name)));
    for (const [at, name] of names.entries()) {
      const endpoint = this.#endpoint(name);
      const key = keys[at];
      const model = endpoint?.defaultModel ?? Object.keys(this.#config(name).models ?? {})[0];
      if (!endpoint || model === undefined || (endpoint.needsKey && !key)) continue;
      const access = this.#access(endpoint, key);
      if (access.apiBase !== '') return this.#reach(endpoint, access, model);
    }
    return undefined;
  }

  async #fromEndpoint(endpoint: Endpoint, model: string): Promise<Resolution> {
    const key = await this.#options.keys(endpoint.name);
    const access = this.#access(endpoint, key);
    if (model === '') return { error: noModelNamed(endpoint) };
    if (access.apiBase === '') return { error: noAddress(endpoint) };
    if (endpoint.needsKey && !key) return { error: noKey(endpoint) };
    return this.#reach(endpoint, access, model);
  }

  async #fromFactory(
    name: string,
    factory: ProviderFactory,
    model: string,
    options: ResolveOptions,
  ): Promise<Resolution> {
    const chosen = model === '' ? await factory.autoModel(options) : model;
    if (chosen === undefined) return { error: nothingConfigured() };
    const error = await factory.refusal(chosen, options);
    if (error) return { error };
    const provider = this.#kept(name, () => factory.create());
    const facts = { ...factsOf(chosen, this.#config(name).models), ...factory.facts(chosen) };
    return this.#resolved(provider, chosen, facts);
  }

  #practice(): Resolution {
    const { clock, practicePieceMs } = this.#options;
    const provider = this.#kept(
      'practice',
      () => new PracticeProvider({ clock, ...(practicePieceMs === undefined ? {} : { pieceMs: practicePieceMs }) }),
    );
    const info: ModelInfo = {
      id: PRACTICE_ID,
      label: t({ message: 'Practice', comment: 'name of the practice model' }),
      window: PRACTICE_FACTS.contextWindow,
      practice: true,
    };
    return { provider, model: PRACTICE_MODEL, info, facts: PRACTICE_FACTS };
  }

  #reach(endpoint: Endpoint, access: Access, model: string): Resolved {
    const { apiKey, apiBase, extraHeaders } = access;
    const { name } = endpoint;
    const { clock } = this.#options;
    const { apiBase: set, api } = this.#config(name);
    const custom = set === undefined ? undefined : apiBase;
    const provider = this.#kept(JSON.stringify([name, apiKey, apiBase, extraHeaders, api]), () => {
      const options = { name, clock, apiKey, apiBase: custom, extraHeaders, api };
      return name === 'anthropic' ? new AnthropicProvider(options) : new OpenAIProvider(options);
    });
    return this.#resolved(provider, model, this.#facts(name, model));
  }

  #facts(provider: string, model: string): ModelFacts {
    const overrides = this.#config(provider).models;
    const learned = knownFacts(model) ? undefined : this.#learned.get(`${provider}/${model}`);
    const facts = factsOf(model, overrides);
    const own = overrides?.[model]?.contextWindow;
    return learned !== undefined && own === undefined ? { ...facts, contextWindow: learned } : facts;
  }

  #resolved(provider: Provider, model: string, facts: ModelFacts): Resolved {
    return { provider, model, facts, info: infoOf(provider.name, model, facts) };
  }

  #kept(key: string, make: () => Provider): Provider {
    const kept = this.#made.get(key);
    if (kept) return kept;
    const provider = make();
    this.#made.set(key, provider);
    return provider;
  }

  /** A local server that answers at once, with its first model. One request each, at most every 30 s. */
  async #local(): Promise<(Access & { model: string }) | undefined> {
    const { clock, probeLocal } = this.#options;
    if (!probeLocal) return undefined;
    if (!this.#probed || clock.now() - this.#probed.at > PROBED_FOR_MS) {
      this.#probed = { at: clock.now(), found: this.#probe() };
    }
    return this.#probed.found;
  }

  async #probe(): Promise<(Access & { model: string }) | undefined> {
    const answers = await Promise.all(
      ['ollama', 'lm_studio'].map(async (name) => {
        const access = this.#access(dialectOf(name), await this.#options.keys(name));
        const models = await fetchModels(access, this.#options.clock, PROBE_MS).catch(() => []);
        this.#learn(name, models);
        const model = models[0]?.name;
        return model === undefined ? undefined : { ...access, model };
      }),
    );
    return answers.find((answer) => answer !== undefined);
  }

  async #list(name: string): Promise<ModelInfo[]> {
    const factory = this.#options.extra[name];
    try {
      if (factory) {
        const models = await factory.models();
        return models.map(({ name: model }) => infoOf(name, model, factory.facts(model) ?? factsOf(model)));
      }
      const endpoint = this.#endpoint(name);
      const key = await this.#options.keys(name);
      if (!endpoint || (endpoint.needsKey && !key)) return [];
      const access = this.#access(endpoint, key);
      if (access.apiBase === '') return [];
      const live = await fetchModels(access, this.#options.clock, endpoint.local ? PROBE_MS : LIST_MS).catch(
        () => undefined,
      );
      this.#learn(name, live ?? []);
      const own = Object.keys(this.#config(name).models ?? {});
      const offered = live?.map((listed) => listed.name) ?? this.#tableModels(endpoint);
      // Those a person wrote down come first; an endpoint may not list them, as Azure does not list deployments.
      return [...new Set([...own, ...offered])].map((model) => infoOf(name, model, this.#facts(name, model)));
    } catch {
      // One provider that cannot be asked must not keep the others out of the picker.
      return [];
    }
  }

  #tableModels(endpoint: Endpoint): string[] {
    const known = tableNames().filter((model) => familyOf(model) === endpoint.name);
    return [...(endpoint.defaultModel ? [endpoint.defaultModel] : []), ...known];
  }

  #learn(provider: string, models: readonly ListedModel[]): void {
    for (const { name, contextWindow } of models) {
      if (contextWindow !== undefined) this.#learned.set(`${provider}/${name}`, contextWindow);
    }
  }

  #names(): string[] {
    const { extra, probeLocal } = this.#options;
    const endpoints = ENDPOINTS.filter(({ local, name }) => !local || probeLocal || this.#config(name).apiBase);
    return [
      ...new Set([
        ...endpoints.map(({ name }) => name),
        ...Object.keys(extra),
        ...Object.keys(this.#options.settings().providers).map(canonicalName),
      ]),
    ];
  }

  #knownNames(): string[] {
    const { extra } = this.#options;
    return [
      ...ENDPOINTS.map(({ name }) => name),
      ...Object.keys(extra),
      ...Object.keys(this.#options.settings().providers),
      'practice',
    ];
  }

  /** A provider we know, or one a person named and gave an address. */
  #endpoint(name: string): Endpoint | undefined {
    return knownEndpoint(name) ?? (this.#config(name).apiBase ? dialectOf(name) : undefined);
  }

  #access(endpoint: Endpoint, apiKey: string | undefined): Access {
    const { apiBase, extraHeaders } = this.#config(endpoint.name);
    return { endpoint, apiBase: apiBase ?? endpoint.apiBase ?? '', apiKey, extraHeaders };
  }

  #config(name: string): ProviderConfig {
    const entries = Object.entries(this.#options.settings().providers);
    return entries.find(([written]) => canonicalName(written) === name)?.[1] ?? {};
  }
}

function infoOf(provider: string, model: string, facts: ModelFacts): ModelInfo {
  return { id: `${provider}/${model}`, label: model.split('/').at(-1) ?? model, window: facts.contextWindow };
}
