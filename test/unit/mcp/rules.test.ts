import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Access } from '../../../src/runner/tool.js';
import { mcpLab, oddServer, type McpLab } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { until } from '../../support/until.js';
import { makeKit, type Kit } from '../approval/kit.js';

describe('what a person allows of a server for good', () => {
  let kit: Kit;
  beforeEach(async () => void (kit = await makeKit()));
  afterEach(() => kit.dispose());

  const kindOf = async (tool: string, access: Access) => (await kit.decide(tool, [access])).kind;
  const own: Access = { kind: 'mcp', server: 'db', tool: 'query' };

  it('does not hold for a server of the same name that came with a workspace, nor for another workspace’s', async () => {
    const theirs = { ...own, folder: kit.project };
    await kit.policy.remember('s', 'mcp_db_query', [own], 'tool', 'everywhere');
    expect(await kindOf('mcp_db_query', own)).toBe('allow');
    expect(await kindOf('mcp_db_query', theirs)).toBe('ask');
    await kit.policy.remember('s', 'mcp_db_query', [theirs], 'tool', 'everywhere');
    expect(await kindOf('mcp_db_query', theirs)).toBe('allow');
    expect(await kindOf('mcp_db_query', { ...own, folder: kit.outside })).toBe('ask');
    const verdict = await kit.decide('mcp_db_put', [theirs]);
    expect(verdict).toMatchObject({ rules: [{ label: "every use of mcp_db_put, as this workspace's server db" }] });
  });

  it('holds for the one tool that is called where ours stands for many', async () => {
    const call = (part: string): Access => ({ kind: 'mcp', server: 'big', tool: `${part} {}`, part });
    await kit.rules.add({ tool: 'mcp_big_call_tool' }, 'everywhere', 's', undefined);
    expect(await kindOf('mcp_big_call_tool', call('read'))).toBe('ask');
    await kit.policy.remember('s', 'mcp_big_call_tool', [call('read')], 'tool', 'everywhere');
    expect(await kindOf('mcp_big_call_tool', call('read'))).toBe('allow');
    expect(await kindOf('mcp_big_call_tool', call('drop'))).toBe('ask');
    const verdict = await kit.decide('mcp_big_call_tool', [call('drop')]);
    expect(verdict).toMatchObject({ rules: [{ label: 'every use of drop (mcp_big_call_tool)' }] });
  });
});

describe("a workspace's server", () => {
  it('says which folder it came with, also where it takes the name of one that is gone, and a folded one which tool is called', async () => {
    const settings: Record<string, unknown> = { same: oddServer('plain') };
    const lab = await withFile(() => ({ same: oddServer('plain'), many: oddServer('many') }), {}, settings);
    await until('the tools', async () => {
      await lab.ready();
      return lab.tools().includes('mcp_many_call_tool') && lab.tools().includes('mcp_same_go');
    });
    expect(await accessOf(lab, 'mcp_same_go', {})).toEqual([{ kind: 'mcp', server: 'same', tool: 'go' }]);
    const call = { tool: 'tool_1', arguments: { a: 1 } };
    expect(await accessOf(lab, 'mcp_many_call_tool', call)).toEqual([
      { kind: 'mcp', server: 'many', tool: 'tool_1 {"a":1}', part: 'tool_1', folder: lab.project },
    ]);
    delete settings['same'];
    await until('the other server', async () => {
      await lab.ready();
      return lab.manager
        .status()
        .some(({ name, source, state }) => name === 'same' && source === 'workspace' && state.kind === 'ready');
    });
    expect(await accessOf(lab, 'mcp_same_go', {})).toMatchObject([{ folder: lab.project }]);
  });

  it('is asked about with the names of the variables it takes, never with what they hold', async () => {
    const secret = 'not-for-the-screen';
    const server = oddServer('plain');
    const notices: string[] = [];
    const lab = await withFile(
      () => ({ mine: { ...server, args: [...server.args, '${env:MY_TOKEN}'], env: { TOKEN: '${env:MY_TOKEN}' } } }),
      { notices, env: { MY_TOKEN: secret } },
    );
    await until('the tools', async () => {
      await lab.ready();
      return lab.tools().includes('mcp_mine_go');
    });
    expect(notices).toEqual([saying(/TOKEN=\$\{env:MY_TOKEN\} .* \$\{env:MY_TOKEN\}$/)]);
    expect(JSON.stringify(lab.manager.status())).not.toContain(secret);
  });
});

function accessOf(lab: McpLab, name: string, args: object): Promise<Access[]> | undefined {
  return lab.registry.find(name)?.access(args, { sessionKey: 's' });
}

/** Servers in a workspace's file, and a person who says yes to each. */
async function withFile(
  servers: () => object,
  { notices = [], env }: { notices?: string[]; env?: Record<string, string> },
  settings: Record<string, unknown> = {},
): Promise<McpLab> {
  return mcpLab(
    (project) => {
      mkdirSync(join(project, '.vscode'), { recursive: true });
      writeFileSync(join(project, '.vscode', 'mcp.json'), JSON.stringify({ servers: servers() }));
      return settings;
    },
    {
      ...(env ? { env: { PATH: process.env['PATH'] ?? '', ...env } } : {}),
      ui: {
        notify: (_level, text) => {
          notices.push(text);
          return Promise.resolve('Start');
        },
      },
    },
  );
}
