import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddServer } from '../support/mcpLab.js';
import {
  approvalCard,
  button,
  type ModelWorkbench,
  openWithModel,
  toolCard,
  wordsOf,
} from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

/** Stands for VS Code's own run of the server "garden": a tool under the name that VS Code would give it. */
const gardenExtension = {
  'package.json': JSON.stringify({
    name: 'garden',
    publisher: 'test',
    version: '1.0.0',
    engines: { vscode: '^1.100.0' },
    main: './main.js',
    activationEvents: ['onStartupFinished'],
    contributes: {
      languageModelTools: [
        {
          name: 'mcp_garden_look',
          displayName: 'Look',
          modelDescription: 'Looks at the garden.',
          inputSchema: { type: 'object', properties: { at: { type: 'string' } } },
        },
      ],
    },
  }),
  'main.js': `const vscode = require('vscode');
exports.activate = (context) => {
  context.subscriptions.push(vscode.lm.registerTool('mcp_garden_look', {
    invoke: ({ input }) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart('a green ' + input.at)]),
  }));
};
`,
};

describe('MCP servers', () => {
  let workbench: ModelWorkbench;
  let chat: Frame;
  let folder: string;
  const heard = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'nanobot-mcp-'));
    const missing = Array.from({ length: 19 }, (_, n) => [
      `missing${String(n)}`,
      { command: `no-such-program-${String(n)}` },
    ]);
    const own = oddServer('plain', join(folder, 'own'));
    const local = JSON.stringify(oddServer('plain', join(folder, 'local')));
    workbench = await openWithModel({
      workspace: {
        'README.md': '# Hi\n',
        '.vscode/mcp.json': `{\n  // Came with the repository.\n  "servers": { "local": ${local}, "garden": { "command": "never-started" }, },\n}\n`,
      },
      extensions: { 'test.garden-1.0.0': gardenExtension },
      settings: { 'nanobot.mcpServers': { plants: own, ...Object.fromEntries(missing) } as unknown },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('start nothing before the first message, and hold it up for none that is missing', async () => {
    expect(heard('own')).toBe('');
    workbench.model.setScript([{ text: 'Hello.' }]);
    expect(await workbench.ask('hello')).toContain('Hello.');
    await until('the server to be asked for its tools', () => heard('own').includes('heard tools/list'));
  });

  it('that came with the workspace are asked before they are started, with the command', async () => {
    const notice = workbench.page.locator('.notification-toast', { hasText: 'wants to run this program' });
    await notice.getByText(/oddMcpServer\.mjs plain/).waitFor();
    await workbench.screenshot('mcp-consent');
    expect(heard('local')).toBe('');
    await notice.getByRole('button', { name: 'Start' }).click();
    await until('the start', () => heard('local').includes('heard tools/list'));
    const kept = readFileSync(join(workbench.home, '.nanobot', 'mcpServers.json'), 'utf8');
    expect(kept).toContain(JSON.stringify(workbench.workspacePath));
  });

  it('are called after an approval that shows what is asked of them', async () => {
    const call = { name: 'mcp_plants_go', args: { text: 'water the fern' } };
    workbench.model.setScript([{ toolCalls: [call] }, { text: 'Watered.' }]);
    await workbench.send('water it');
    const card = approvalCard(chat);
    await card.getByText('Use a tool of the MCP server plants').waitFor();
    await card.getByText('water the fern').waitFor();
    await workbench.screenshot('mcp-approval');
    expect(heard('own')).not.toContain('tools/call');
    await button(card, 'Allow').click();
    await chat.getByText('Watered.', { exact: true }).waitFor();
    await toolCard(chat, 'mcp_plants_go', 'ok').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('water the fern');
    const tools = JSON.stringify(workbench.model.requests.at(-1)?.body.tools);
    expect(tools).toContain('mcp_local_go');
  });

  it('that VS Code runs itself are used through it, and not started again', async () => {
    const call = { name: 'mcp_garden_look', args: { at: 'pear' } };
    workbench.model.setScript([{ toolCalls: [call] }, { text: 'Looked.' }]);
    await workbench.send('look');
    await button(approvalCard(chat), 'Allow').click();
    await chat.getByText('Looked.', { exact: true }).waitFor();
    await toolCard(chat, 'mcp_garden_look', 'ok').waitFor();
    expect(wordsOf(workbench.model.requests.at(-1))).toContain('a green pear');
    expect(await workbench.page.getByText('never-started').count()).toBe(0);
  });

  it('are listed with how they are, and can be restarted', async () => {
    const { page } = workbench;
    await workbench.runCommand('Nanobot: MCP Servers');
    const list = page.locator('.quick-input-widget');
    await list.getByText('ready, 1 tool').first().waitFor();
    await list.getByText('There is no program "no-such-program-0" on the PATH', { exact: false }).first().waitFor();
    await workbench.screenshot('mcp-status');
    await list.locator('input').first().fill('plants');
    await list.locator('.label-name').getByText('plants', { exact: true }).click();
    await list.locator('.label-name').getByText('Restart', { exact: true }).click();
    await page.locator('.notification-toast').getByText('MCP server plants: ready, 1 tool').waitFor();
    expect(heard('own').split('started')).toHaveLength(3);
  });
});
