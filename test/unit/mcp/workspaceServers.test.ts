import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeWorkspace } from '../../../src/platform/nodeWorkspace.js';
import { readWorkspaceServers } from '../../../src/mcp/workspaceFile.js';
import { mcpLab, oddServer, type McpLab } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

describe("a workspace's own servers", () => {
  it('wait for the person, who sees the command; a yes is kept for this definition only', async () => {
    const answers = ['Start'];
    const lab = await labWith({ mine: { ...oddServer('plain'), env: { GREETING: 'hello' } } }, answers);
    await lab.ready();
    expect(lab.tools()).toEqual([]);
    expect(lab.notices).toEqual([saying(/"mine": GREETING=hello .*oddMcpServer\.mjs plain$/)]);
    await until('the tools', () => lab.tools().includes('mcp_mine_go'));
    const kept = JSON.parse(readFileSync(join(lab.home, '.nanobot', 'mcpServers.json'), 'utf8')) as { allowed: object };
    expect(Object.keys(kept.allowed)).toEqual([lab.project]);

    write(lab.project, { mine: oddServer('loud') });
    await until('another question', async () => {
      await lab.ready();
      return lab.notices.length === 2;
    });
    await until('the end of the old one', () => lab.manager.status()[0]?.state.kind === 'off');
    expect(lab.tools('new')).toEqual([]);
  });

  it('send no variable of the person to an address, and the headers are named in the question', async () => {
    const url = 'http://127.0.0.1:9/mcp';
    const lab = await labWith(
      {
        far: { url, headers: { 'X-Team': 'blue' } },
        inHeader: { url, headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}' } },
        inUrl: { url: `${url}?token=\${env:GITHUB_TOKEN}` },
      },
      ['Not now'],
    );
    await lab.ready();
    expect(lab.notices).toEqual([saying(`"far": ${url} with the headers X-Team`)]);
    const refused = { kind: 'off', reason: saying('${env:GITHUB_TOKEN} is not filled in') };
    expect(lab.manager.status().slice(1)).toMatchObject([
      { name: 'inHeader', state: refused },
      { name: 'inUrl', state: refused },
    ]);
  });

  it('are not started after a no, and not asked about again', async () => {
    const lab = await labWith({ mine: oddServer('plain') }, ['Not now']);
    await lab.ready();
    await lab.ready();
    expect(lab.notices).toHaveLength(1);
    expect(lab.manager.status()[0]?.state).toMatchObject({ kind: 'off', reason: saying('was not allowed') });
  });

  it("are not even read in Restricted Mode, while the person's own work", async () => {
    const { root } = await tempHome();
    const { root: userHome } = await tempHome();
    write(root, { mine: oddServer('plain') });
    const workspace = createNodeWorkspace({ folders: [{ name: 'project', path: root }], userHome: root });
    const restricted = { ...workspace, trusted: () => false };
    const lab = await mcpLab(
      { own: oddServer('folder'), named: { ...oddServer('plain'), cwd: '${workspaceFolder}' } },
      { workspace: restricted, userHome },
    );
    await lab.ready();
    const named = { kind: 'off', reason: saying('needs an open folder that is trusted') };
    expect(lab.manager.status()).toMatchObject([{ name: 'named', state: named }, { name: 'own' }]);
    expect((await lab.call('mcp_own_go')).text).toBe(realpathSync(userHome));
    expect(lab.notices).toEqual([]);
  });

  it('are left to the editor where it runs them, their tools called through it and nothing asked', async () => {
    const calls: unknown[] = [];
    const tools = [{ name: 'mcp_mine_too_long_look', description: 'Looks.', inputSchema: { type: 'object' } }];
    const editorTools = {
      list: () => tools,
      call: (name: string, args: unknown) => {
        calls.push([name, args]);
        return Promise.resolve({ content: [{ type: 'text', text: 'seen' }] });
      },
    };
    const browser = { open: () => Promise.resolve(), listen: () => Promise.reject(new Error('no browser')) };
    const lab = await mcpLab(
      (project) => {
        write(project, { 'Mine too longer': { command: 'never-started' } });
        return {};
      },
      { mcpShell: { editorTools, browser } },
    );
    await lab.ready();
    expect(lab.notices).toEqual([]);
    expect(lab.tools()).toEqual(['mcp_Mine_too_longer_look']);
    expect((await lab.call('mcp_Mine_too_longer_look', { at: 'it' })).text).toBe('seen');
    expect(calls).toEqual([['mcp_mine_too_long_look', { at: 'it' }]]);
    expect(lab.sources).toEqual(['the MCP server Mine too longer']);
    expect(lab.manager.status()).toMatchObject([{ name: 'Mine too longer', state: { kind: 'editor' }, tools: 1 }]);
    tools.length = 0;
    await lab.ready();
    expect(lab.tools('new')).toEqual([]);
    expect(lab.notices).toHaveLength(1);
  });

  it('never take the place of one of the person with the same name', async () => {
    const lab = await labWith({ same: oddServer('noisy') }, ['Start'], { same: oddServer('plain') });
    await lab.ready();
    expect(lab.manager.status()).toMatchObject([{ name: 'same', source: 'settings' }]);
  });

  it('can be written with comments and trailing commas, and what is wrong is named', () => {
    const text = '\uFEFF{ // a "comment"\n "servers": { "a": { "url": "http://x//y", /* , } */ }, }, }';
    expect(readWorkspaceServers(text)).toMatchObject({ servers: { a: { url: 'http://x//y' } } });
    expect(readWorkspaceServers('{ "servers": ')).toEqual({ problem: saying('not valid JSON') });
    expect(readWorkspaceServers('{ "servers": [] }')).toEqual({ problem: saying('`servers` has to be') });
    expect(readWorkspaceServers('{}')).toMatchObject({ servers: {} });
  });
});

function write(project: string, servers: object): void {
  mkdirSync(join(project, '.vscode'), { recursive: true });
  writeFileSync(join(project, '.vscode', 'mcp.json'), JSON.stringify({ servers }));
}

/** A project with these servers in its file, and a person who answers by script. */
async function labWith(servers: object, answers: string[], own: Record<string, unknown> = {}): Promise<McpLab> {
  const notices: string[] = [];
  const lab = await mcpLab(
    (project) => {
      write(project, servers);
      return own;
    },
    {
      ui: {
        notify: (_level, text) => {
          notices.push(text);
          return Promise.resolve(answers.shift());
        },
      },
    },
  );
  return { ...lab, notices };
}
