import * as z from 'zod';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { StoredMessage, ToolCall } from '../../src/protocol/message.js';
import type { ModelAnswer, ModelRequest } from '../../src/providers/provider.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { ToolRegistry } from '../../src/runner/registry.js';
import type { RunHooks, RunSpec, RunStreamEvent } from '../../src/runner/run.js';
import { defineTool, type Tool, type ToolContext } from '../../src/runner/tool.js';
import { estimateMessage } from '../../src/memory/tokens.js';

/** What the scripted model does for one request: an answer, or events of its own making. */
export type Step =
  Partial<ModelAnswer> | ((request: ModelRequest) => Partial<ModelAnswer> | AsyncIterable<RunStreamEvent>);

/** A run with a scripted model, whose requests, stored messages and events are kept for the test to look at. */
export function scriptedRun(steps: Step[], tools: Tool[] = [], change: Partial<RunSpec> = {}) {
  const requests: ModelRequest[] = [];
  const stored: StoredMessage[] = [];
  const events: AgentEvent[] = [];
  const spilled: string[] = [];
  const controller = new AbortController();
  const registry = new ToolRegistry();
  registry.register(...tools);
  let ids = 0;
  const spec: RunSpec = {
    sessionKey: 'test:1',
    turnId: 'turn-1',
    system: 'system',
    messages: [user('do it')],
    tools: registry,
    maxTokens: 1000,
    contextWindow: 64_000,
    maxIterations: 20,
    maxTurnTokens: 0,
    cut: {},
    estimate: estimateMessage,
    fixedTokens: 100,
    ...change,
  };
  const hooks: RunHooks = {
    stream: async function* (request) {
      const step = steps[requests.length];
      requests.push(structuredClone(request));
      if (!step) throw new Error(`The script has no answer for request ${String(requests.length)}.`);
      const made = typeof step === 'function' ? step(request) : step;
      if (Symbol.asyncIterator in made) {
        yield* made;
        return;
      }
      if (made.text) yield { type: 'text', text: made.text };
      yield { type: 'end', answer: answerOf(made) };
    },
    append: async (message) => void stored.push(message),
    emit: (event) => void events.push(event),
    approve: async () => ({ allow: true }),
    toolContext: (callId) => context(callId, controller.signal),
    steer: async () => [],
    spill: async (_callId, text) => {
      spilled.push(text);
      return '/home/results/x.txt';
    },
    used: () => undefined,
    newId: () => `id-${String(++ids)}`,
    clock: nodeClock(),
  };
  return { spec, hooks, requests, stored, events, spilled, controller };
}

/** A whole answer from the parts a test cares about. */
export function answerOf(part: Partial<ModelAnswer>): ModelAnswer {
  const calls = part.toolCalls ?? [];
  return {
    text: '',
    stopReason: calls.length > 0 ? 'tool_calls' : 'stop',
    model: 'scripted',
    ...part,
    toolCalls: calls,
  };
}

export function user(text: string, id = `user-${text}`): StoredMessage {
  return { role: 'user', content: text, timestamp: '2026-01-01T00:00:00.000Z', id };
}

export function call(name: string, args: object | string = {}, id = `call-${name}`): ToolCall {
  return {
    id,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  };
}

/** A tool that gives back what it is told, counting its runs. */
export function echoTool(
  name: string,
  options: { readOnly?: boolean; run?: (text: string, context: ToolContext) => Promise<string> } = {},
) {
  const ran: string[] = [];
  const tool = defineTool({
    name,
    description: 'Echo.',
    params: z.object({ text: z.string(), times: z.number().int().optional() }),
    readOnly: options.readOnly ?? false,
    summary: ({ text }) => `${name} ${text}`,
    run: async ({ text }, context) => {
      ran.push(text);
      return options.run ? options.run(text, context) : `echo ${text}`;
    },
  });
  return { tool, ran };
}

function context(callId: string, signal: AbortSignal): ToolContext {
  return {
    sessionKey: 'test:1',
    turnId: 'turn-1',
    callId,
    signal,
    watched: true,
    reads: { note: () => undefined, forget: () => undefined, check: () => 'fresh' },
    update: () => undefined,
    beforeChange: async () => undefined,
    amended: () => undefined,
    markUntrusted: () => undefined,
    isUntrusted: () => false,
    ask: async () => '',
    setTodo: () => undefined,
    askSave: async () => 'run',
  };
}
