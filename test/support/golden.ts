import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { AgentEvent } from '../../src/protocol/event.js';
import type { AppLab } from './appLab.js';
import type { ModelServer } from './modelServer.js';
import { isSubagents, transcriptLines } from './subagents.js';

const folder = join(import.meta.dirname, '../golden/transcripts');

/**
 * Compares a text with its golden file. A missing one is written (and fails in CI, where nobody would look at it); a mismatch leaves `.actual`
 * beside it. Set UPDATE_GOLDEN=1 to accept what there is.
 */
export function expectGolden(name: string, actual: string): void {
  const path = join(folder, `${name}.txt`);
  if (process.env['UPDATE_GOLDEN'] || (!existsSync(path) && !process.env['CI'])) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
  }
  const golden = existsSync(path) ? readFileSync(path, 'utf8') : '(missing)';
  if (golden === actual) rmSync(`${path}.actual`, { force: true });
  else writeFileSync(`${path}.actual`, actual);
  expect(actual).toBe(golden);
}

/** A conversation as text: what the person saw, what the model was sent, what stands on disk. Ids, times and paths of the run are normalised. */
export function transcriptOf(lab: AppLab, server?: ModelServer): string {
  const parts = ['# Events', ...mergeDeltas(lab.events).map(eventLine)];
  if (server) parts.push('', '# Requests', ...server.requests.map((request) => requestText(request.body)));
  parts.push('', '# Session file', ...lab.lines().map((line) => JSON.stringify(line)));
  return normalise(parts.join('\n'), lab) + '\n';
}

/**
 * The same of a conversation with subagents, and each one's own file. Which of them asks the model first is a matter of timing, so their requests stand
 * apart; how often a card was told of a step is as well.
 */
export function subagentTranscriptOf(lab: AppLab, server: ModelServer, ids: string[]): string {
  const events = mergeDeltas(lab.events).filter(
    (event) => event.type !== 'subagent' || event.status !== 'running' || event.steps === 0,
  );
  const requests = (theirs: boolean) =>
    server.requests.filter((request) => isSubagents(request) === theirs).map(({ body }) => requestText(body));
  const parts = ['# Events', ...events.map(eventLine), '', '# Requests', ...requests(false)];
  parts.push('', '# Requests of subagents', ...requests(true));
  parts.push('', '# Session file', ...lab.lines().map((line) => JSON.stringify(line)));
  for (const id of ids)
    parts.push('', `# File of subagent ${id}`, ...transcriptLines(lab, id).map((line) => JSON.stringify(line)));
  return normalise(parts.join('\n'), lab) + '\n';
}

function mergeDeltas(events: AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if ((event.type === 'text' || event.type === 'thinking') && last?.type === event.type) {
      merged[merged.length - 1] = { type: event.type, text: last.text + event.text };
    } else if (!(event.type === 'tool_update' && last?.type === 'tool_update')) merged.push(event);
    else merged[merged.length - 1] = event;
  }
  // How often a running command's tail was seen is a matter of timing.
  return merged.filter((event) => event.type !== 'tool_update' && event.type !== 'context');
}

function eventLine(event: AgentEvent): string {
  const { type, ...rest } = event;
  return `${type} ${JSON.stringify(rest)}`;
}

function requestText(body: { messages: { role: string; content: unknown; [field: string]: unknown }[] }): string {
  return body.messages
    .filter((message) => message.role !== 'system')
    .map((message) => `  ${JSON.stringify(message)}`)
    .join('\n')
    .concat('\n  --');
}

/** The text without ids, times and paths of this run. */
export function normalise(text: string, lab: AppLab): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(lab.project, '<project>')
    .replaceAll(lab.home, '<home>')
    .replaceAll(lab.root, '<root>')
    .replace(/\b(?:id\d+-|practice_)[a-z0-9]+/g, (id) => {
      const known = ids.get(id) ?? `<id${String(ids.size + 1)}>`;
      ids.set(id, known);
      return known;
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/Time: \d{4}-[^"\\]*\)/g, 'Time: <time>')
    .replace(/"(at|startedAt|endedAt|until)":\d+/g, '"$1":0')
    .replace(/"ms":\d+/g, '"ms":0')
    .replace(/"inputTokens":\d+,"outputTokens":\d+,"cachedTokens":0,"estimated":true/g, '"estimated":true')
    .replace(/\b\d+(\.\d+)? (ms|s)\b/g, '<n> $2')
    .replace(/duration_ms [\d.]+/g, 'duration_ms <n>');
}
