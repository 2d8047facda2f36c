import { expect, it } from 'vitest';
import { appLab } from '../../support/appLab.js';
import { oddServer } from '../../support/mcpLab.js';
import { modelSettings } from '../../support/modelSettings.js';
import { startModelServer } from '../../support/modelServer.js';
import { saying } from '../../support/saying.js';
import { until } from '../../support/until.js';

it("offers a server's tools to the model, asks before each call, and marks what comes back as text from outside", async () => {
  const call = { name: 'mcp_plants_go', args: { text: 'fern' } };
  const server = await startModelServer([
    { text: 'Hello.' },
    { toolCalls: [call] },
    { toolCalls: [{ ...call, args: { text: 'moss' } }] },
    { text: 'Done.' },
  ]);
  const { settings, env } = modelSettings(server);
  const asked: { title: string; detail: string; reasons: string[] }[] = [];
  const lab = await appLab({
    settings: { ...settings, mcpServers: { plants: oddServer('plain') } },
    env,
    approve: (approval) => {
      asked.push(approval);
      return { kind: 'allow' };
    },
  });
  await lab.say('hello');
  await until('the server', () => lab.app.mcp.status()[0]?.state.kind === 'ready');
  await lab.say('water both');
  await server.close();
  expect(JSON.stringify(server.requests.at(-1)?.body.tools)).toContain('mcp_plants_go');
  expect(asked).toMatchObject([
    { title: 'Use a tool of the MCP server plants', detail: 'go {"text":"fern"}', reasons: [] },
    { detail: 'go {"text":"moss"}', reasons: [saying('text from outside')] },
  ]);
  const results = lab.stored().filter((message) => message.role === 'tool');
  expect(results).toMatchObject([
    { content: 'go {"text":"fern"}', untrusted: true },
    { content: 'go {"text":"moss"}', untrusted: true },
  ]);
});
