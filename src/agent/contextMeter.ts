import { estimateMessage } from '../memory/tokens.js';
import type { ContextUsage } from '../protocol/event.js';
import type { Usage } from '../protocol/message.js';
import type { ModelRequest } from '../providers/provider.js';
import { tokensIn } from '../runner/usage.js';
import type { SystemPrompt } from './context.js';

/** What a request weighs by our own estimate, no model's ratio in it: the whole, and the parts that the meter's tooltip shows. */
export interface RequestWeight {
  total: number;
  system: number;
  memory: number;
  skills: number;
  history: number;
  tools: number;
}

/** Weighs a request as it was sent. `system` is its system prompt in parts, `toolTokens` the weight of its tools. */
export function weigh(sent: ModelRequest, system: SystemPrompt, toolTokens: number): RequestWeight {
  const parts = system.tokens;
  const history = sent.messages.reduce((sum, message) => sum + estimateMessage(message), parts.history);
  const total = parts.system + parts.memory + parts.skills + history + toolTokens;
  return { total, system: parts.system, memory: parts.memory, skills: parts.skills, history, tools: toolTokens };
}

/**
 * How full the window is, in the model's tokens. What the provider reported is the truth for the whole and the parts are scaled to it; where it
 * reported nothing the estimate is corrected by the model's `ratio`.
 */
export function contextUsage(
  weight: RequestWeight,
  { usage, ratio, window }: { usage: Usage | undefined; ratio: number; window: number },
): ContextUsage {
  const scale = usage && weight.total > 0 ? usage.inputTokens / weight.total : ratio;
  const scaled = (tokens: number) => Math.round(tokens * scale);
  return {
    used: usage ? tokensIn(usage) : scaled(weight.total),
    window,
    system: scaled(weight.system),
    memory: scaled(weight.memory),
    skills: scaled(weight.skills),
    history: scaled(weight.history),
    tools: scaled(weight.tools),
  };
}
