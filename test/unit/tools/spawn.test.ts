import { describe, expect, it } from 'vitest';
import { specOf } from '../../../src/runner/registry.js';
import { spawnTool, type Spawner, type SpawnEnd, type SpawnRequest } from '../../../src/tools/spawn.js';

interface Seen {
  requests: SpawnRequest[];
  stopped: string[];
}

/** A tool over subagents that end as told, with what it asked of them. */
function toolOver(end: SpawnEnd | Promise<SpawnEnd>): { tool: ReturnType<typeof spawnTool>; seen: Seen } {
  const seen: Seen = { requests: [], stopped: [] };
  const subagents: Spawner = {
    spawn: async (request) => {
      seen.requests.push(request);
      return { id: 's1', label: request.label ?? '', queued: false, end: Promise.resolve(end) };
    },
    stop: (id) => void seen.stopped.push(id),
  };
  return { tool: spawnTool({ subagents }), seen };
}

function context(more: object = {}) {
  const marked: string[] = [];
  const signal = new AbortController().signal;
  const given = { sessionKey: 'vscode:1', callId: 'c1', watched: true, signal, update: () => undefined };
  return {
    marked,
    ...given,
    isUntrusted: () => false,
    markUntrusted: (source: string) => marked.push(source),
    ...more,
  };
}

const done: SpawnEnd = { status: 'done', text: 'Found it.', untrusted: false };

describe('spawn', () => {
  it('costs a request at most 350 bytes', () => {
    const { tool } = toolOver(done);
    expect(Buffer.byteLength(JSON.stringify(specOf(tool)))).toBeLessThanOrEqual(350);
  });

  it('returns at once, and names what it started', async () => {
    const { tool, seen } = toolOver(new Promise(() => undefined));
    const { text } = await tool.run({ task: 'Look for it.\nEverywhere.' }, context() as never);
    expect(text).toContain('Subagent [Look for it.] started (id: s1)');
    expect(seen.requests[0]).toMatchObject({ parent: 'vscode:1', callId: 'c1', wait: false, untrusted: false });
  });

  it('with wait gives the result, and marks what came from outside', async () => {
    const { tool } = toolOver({ ...done, untrusted: true });
    const given = context();
    expect((await tool.run({ task: 'x', wait: true }, given as never)).text).toBe('Found it.');
    expect(given.marked).toEqual(['the subagent x']);
  });

  it('waits where nobody watches, and tells why one failed', async () => {
    const { tool } = toolOver({ status: 'error', text: 'Half of it.', error: 'The model is gone.', untrusted: false });
    await expect(tool.run({ task: 'x' }, context({ watched: false }) as never)).rejects.toThrow(
      /\[x\] failed: The model is gone\.\s+Its last words:\s+Half of it\./,
    );
  });

  it('stops what was started by a turn that is stopped meanwhile', async () => {
    const { tool, seen } = toolOver(done);
    await tool.run({ task: 'x' }, context({ signal: AbortSignal.abort() }) as never);
    expect(seen.stopped).toEqual(['s1']);
  });

  it('refuses an empty task', async () => {
    const { tool } = toolOver(done);
    await expect(tool.run({ task: '  ' }, context() as never)).rejects.toThrow('The task is empty');
  });
});
