import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { Clock } from '../../../src/platform/ports.js';
import { mcpLab, oddServer, referenceServer, type McpLab } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const stateOf = (lab: McpLab, name: string) => lab.manager.status().find((row) => row.name === name)?.state;

describe('a server that cannot be connected', () => {
  it('takes nothing from the others and says why: missing, dying, wrong', async () => {
    const lab = await mcpLab({
      missing: { command: 'no-such-program-anywhere' },
      dies: oddServer('dies'),
      wrong: { command: 'node', args: 'not a list' },
      both: { command: 'node', url: 'http://127.0.0.1:1' },
      far: { url: 'http://127.0.0.1:9/mcp' },
      secret: { command: 'node', env: { KEY: '${env:OPENAI_API_KEY}' } },
      searchSecret: { command: 'node', env: { KEY: '${env:BRAVE_API_KEY}' } },
      asks: { command: 'node', args: ['${input:token}'] },
      good: oddServer('plain'),
    });
    await lab.ready();
    expect(lab.tools()).toEqual(['mcp_good_go']);
    expect(stateOf(lab, 'missing')).toMatchObject({
      kind: 'failed',
      reason: saying('no program "no-such-program-anywhere"'),
    });
    expect(stateOf(lab, 'dies')).toMatchObject({ kind: 'failed', reason: saying('no database') });
    expect(stateOf(lab, 'far')).toMatchObject({ kind: 'failed' });
    expect(stateOf(lab, 'wrong')).toMatchObject({ kind: 'off', reason: saying('args') });
    expect(stateOf(lab, 'both')).toMatchObject({ kind: 'off', reason: saying('cannot both') });
    expect(stateOf(lab, 'secret')).toMatchObject({
      kind: 'off',
      reason: saying("model or search provider's key"),
    });
    expect(stateOf(lab, 'searchSecret')).toMatchObject({ kind: 'off', reason: saying("search provider's key") });
    expect(stateOf(lab, 'asks')).toMatchObject({
      kind: 'off',
      reason: saying('${input:token} is not supported'),
    });
  });

  it('holds one watched turn up for a second at most when it hangs, and is ended after its limit', async () => {
    const lab = await mcpLab({ hangs: oddServer('hang'), good: oddServer('plain') }, { clock: quickClock() });
    const started = performance.now();
    await lab.manager.prepare({ watched: true, signal: new AbortController().signal });
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(stateOf(lab, 'hangs')).toEqual({ kind: 'connecting' });
    const again = performance.now();
    await lab.manager.prepare({ watched: true, signal: new AbortController().signal });
    expect(performance.now() - again).toBeLessThan(500);
    await until('the tools of the other', () => lab.tools().includes('mcp_good_go'));
    await until('the end of its time', () => stateOf(lab, 'hangs')?.kind === 'failed');
    expect(stateOf(lab, 'hangs')).toMatchObject({ reason: saying('not ready within 15 seconds') });
  });

  it('is not waited for again at the next turn', async () => {
    const lab = await mcpLab({ missing: { command: 'no-such-program-anywhere' } });
    await lab.ready();
    const before = lab.manager.status()[0]?.log;
    await lab.ready();
    expect(lab.manager.status()[0]?.log).toBe(before);
  });
});

describe('a server in trouble during a call', () => {
  it('that crashes: the call fails with its last words, and it is started again', async () => {
    const { root } = await tempHome();
    const file = join(root, 'starts');
    const lab = await mcpLab({ frail: oddServer('crash', file) });
    await lab.ready();
    await expect(lab.call('mcp_frail_go')).rejects.toThrow(/lost during this call.*out of cheese/);
    expect(lab.tools()).toEqual(['mcp_frail_go']);
    await until('the second start', () => starts(file) === 2);
    await until('it to be ready', () => stateOf(lab, 'frail')?.kind === 'ready');
  });

  it('that is called while it is away is connected at once', async () => {
    const lab = await mcpLab({ frail: oddServer('crash') });
    await lab.ready();
    await expect(lab.call('mcp_frail_go')).rejects.toThrow('lost');
    await expect(lab.call('mcp_frail_go')).rejects.toThrow('lost');
    expect(stateOf(lab, 'frail')).toMatchObject({ kind: 'waiting' });
  });

  it('that never answers: the call ends at its limit and is cancelled there', async () => {
    const { root } = await tempHome();
    const file = join(root, 'heard');
    const lab = await mcpLab({ mute: { ...oddServer('silent', file), tool_timeout: 0.3 } });
    await lab.ready();
    await expect(lab.call('mcp_mute_go')).rejects.toThrow('no answer within 0.3 seconds');
    await until('the cancellation', () => readFileSync(file, 'utf8').includes('heard notifications/cancelled'));
  });

  it('ends with the turn when the person stops it', async () => {
    const { root } = await tempHome();
    const file = join(root, 'heard');
    const lab = await mcpLab({ mute: oddServer('silent', file) });
    await lab.ready();
    const stop = new AbortController();
    const call = lab.call('mcp_mute_go', {}, { signal: stop.signal });
    await until('the call', () => readFileSync(file, 'utf8').includes('heard tools/call'));
    stop.abort();
    await expect(call).rejects.toThrow('Stopped');
    await until('the cancellation', () => readFileSync(file, 'utf8').includes('heard notifications/cancelled'));
    expect(stateOf(lab, 'mute')?.kind).toBe('ready');
  });

  it('that answers with 10 MB: the call fails at once, the server stays', async () => {
    const lab = await mcpLab({ vast: oddServer('big') });
    await lab.ready();
    await expect(lab.call('mcp_vast_go')).rejects.toThrow('The answer was 10.0 MB; at most 4 MB are taken.');
    expect(stateOf(lab, 'vast')?.kind).toBe('ready');
  });

  it.each(['application/json', 'text/event-stream'])(
    'that answers with 10 MB over HTTP as %s: the call fails at once',
    async (type) => {
      const lab = await mcpLab({ vast: { url: await vastServer(type), type: 'http' } });
      await lab.ready();
      await expect(lab.call('mcp_vast_go')).rejects.toThrow('longer than 4 MB');
      expect(stateOf(lab, 'vast')?.kind).toBe('ready');
    },
  );

  it('that answers with 2 MB: the text is cut', async () => {
    const lab = await mcpLab({ vast: oddServer('large') });
    await lab.ready();
    expect((await lab.call('mcp_vast_go')).text.slice(-50)).toMatch(/y\n… 1000000 more characters were left out\.$/);
  });

  it('that refuses, or fails, says so to the model', async () => {
    const lab = await mcpLab({ no: oddServer('refuse'), broken: oddServer('fail') });
    await lab.ready();
    await expect(lab.call('mcp_no_go')).rejects.toThrow('not today');
    expect(await lab.call('mcp_broken_go')).toEqual({ text: 'it broke', failed: true });
  });
});

describe('a server with odd manners', () => {
  it('that prints to its standard output is understood, and what it printed is in its log', async () => {
    const lab = await mcpLab({ loud: oddServer('noisy') });
    await lab.ready();
    expect((await lab.call('mcp_loud_go', { text: 'hi' })).text).toBe('go {"text":"hi"}');
    expect(lab.manager.status()[0]?.log).toContain('[standard output] Welcome to the noisy server!');
  });

  it('that changes its tools: new sessions get the new ones, a session keeps what it was offered', async () => {
    const lab = await mcpLab({ fickle: oddServer('changing') });
    await lab.ready();
    expect(lab.tools('old')).toEqual(['mcp_fickle_before', 'mcp_fickle_change']);
    await lab.call('mcp_fickle_change');
    await until('the new tool', () => lab.tools('old').includes('mcp_fickle_after'));
    expect(lab.tools('old')).toContain('mcp_fickle_before');
    expect(lab.tools('new')).toEqual(['mcp_fickle_after', 'mcp_fickle_change']);
    await expect(lab.call('mcp_fickle_before')).rejects.toThrow('has no tool "before" any more');
  });

  it('that has 300 tools offers two: one that searches them, one that calls them', async () => {
    const lab = await mcpLab({ big: oddServer('many') });
    await lab.ready();
    expect(lab.tools()).toEqual(['mcp_big_call_tool', 'mcp_big_find_tools']);
    const found = (await lab.call('mcp_big_find_tools', { query: 'plants' })).text;
    expect(found).toMatch(/^tool_217: Waters the plants\.\narguments: /);
    expect((await lab.call('mcp_big_call_tool', { tool: 'tool_217', arguments: { text: 'fern' } })).text).toBe(
      'tool_217 {"text":"fern"}',
    );
    expect(lab.sources).toEqual(['the MCP server big', 'the MCP server big']);
    await expect(lab.call('mcp_big_call_tool', { tool: 'tool_999' })).rejects.toThrow('no tool "tool_999"');
  });

  it('that has odd names and schemas: every name fits and is told apart, every schema is an object of plain parts', async () => {
    const lab = await mcpLab({ odd: oddServer('odd') });
    await lab.ready();
    const tools = lab.registry.for('s');
    const names = tools.map(({ name }) => name);
    expect(names).toHaveLength(7);
    expect(names.filter((name) => !/^[\w-]{1,64}$/.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['mcp_odd_same_name', 'mcp_odd_same_name_2', 'mcp_odd_no_schema']));
    const parameters = Object.fromEntries(tools.map((tool) => [tool.name, tool.parameters]));
    expect(JSON.stringify(parameters)).not.toMatch(/\$ref|\$defs/);
    expect(Object.values(parameters).filter((schema) => schema['type'] !== 'object' || 'anyOf' in schema)).toEqual([]);
    expect(parameters['mcp_odd_either']).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'number' }, c: { type: 'string', enum: ['x', 'y'] } },
    });
    expect(lab.manager.status()[0]?.log).toContain('a tool without a name was left out');
  });

  it('reports progress, which keeps a call alive', async () => {
    const lab = await mcpLab({ steady: oddServer('progress') });
    await lab.ready();
    expect((await lab.call('mcp_steady_go')).text).toBe('all done');
    expect(lab.tails).toEqual(['1 of 3 steps', '2 of 3 steps', '3 of 3 steps']);
  });

  it('that asks the person does so in cards, and is told of a refusal and of nobody being there', async () => {
    const lab = await mcpLab({ curious: oddServer('ask') }, { answers: ['Ada', 'Yes', 'Ada', 'Decline'] });
    await lab.ready();
    expect((await lab.call('mcp_curious_go')).text).toBe('{"action":"accept","content":{"name":"Ada","sure":true}}');
    expect(lab.asked).toEqual([
      'The MCP server curious asks: Who?\nYour name',
      'The MCP server curious asks: Who?\nsure',
    ]);
    expect((await lab.call('mcp_curious_go')).text).toBe('{"action":"decline"}');
    expect((await lab.call('mcp_curious_go', {}, { watched: false })).text).toBe('{"action":"cancel"}');
  });
});

describe('what is started', () => {
  it('has no keys of model and search providers, and its own variables', async () => {
    const lab = await mcpLab(
      { env: { ...oddServer('environment'), env: { MINE: '${env:GREETING} ${workspaceFolder}' } } },
      { env: { OPENAI_API_KEY: 'sk-secret', TAVILY_API_KEY: 'sk-secret', GREETING: 'hello' } },
    );
    await lab.ready();
    const seen = JSON.parse((await lab.call('mcp_env_go')).text) as Record<string, string>;
    expect(seen['MINE']).toBe(`hello ${lab.project}`);
    expect(JSON.stringify(seen)).not.toContain('sk-secret');
  });

  it('ends with us, and so does what it started', async () => {
    const { root } = await tempHome();
    const file = join(root, 'children');
    const lab = await mcpLab({ family: oddServer('family', file) });
    await lab.ready();
    const child = Number(readFileSync(file, 'utf8'));
    expect(isAlive(child)).toBe(true);
    await lab.manager.close();
    expect(isAlive(child)).toBe(false);
  });

  it('is nothing at all until a turn begins, and nothing of a server without tools', async () => {
    const { root } = await tempHome();
    const file = join(root, 'starts');
    const lab = await mcpLab({
      later: oddServer('plain', file),
      none: { ...oddServer('plain', file), enabledTools: [] },
    });
    expect(existsSync(file)).toBe(false);
    await lab.ready();
    expect(starts(file)).toBe(1);
    expect(lab.manager.status().map(({ name }) => name)).toEqual(['later']);
  });

  it("offers only the tools that are enabled, by the server's name or ours", async () => {
    const lab = await mcpLab({
      all: { ...referenceServer('memory'), enabled_tools: ['read_graph', 'mcp_all_search_nodes'], env: null },
    });
    await lab.ready();
    expect(lab.tools()).toEqual(['mcp_all_read_graph', 'mcp_all_search_nodes']);
  });

  it('begins anew when it is restarted, and changes with its settings', async () => {
    const { root } = await tempHome();
    const file = join(root, 'starts');
    const servers: Record<string, unknown> = { one: oddServer('plain', file) };
    const lab = await mcpLab(servers);
    await lab.ready();
    await lab.manager.restart('one');
    expect(starts(file)).toBe(2);
    expect(stateOf(lab, 'one')?.kind).toBe('ready');
    delete servers['one'];
    servers['two'] = oddServer('plain');
    await lab.ready();
    expect(lab.tools('new')).toEqual(['mcp_two_go']);
    await expect(lab.call('mcp_one_go')).rejects.toThrow('no longer among');
  });
});

/** A clock whose quarter of a minute is four seconds. */
function quickClock(): Clock {
  const clock = nodeClock();
  return { ...clock, after: (ms, run) => clock.after(ms === 15_000 ? 4_000 : ms, run) };
}

function starts(file: string): number {
  return readFileSync(file, 'utf8').split('started').length - 1;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${String(pid)}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

/** A server over HTTP that answers a call with 10 MB, as JSON or as an event. */
async function vastServer(type: string): Promise<string> {
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'vast', version: '1' },
    },
    'tools/list': { tools: [{ name: 'go' }] },
    'tools/call': { content: [{ type: 'text', text: 'x'.repeat(10 * 1024 * 1024) }] },
  };
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(Buffer.concat(pieces).toString()) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: results[method] });
      response.writeHead(200, { 'content-type': type });
      response.end(type.includes('event') ? `data: ${body}\n\n` : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
}
