import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { StoredMessage } from '../../src/protocol/message.js';
import { appLab, filesBelow, type AppLab } from './appLab.js';
import { modelSettings } from './modelSettings.js';
import type { ModelServer } from './modelServer.js';
import { expectPaired, expectSameOnDisk, UNKNOWN_EFFECT } from './served.js';

/** What a process told its person before it was killed. */
export type Announced = readonly AgentEvent[];

/** Everything that has to hold after a kill: on the disk as it is found, after a restart, after Resume, and after one more turn. */
export async function expectSurvived(
  root: string,
  announced: Announced,
  server: ModelServer,
  where: string,
): Promise<void> {
  const lab = await appLab({ root, ...modelSettings(server) });
  const conversation = await lab.app.loop.conversation(lab.session);
  expectAnnouncedStored(conversation.session.messages, announced, where);
  const asked = announced.some((event) => event.type === 'user_message');
  const ended = lastIndex(announced, 'turn_end') > lastIndex(announced, 'user_message');
  if (asked && !ended) await resumeIfInterrupted(lab, where);
  expect(await lab.say('and now?'), where).toMatchObject({ status: 'done' });
  await expectSameOnDisk(lab);
  expectPaired(server);
  expectNothingTwice(lab, where);
  expectAllParse(lab.home, where);
  await lab.close();
}

/** Goes on with what was cut off, and expects that it comes to its end. */
async function resumeIfInterrupted(lab: AppLab, where: string): Promise<void> {
  const conversation = await lab.app.loop.conversation(lab.session);
  if (!conversation.state.session.interrupted) {
    // Then the answer was stored and only its announcement was cut off.
    expect(lab.stored().at(-1), where).toMatchObject({ role: 'assistant' });
    return;
  }
  const end = lab.event('turn_end');
  await lab.app.loop.resume(lab.session, { channel: 'vscode' });
  expect((await end).status, where).toBe('done');
  await lab.app.loop.idle(lab.session);
  expect(conversation.state.session.interrupted, where).toBe(false);
}

/** What was shown as sent or finished is on disk, whatever came after. */
function expectAnnouncedStored(stored: readonly StoredMessage[], announced: Announced, where: string): void {
  const ids = new Set(stored.map((message) => message.id));
  const results = new Map(stored.map((message) => [message.tool_call_id, message]));
  for (const event of announced) {
    if (event.type === 'user_message' || (event.type === 'message_end' && event.status === 'done'))
      expect(ids, where).toContain(event.id);
    if (event.type === 'tool_end' && event.status !== 'aborted') {
      const result = results.get(event.callId);
      expect(result?.tool?.status, `${where}: the result of ${event.callId}`).toBe(event.status);
      expect(result?.content, where).not.toBe(UNKNOWN_EFFECT);
    }
  }
}

/** Each call leaves one line of its own: a line that stands twice is a call that ran twice. */
function expectNothingTwice(lab: AppLab, where: string): void {
  for (const name of ['log', 'notes.txt']) {
    const path = join(lab.project, name);
    const lines = existsSync(path)
      ? readFileSync(path, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
      : [];
    expect(new Set(lines).size, `${where}: ${name} is ${lines.join(', ')}`).toBe(lines.length);
    const results = lab.stored().filter((message) => message.role === 'tool' && message.tool?.status === 'ok');
    const calls = new Map(lab.stored().flatMap((message) => (message.tool_calls ?? []).map((call) => [call.id, call])));
    for (const { tool_call_id } of results) {
      const word = /echo ([\w-]+) >>|"new_text":"([\w-]+)/.exec(
        calls.get(tool_call_id ?? '')?.function.arguments ?? '',
      );
      const file = word?.[1] ? 'log' : 'notes.txt';
      if (word && file === name)
        expect(lines, `${where}: ${tool_call_id ?? ''} has a result`).toContain(word[1] ?? word[2]);
    }
  }
}

/** Every file that is meant for a program parses. Temporary files of a killed write are nobody's; the lists of snapshots and the counts of usage pass over a torn line by design. */
export function expectAllParse(home: string, where: string): void {
  for (const path of filesBelow(home)) {
    if (path.endsWith('.tmp') || path.includes('/snapshots/') || path.includes('/usage/')) continue;
    const text = readFileSync(path, 'utf8');
    const pieces = path.endsWith('.jsonl') ? text.split('\n') : /\.(json|lock|request|claim)$/.test(path) ? [text] : [];
    for (const piece of pieces.filter((line) => line !== '')) {
      expect(() => JSON.parse(piece) as unknown, `${where}: ${path}: ${piece.slice(0, 200)}`).not.toThrow();
    }
  }
}

function lastIndex(events: Announced, type: AgentEvent['type']): number {
  return events.findLastIndex((event) => event.type === type);
}
