import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { sessionExcerpt } from '../../../src/vscode/sessionExcerpt.js';
import { tempHome } from '../../support/tempHome.js';

const present = { now: Date.UTC(2026, 3, 15, 12), zone: 'UTC' };

async function sessionWith(lines: object[]): Promise<string> {
  const { home } = await tempHome();
  mkdirSync(home, { recursive: true });
  const path = join(home, 'session.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const said = (role: string, content: string, more: object = {}) => ({
  role,
  content,
  timestamp: '2026-04-15T10:00:00Z',
  ...more,
});

describe('an excerpt of a chat', () => {
  it('holds the message with what was said around it, and tells where it stands', async () => {
    const talk = Array.from({ length: 40 }, (_, n) => said(n % 2 ? 'assistant' : 'user', `words ${String(n)}`));
    const path = await sessionWith([{ _type: 'metadata', key: 'vscode:1' }, ...talk]);
    const excerpt = await sessionExcerpt(nodeFiles(), { path, line: 22 }, present);
    const lines = excerpt?.text.split('\n') ?? [];
    expect(lines[excerpt?.line ?? -1]).toBe('**You**, today 10:00');
    expect(lines[(excerpt?.line ?? -1) + 2]).toBe('words 20');
    expect(lines.filter((line) => line.startsWith('words'))).toEqual(
      Array.from({ length: 13 }, (_, n) => `words ${String(n + 14)}`),
    );
  });

  it('leaves out results of tools, and stands at the first and the last message too', async () => {
    const path = await sessionWith([
      said('user', 'first'),
      said('assistant', '', { tool_calls: [] }),
      said('tool', 'output', { tool_call_id: '1' }),
      said('assistant', 'last', { timestamp: 'some time' }),
    ]);
    const text = '**You**, today 10:00\n\nfirst\n\n---\n\n**Nanobot**\n\nlast\n';
    expect(await sessionExcerpt(nodeFiles(), { path, line: 1 }, present)).toEqual({ text, line: 0 });
    expect(await sessionExcerpt(nodeFiles(), { path, line: 4 }, present)).toEqual({ text, line: 6 });
  });

  it('is none where no words stand there any more', async () => {
    const path = await sessionWith([said('user', 'first'), said('tool', 'output')]);
    expect(await sessionExcerpt(nodeFiles(), { path, line: 2 }, present)).toBeUndefined();
    expect(await sessionExcerpt(nodeFiles(), { path, line: 9 }, present)).toBeUndefined();
    expect(await sessionExcerpt(nodeFiles(), { path: `${path}.gone`, line: 1 }, present)).toBeUndefined();
  });
});
