import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import type { Files, Workspace } from '../../src/platform/ports.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import { appLab, type LabOptions } from '../support/appLab.js';
import { startModelServer, type ModelRequestSeen, type Script } from '../support/modelServer.js';

type Wire = 'openai' | 'anthropic';

async function served(wire: Wire, script: Script, options: LabOptions = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const apiBase = wire === 'openai' ? `${server.url}/v1` : server.url;
  const lab = await appLab({
    ...options,
    settings: { model: `${wire}/test-model`, providers: { [wire]: { apiBase } } },
    env: { OPENAI_API_KEY: 'test-key-1', ANTHROPIC_API_KEY: 'test-key-2' },
  });
  return { lab, server };
}

function toolBytes({ body }: ModelRequestSeen): number {
  return Buffer.byteLength(JSON.stringify(body.tools));
}

describe.each<Wire>(['openai', 'anthropic'])('a request to %s', (wire) => {
  it('is at most 20,000 bytes for a greeting in a fresh home and an empty folder, its tools 11,000', async () => {
    const { lab, server } = await served(wire, [{ text: 'Hello!' }]);
    await lab.say('hello');
    const [request] = server.requests;
    expect(request?.bytes).toBeLessThanOrEqual(20_000);
    expect(request && toolBytes(request)).toBeLessThanOrEqual(11_000);
    expect(request?.body.tools?.length).toBeGreaterThanOrEqual(12);
  });

  it('stays within that when a background command has brought its tools', async () => {
    const call = { name: 'exec', args: { command: 'sleep 60', background: true } };
    const { lab, server } = await served(wire, [{ toolCalls: [call] }, { text: 'Started.' }, { text: 'Hello!' }]);
    await lab.say('start it');
    await lab.say('hello');
    const [before, , after] = server.requests;
    expect(after?.body.tools?.length).toBe((before?.body.tools?.length ?? 0) + 3);
    expect(after && toolBytes(after)).toBeLessThanOrEqual(11_000);
    expect(after?.bytes).toBeLessThanOrEqual(20_000);
  });
});

/** A read of a file: its path, and how many bytes at most. */
interface Read {
  path: string;
  bytes: number;
}

function countingFiles(reads: Read[]): Files {
  const files = nodeFiles();
  return {
    ...files,
    read: (path) => {
      reads.push({ path, bytes: Infinity });
      return files.read(path);
    },
    readRange: (path, offset, length) => {
      reads.push({ path, bytes: length });
      return files.readRange(path, offset, length);
    },
  };
}

function countingWorkspace(workspace: Workspace, reads: Read[]): Workspace {
  return {
    ...workspace,
    read: (path) => {
      reads.push({ path, bytes: Infinity });
      return workspace.read(path);
    },
    readStart: (path, bytes) => {
      reads.push({ path, bytes });
      return workspace.readStart(path, bytes);
    },
  };
}

describe('a turn in which nothing changed', () => {
  it('parses no file: not the instructions, not the memory, not the history, not the session', async () => {
    const reads: Read[] = [];
    const first = await appLab({ files: { 'AGENTS.md': '# Rules\n\nBe brief.\n' } });
    await first.say('hello');
    const entry = (cursor: number) => ({ cursor, timestamp: '2026-04-01 10:00', content: `Fact ${String(cursor)}.` });
    const history = Array.from({ length: 10_000 }, (_, n) => `${JSON.stringify(entry(n + 1))}\n`);
    await nodeFiles().append(`${first.home}/memory/history.jsonl`, history.join(''), {});
    await first.close();
    const workspace = createNodeWorkspace({
      folders: [{ name: 'project', path: first.project }],
      userHome: `${first.root}/userhome`,
    });
    const lab = await appLab({
      root: first.root,
      ports: { files: countingFiles(reads), workspace: countingWorkspace(workspace, reads) },
    });
    await lab.say('hello');
    const names = reads.map(({ path }) => path.slice(first.root.length + 1));
    expect(names).toEqual(expect.arrayContaining(['project/AGENTS.md', 'workspace/memory/history.jsonl']));
    reads.length = 0;
    await lab.say('hello again');
    const session = reads.filter(({ path }) => path.includes('/sessions/'));
    expect(reads.filter((read) => !session.includes(read))).toEqual([]);
    // Of the session, only its first and last bytes, to see that nobody rewrote it.
    expect(session.every(({ bytes }) => bytes <= 512)).toBe(true);
    expect(session.length).toBeLessThanOrEqual(8);
  });
});
