import { expect, onTestFinished } from 'vitest';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { ErrorInfo, NextStep } from '../../src/protocol/message.js';
import { INTERRUPTED_RESULT } from '../../src/runner/govern.js';
import { appLab, type AppLab, type LabOptions } from './appLab.js';
import { modelSettings, type WireName } from './modelSettings.js';
import { startModelServer, type ModelServer, type Script, type SeenBody } from './modelServer.js';

/** A lab whose model is a server that speaks one of the two wire protocols. */
export async function served(
  script: Script,
  options: LabOptions & { wire?: WireName } = {},
): Promise<{ lab: AppLab; server: ModelServer }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const { settings, env } = modelSettings(server, options.wire);
  const lab = await appLab({
    ...options,
    settings: { ...settings, ...options.settings },
    env: { ...env, ...options.env },
  });
  return { lab, server };
}

/** The error a person was shown last, under a message or as a notice. */
export function shownError(lab: AppLab): ErrorInfo | undefined {
  for (const event of lab.events.toReversed()) {
    if (event.type === 'message_end' && event.error) return event.error;
    if (event.type === 'notice' && event.notice.level !== 'info')
      return { code: event.notice.id, message: event.notice.text, next: event.notice.next };
  }
  return undefined;
}

/** Sends one more message and expects a whole answer to a legal request: what every bad day has to end with. */
export async function expectNextTurn(lab: AppLab, server: ModelServer, answer = 'All is well again.'): Promise<void> {
  // A chat that has outgrown its window is summarised before it goes on: every request gets the same words.
  server.setScript(() => ({ text: answer }));
  const end = await lab.say('and now?');
  expect(end.status).toBe('done');
  expect(lab.stored().at(-1)?.content).toBe(answer);
  await expectSameOnDisk(lab);
  expectPaired(server);
}

/** What was said, which button came first, and that the session goes on: the three things a bad day owes a person. */
export async function expectBadDay(
  lab: AppLab,
  server: ModelServer,
  shown: { says: RegExp; next: NextStep[] },
): Promise<void> {
  const error = shownError(lab);
  expect(error?.message).toMatch(shown.says);
  expect(error?.next).toEqual(shown.next);
  await expectNextTurn(lab, server);
}

/** The live state is what a reload of the chat would show, nothing is left running, and no card waits for ever. */
export async function expectSameOnDisk(lab: AppLab): Promise<void> {
  const conversation = await lab.app.loop.conversation(lab.session);
  const essence = (messages: typeof conversation.state.messages) =>
    messages.map(({ id, role, status, parts, error }) => ({
      id,
      role,
      status,
      error,
      parts: parts.map((part) =>
        part.kind === 'tool' ? { callId: part.callId, status: part.status } : { kind: part.kind, text: part.text },
      ),
    }));
  const live = essence(conversation.state.messages);
  await conversation.refresh();
  expect(live).toEqual(essence(conversation.state.messages));
  expect(conversation.state.turn).toBeNull();
}

/** Every call of every request has its result right behind it, and no result is without its call. */
export function expectPaired(server: ModelServer): void {
  for (const { body } of server.requests) {
    for (const [at, message] of body.messages.entries()) {
      const calls = callsIn(message);
      if (calls.length > 0) expect(resultsBehind(body, at), `behind message ${String(at)}`).toEqual(calls);
    }
    const all = body.messages.flatMap(callsIn);
    expect(new Set(all).size).toBe(all.length);
    expect(body.messages.flatMap(resultsIn).sort()).toEqual(all.sort());
  }
}

type SeenMessage = SeenBody['messages'][number];

function callsIn(message: SeenMessage): string[] {
  const calls = (message['tool_calls'] ?? []) as { id: string }[];
  return [...calls.map((call) => call.id), ...blocksOf(message, 'tool_use').map((block) => String(block['id']))];
}

function resultsIn(message: SeenMessage): string[] {
  if (message.role === 'tool') return [String(message['tool_call_id'])];
  return blocksOf(message, 'tool_result').map((block) => String(block['tool_use_id']));
}

function resultsBehind(body: SeenBody, at: number): string[] {
  const ids: string[] = [];
  for (const message of body.messages.slice(at + 1)) {
    const found = resultsIn(message);
    if (found.length === 0) break;
    ids.push(...found);
  }
  return ids;
}

function blocksOf(message: SeenMessage, type: string): Record<string, unknown>[] {
  if (!Array.isArray(message.content)) return [];
  return (message.content as Record<string, unknown>[]).filter((block) => block['type'] === type);
}

/** The texts of a request's tool results, oldest first. */
export function resultTexts(body: SeenBody): string[] {
  return body.messages.flatMap((message) => {
    if (message.role === 'tool') return [textOf(message.content)];
    return blocksOf(message, 'tool_result').map((block) => textOf(block['content']));
  });
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? (content as { text?: string }[]).map((block) => block.text ?? '').join('') : '';
}

/** The end events of tool calls, in order. */
export function toolEnds(lab: AppLab): Extract<AgentEvent, { type: 'tool_end' }>[] {
  return lab.events.filter((event) => event.type === 'tool_end');
}

/** The result that stands for a call whose end nobody saw. */
export const UNKNOWN_EFFECT = INTERRUPTED_RESULT;
