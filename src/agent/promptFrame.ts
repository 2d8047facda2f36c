import type { Settings } from '../config/schema.js';
import type { PromptFrame } from '../memory/consolidator.js';
import { estimateText } from '../memory/tokens.js';
import type { Clock } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import { specOf, type ToolRegistry } from '../runner/registry.js';
import { askSummary, type AskOptions } from './askSummary.js';
import type { ReadyModel } from './readyModel.js';

/** Tokens that stay free beside prompt and answer. */
const TO_SPARE = 1_024;

export interface FrameDeps {
  tools: Pick<ToolRegistry, 'for'>;
  clock: Clock;
  settings(): Settings;
  /** What a model's tokens are to our estimates. */
  ratio(modelId: string): number;
  /** The project that facts are filed under. */
  project(): string | undefined;
}

/** The window a turn may use and what of it is kept for the answer, in tokens. */
export function limitsOf(settings: Settings, model: ModelInfo): { contextWindow: number; maxTokens: number } {
  const contextWindow = Math.min(settings.contextWindowTokens, model.window);
  return { contextWindow, maxTokens: Math.min(settings.maxTokens, Math.floor(contextWindow / 2)) };
}

/** What a session's next request would carry and may weigh, with its model to ask: for the Consolidator, which knows no models. */
export function promptFrame(
  deps: FrameDeps,
  model: ReadyModel,
  prompt: { sessionKey: string; system: string } & Pick<AskOptions, 'refusedImages' | 'waiting'>,
): PromptFrame {
  const { sessionKey, system, ...options } = prompt;
  const { contextWindow, maxTokens } = limitsOf(deps.settings(), model.info);
  const tools = deps.tools.for(sessionKey).map(specOf);
  return {
    system,
    tools,
    fixedTokens: estimateText(system) + estimateText(JSON.stringify(tools)),
    budget: contextWindow - maxTokens - TO_SPARE,
    maxTokens,
    ratio: deps.ratio(model.info.id),
    project: deps.project(),
    ask: (request, { signal }) => askSummary(model, request, { ...options, signal, sessionKey, clock: deps.clock }),
  };
}
