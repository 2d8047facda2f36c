import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Subagent } from '../../src/protocol/event.js';
import type { StoredMessage } from '../../src/protocol/message.js';
import type { AppLab } from './appLab.js';
import type { ModelRequestSeen, Reply, Script } from './modelServer.js';

/** What a subagent is told at the end of its system prompt; no other turn is. */
const SUBAGENT = 'You are a subagent';

/** Whether a request is one of a subagent, and not of the conversation it came from. */
export function isSubagents({ body }: ModelRequestSeen): boolean {
  return JSON.stringify([body.system, body.messages[0]]).includes(SUBAGENT);
}

/** The task a subagent's request begins with. */
export function taskOf({ body }: ModelRequestSeen): string {
  const user = body.messages.find((message) => message.role === 'user');
  const words = typeof user?.content === 'string' ? user.content : JSON.stringify(user?.content);
  return words;
}

/** Two scripts that do not disturb each other: the conversation's replies in order, and what subagents say, by their request. */
export function scripts(
  replies: Reply[],
  subagent: (request: ModelRequestSeen, n: number) => Reply | Promise<Reply>,
): Script {
  let asked = 0;
  let theirs = 0;
  return (request) => {
    if (isSubagents(request)) return subagent(request, theirs++);
    return replies[asked++] ?? { status: 500, body: { error: { message: 'the script has no more replies' } } };
  };
}

/** A spawn call as a model makes it. */
export function spawnCall(task: string, more: Record<string, unknown> = {}) {
  return { name: 'spawn', args: { task, ...more } };
}

/** Something that happens when the test says so. */
export function latch(): { wait: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { wait, open: () => open() };
}

/** The cards of the lab's session as a page shows them now. */
export async function cardsOf(lab: AppLab): Promise<Subagent[]> {
  return (await lab.app.loop.conversation(lab.session)).state.subagents;
}

/** Resolves with the card of the subagent that is first seen so. */
export function cardWhen(lab: AppLab, status: Subagent['status'], label?: string): Promise<Subagent> {
  return lab.event('subagent', (seen) => seen.status === status && (label === undefined || seen.label === label));
}

/** The stored lines of a subagent's own session. */
export function transcriptLines(lab: AppLab, id: string): Record<string, unknown>[] {
  const path = join(lab.home, 'sessions', `subagent_${id}.jsonl`);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function transcriptMessages(lab: AppLab, id: string): StoredMessage[] {
  return transcriptLines(lab, id).filter((line) => line['_type'] !== 'metadata') as unknown as StoredMessage[];
}
