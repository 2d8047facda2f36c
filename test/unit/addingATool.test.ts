import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Tool } from '../../src/runner/tool.js';
import type { Workspace } from '../../src/platform/ports.js';
import { appLab } from '../support/appLab.js';
import { startModelServer } from '../support/modelServer.js';
import { tempHome } from '../support/tempHome.js';

const root = join(import.meta.dirname, '../..');

it('takes one file and one line, as ARCHITECTURE.md shows', async () => {
  const guide = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const shown = /```ts\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
  const { root: folder } = await tempHome();
  const source = `import * as z from 'zod';
    import { defineTool, type Tool } from '${root}/src/runner/tool.ts';
    import type { Workspace } from '${root}/src/platform/ports.ts';
    ${shown}`;
  writeFileSync(join(folder, 'wordCount.ts'), source);
  const outfile = join(folder, 'wordCount.mjs');
  await build({
    entryPoints: [join(folder, 'wordCount.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    nodePaths: [join(root, 'node_modules')],
  });
  const { wordCountTool } = (await import(outfile)) as { wordCountTool(needs: { workspace: Workspace }): Tool };

  const server = await startModelServer([
    { toolCalls: [{ name: 'word_count', args: { path: 'a.txt' } }] },
    { text: 'Three.' },
  ]);
  const lab = await appLab({
    files: { 'a.txt': 'one two three' },
    settings: { model: 'openai/test-model', providers: { openai: { apiBase: `${server.url}/v1` } } },
    env: { OPENAI_API_KEY: 'test-key' },
  });
  lab.app.tools.register(wordCountTool({ workspace: lab.app.workspace }));
  await lab.say('how many words?');
  await server.close();
  expect(lab.stored().find((message) => message.role === 'tool')).toMatchObject({
    content: '3 words',
    tool: { status: 'ok' },
  });
});
