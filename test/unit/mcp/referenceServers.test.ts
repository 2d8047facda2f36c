import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpLab, referenceScript, referenceServer } from '../../support/mcpLab.js';
import { until } from '../../support/until.js';

describe('the reference server "everything" over stdio', () => {
  it('offers its tools, resources and prompts, and answers with text and images', async () => {
    const lab = await mcpLab({ all: referenceServer('everything') });
    await lab.ready();
    expect(lab.tools()).toEqual(expect.arrayContaining(['mcp_all_echo', 'mcp_all_resources', 'mcp_all_prompts']));
    expect((await lab.call('mcp_all_echo', { message: 'hello' })).text).toContain('hello');
    expect(lab.sources).toEqual(['the MCP server all']);
    const image = await lab.call('mcp_all_get-tiny-image');
    expect(image.images?.[0]?.image_url.url).toMatch(/^data:image\/png;base64,iVBOR/);
  });

  it('reads resources and prompts', async () => {
    const lab = await mcpLab({ all: referenceServer('everything') });
    await lab.ready();
    const listed = (await lab.call('mcp_all_resources')).text;
    const uri = /^(\S+?:\/\/[^\s{]+): /m.exec(listed)?.[1] ?? '';
    expect((await lab.call('mcp_all_resources', { uri })).text).toContain(uri);
    const prompts = (await lab.call('mcp_all_prompts')).text;
    expect(prompts).toContain('simple-prompt');
    expect((await lab.call('mcp_all_prompts', { name: 'simple-prompt' })).text).toContain('prompt');
  });

  it('passes progress on', async () => {
    const lab = await mcpLab({ all: referenceServer('everything') });
    await lab.ready();
    await lab.call('mcp_all_trigger-long-running-operation', { duration: 0.4, steps: 2 });
    expect(lab.tails).toEqual(expect.arrayContaining([expect.stringContaining('1 of 2')]));
  });

  it('says which argument a call lacks, without asking the server', async () => {
    const lab = await mcpLab({ all: referenceServer('everything') });
    await lab.ready();
    await expect(lab.call('mcp_all_echo', {})).rejects.toThrow('message: is required');
  });
});

describe('the reference server "everything" over HTTP', () => {
  it.each(['streamableHttp', 'sse'])('works over %s', async (transport) => {
    const port = await startHttp(transport);
    const path = transport === 'sse' ? 'sse' : 'mcp';
    const lab = await mcpLab({ far: { url: `http://127.0.0.1:${String(port)}/${path}` } });
    await lab.ready();
    expect(lab.manager.status()[0]?.state).toMatchObject({ kind: 'ready' });
    expect((await lab.call('mcp_far_echo', { message: 'over the wire' })).text).toContain('over the wire');
  });

  it('goes on after the server was started anew', async () => {
    const server = await startHttpProcess('streamableHttp');
    const lab = await mcpLab({ far: { url: `http://127.0.0.1:${String(server.port)}/mcp` } });
    await lab.ready();
    await lab.call('mcp_far_echo', { message: 'one' });
    await server.end();
    await expect(lab.call('mcp_far_echo', { message: 'two' })).rejects.toThrow(/far/);
    await startHttpProcess('streamableHttp', server.port);
    await until('an answer', () =>
      lab.call('mcp_far_echo', { message: 'three' }).then(
        ({ text }) => text.includes('three'),
        () => false,
      ),
    );
  });
});

it('works with the reference servers "filesystem", told of the workspace, and "memory"', async () => {
  const both = await mcpLab((project) => ({
    files: referenceServer('filesystem'),
    memory: { ...referenceServer('memory'), env: { MEMORY_FILE_PATH: join(project, 'graph.jsonl') } },
  }));
  writeFileSync(join(both.project, 'note.txt'), 'tea at four');
  await both.ready();
  // The server asks for the folders once it is ready, so the first calls may come before the answer.
  const read = () => both.call('mcp_files_read_text_file', { path: join(both.project, 'note.txt') });
  await until('the file to be read', async () => (await read()).text.includes('tea at four'));
  expect(both.registry.find('mcp_files_read_text_file')?.readOnly).toBe(true);
  expect(both.registry.find('mcp_files_write_file')?.readOnly).toBe(false);
  await both.call('mcp_memory_create_entities', {
    entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }],
  });
  expect((await both.call('mcp_memory_search_nodes', { query: 'Ada' })).text).toContain('likes tea');
});

async function startHttp(transport: string): Promise<number> {
  return (await startHttpProcess(transport)).port;
}

async function startHttpProcess(transport: string, wanted?: number): Promise<{ port: number; end(): Promise<void> }> {
  const port = wanted ?? (await freePort());
  const child = spawn(process.execPath, [referenceScript('everything'), transport], {
    env: { ...process.env, PORT: String(port) },
  });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()));
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(end);
  await until(`the server to listen: ${said}`, () => said.includes(String(port)));
  return { port, end };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
