import { t } from '@vscode/l10n';
import type { Settings } from '../config/schema.js';
import type { Clock } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import type { ModelRequest } from '../providers/provider.js';
import type { ProviderRegistry } from '../providers/registry.js';
import { errorInfo } from '../runner/errorInfo.js';
import type { AgentLoop } from './loop.js';
import { shownAs, tuningOf, type ChoiceChange, type ModelChoice } from './modelChoice.js';

/** Milliseconds a test of the connection waits. */
const TEST_MS = 20_000;
/** Tokens of its answer: a model that thinks first says nothing in fewer. */
const TEST_TOKENS = 64;

export interface ModelShelfDeps {
  registry: ProviderRegistry;
  loop: AgentLoop;
  clock: Clock;
  settings(): Settings;
  /** Writes the model setting. */
  storeModel(id: string): Promise<void>;
  newId(): string;
}

/** How a test of the connection went: milliseconds to the first piece of the answer and to its end. */
export type ConnectionTest = { model: string; firstMs: number; ms: number } | { model: string; error: ErrorInfo };

/** What a person does with models: see what there is, choose one for all chats or for one, try it. */
export function modelShelf({ registry, loop, clock, settings, storeModel, newId }: ModelShelfDeps) {
  const currentModel = async (choice: ModelChoice = {}): Promise<ModelInfo | undefined> => {
    const resolved = await registry.resolve(choice.model ?? settings().model, { watched: true, toShow: true });
    return 'error' in resolved ? undefined : shownAs(resolved.info, choice, tuningOf(settings(), choice).thinking);
  };
  return {
    listModels: () => registry.listModels(),
    /** What is known of a model. */
    modelFacts: (id: string) => registry.knownOf(id),
    setModel: (id: string) => storeModel(id),
    /** The model a watched chat with this choice would use now; undefined where there is none. */
    currentModel,
    /** True where a watched chat would be answered by the stand-in for people without a model. */
    lacksModel: async (): Promise<boolean> => settings().model === 'auto' && (await currentModel())?.practice === true,
    /** Chooses for one chat; undefined follows the settings again. Throws `SessionBusy` where another window writes it. */
    chooseModel: async (key: string, change: ChoiceChange): Promise<void> => {
      const conversation = await loop.conversation(key);
      await conversation.choose(change);
      const model = await currentModel(conversation.choice);
      if (model && !conversation.running) conversation.announceModel(model);
    },
    /** Asks a model for a word, once and without retries. Never rejects. */
    testModel: async (id: string): Promise<ConnectionTest> => {
      const resolved = await registry.resolve(id, { watched: true });
      if ('error' in resolved) return { model: id, error: resolved.error };
      const started = clock.now();
      let firstMs: number | undefined;
      const request: ModelRequest = {
        ...{ system: '', tools: [], maxTokens: TEST_TOKENS, sessionKey: `test:${newId()}` },
        messages: [{ role: 'user', content: 'Answer with the word OK.', timestamp: new Date(started).toISOString() }],
      };
      const { provider, model, info } = resolved;
      for await (const event of provider.stream(model, request, { signal: AbortSignal.timeout(TEST_MS) })) {
        firstMs ??= clock.now() - started;
        if (event.type !== 'end') continue;
        const { stopReason, error } = event.answer;
        if (stopReason === 'aborted') return { model: info.id, error: tooSlow(info.id) };
        if (stopReason === 'error' && error) return { model: info.id, error: errorInfo(error) };
      }
      return { model: info.id, firstMs: firstMs ?? 0, ms: clock.now() - started };
    },
  };
}

function tooSlow(id: string): ErrorInfo {
  const message = t(
    '{0} did not answer within {1} s. A model on this machine may still be loading; try again, or choose another.',
    id,
    TEST_MS / 1000,
  );
  return { code: 'timeout', message, next: ['retry', 'switchModel'] };
}
