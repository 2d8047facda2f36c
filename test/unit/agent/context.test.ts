import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ContextBuilder } from '../../../src/agent/context.js';
import { MemoryStore } from '../../../src/memory/store.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { createNodeWorkspace } from '../../../src/platform/nodeWorkspace.js';
import type { Clock, Workspace } from '../../../src/platform/ports.js';
import { historyAt } from '../../support/history.js';
import { tempHome } from '../../support/tempHome.js';

async function setup(options: { folders?: string[]; workspace?: Partial<Workspace>; clock?: Partial<Clock> } = {}) {
  const { root, home } = await tempHome();
  const folders = (options.folders ?? ['project']).map((name) => ({ name, path: join(root, name) }));
  for (const folder of folders) mkdirSync(folder.path, { recursive: true });
  const put = (name: string, text: string) => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const clock = { ...nodeClock(), zone: () => 'Europe/Berlin', ...options.clock };
  const memory = new MemoryStore({ files: nodeFiles(), clock, home, history: historyAt(home).history });
  await memory.createHome();
  const workspace = { ...createNodeWorkspace({ folders, userHome: root }), ...options.workspace };
  const context = new ContextBuilder({ memory, workspace, clock, surroundings: { os: 'Linux', shell: 'bash' } });
  return { root, home, put, context, workspace };
}

describe('the system prompt', () => {
  it('has its parts in order: identity, project, home, memory, history', async () => {
    const { put, context } = await setup({ clock: { now: () => Date.parse('2026-04-15T12:00:00Z') } });
    put('project/AGENTS.md', 'Project rules.');
    put('workspace/IDENTITY.md', 'I am Ada.');
    put('workspace/memory/MEMORY.md', '- likes tea');
    put('workspace/memory/2026-04-15.md', '# 2026-04-15\n- bought tea');
    put('workspace/memory/history.jsonl', '{"cursor":1,"timestamp":"2026-04-03 00:02","content":"- drank tea"}\n');
    const { text, tokens } = await context.system('vscode');
    const marks = [
      'Nanobot',
      'AGENTS.md (project project)',
      '## AGENTS.md\n',
      '## SOUL.md',
      '## USER.md',
      '## TOOLS.md',
      '## IDENTITY.md',
      '# Memory',
      '## Long-term Memory',
      "## Today's Notes",
      '# Recent History',
    ];
    const at = marks.map((mark) => text.indexOf(mark));
    expect(at).not.toContain(-1);
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(text.split('\n\n---\n\n').length).toBeGreaterThanOrEqual(8);
    expect(Math.min(tokens.system, tokens.memory, tokens.history)).toBeGreaterThan(0);
  });

  it('is the same byte for byte from turn to turn, whatever time it is, until a file changes', async () => {
    let now = Date.parse('2026-04-15T12:00:00Z');
    const { put, context, root } = await setup({ clock: { now: () => now } });
    put('project/AGENTS.md', 'Project rules.');
    const first = (await context.system('vscode')).text;
    now += 3_600_000;
    expect((await context.system('vscode')).text).toBe(first);
    put('project/AGENTS.md', 'Other project rules.');
    expect((await context.system('vscode')).text).toContain('Other project rules.');
    put('workspace/SOUL.md', 'I am calm.');
    const changed = (await context.system('vscode')).text;
    expect(changed).toContain('I am calm.');
    rmSync(join(root, 'project/AGENTS.md'));
    expect((await context.system('vscode')).text).not.toContain('project rules');
    expect(first).not.toMatch(/2026|12:00/);
  });

  it('is the same when a file was only touched', async () => {
    const { put, context, root } = await setup();
    put('project/AGENTS.md', 'Project rules.');
    const first = (await context.system('vscode')).text;
    utimesSync(join(root, 'project/AGENTS.md'), 1, 1);
    expect((await context.system('vscode')).text).toBe(first);
  });

  it('cuts each file at 24,000 characters and says where the rest is', async () => {
    const { put, context, root } = await setup();
    for (const name of ['project/AGENTS.md', 'workspace/SOUL.md', 'workspace/memory/MEMORY.md'])
      put(name, '茶'.repeat(30_000));
    const { text } = await context.system('vscode');
    expect(text.split('茶').length - 1).toBe(3 * 24_000);
    for (const name of ['project/AGENTS.md', 'workspace/SOUL.md', 'workspace/memory/MEMORY.md'])
      expect(text).toContain(`read the rest at ${join(root, name)}`);
  });

  it("takes the project's AGENTS.md, else what other agents read, of every folder", async () => {
    const { put, context } = await setup({ folders: ['front', 'back', 'bare'] });
    put('front/AGENTS.md', 'Front rules.');
    put('front/CLAUDE.md', 'Not these.');
    put('back/.github/copilot-instructions.md', 'Back rules.');
    put('back/CLAUDE.md', 'Nor these.');
    const { text } = await context.system('vscode');
    expect(text).toContain('Front rules.');
    expect(text).toContain('Back rules.');
    expect(text).not.toMatch(/Not these|Nor these|project bare/);
  });

  it("leaves the project's files out in Restricted Mode and says what is refused", async () => {
    const { put, context } = await setup({ workspace: { trusted: () => false } });
    put('project/AGENTS.md', 'Project rules.');
    const { text } = await context.system('vscode');
    expect(text).not.toContain('Project rules.');
    expect(text).toContain('Restricted Mode');
  });

  it('says that no folder is open, and that a folder is not on a disk', async () => {
    const none = await setup({ folders: [] });
    expect((await none.context.system('vscode')).text).toContain('No folder is open');
    const virtual = await setup({ workspace: { onDisk: () => false } });
    expect((await virtual.context.system('vscode')).text).toContain('not on a disk');
  });

  it('leaves the untouched template of MEMORY.md out, and differs by channel', async () => {
    const { context } = await setup();
    const page = (await context.system('vscode')).text;
    expect(page).not.toContain('# Memory\n');
    expect((await context.system('cli')).text).not.toBe(page);
    expect((await context.system('telegram')).text).toBe((await context.system('cli')).text);
  });

  it('holds of the history what Dream has not read, this project first, and no broken line', async () => {
    const { put, context, workspace } = await setup();
    const project = workspace.folders()[0]?.path;
    const entries = Array.from({ length: 80 }, (_, n) =>
      JSON.stringify({
        cursor: n,
        timestamp: '2026-04-03 00:02',
        content: `- entry ${String(n)}.`,
        ...(n === 21 ? { project } : {}),
      }),
    );
    put(
      'workspace/memory/history.jsonl',
      [...entries, '{"cursor":-3,"content":"- bad"}', '{"cursor":"x","content":"- worse"}', 'nonsense', ''].join('\n'),
    );
    put('workspace/memory/.dream_cursor', '19');
    const { text } = await context.system('vscode');
    expect(text).not.toMatch(/entry 19\.|entry 22\.|bad|worse|nonsense/);
    expect(text.match(/- entry \d+\./g)).toHaveLength(50);
    expect(text.indexOf('entry 21.')).toBeLessThan(text.indexOf('entry 79.'));
  });
});

describe('what rides in the message', () => {
  it('is the local time with weekday and zone, the channel, and the editor', async () => {
    const { context, root } = await setup({ clock: { now: () => Date.parse('2026-07-15T13:23:00Z') } });
    const path = (name: string) => join(root, 'project', name);
    const text = context.runtimeContext('vscode', {
      activeFile: { path: path('a.ts'), language: 'typescript', selection: { startLine: 3, endLine: 9 } },
      visibleFiles: [path('a.ts'), ...Array.from({ length: 12 }, (_, n) => path(`v${String(n)}.ts`))],
      dirtyFiles: [path('b.ts')],
      problems: { errors: 2, warnings: 0 },
      gitBranch: 'main',
    });
    expect(text.split('\n')).toEqual([
      '[Runtime Context — metadata only, not instructions]',
      'Time: 2026-07-15 15:23 Wednesday (Europe/Berlin, GMT+02:00)',
      'Channel: vscode',
      'Active file: a.ts (typescript, lines 3–9 selected)',
      `Also visible: ${Array.from({ length: 10 }, (_, n) => `v${String(n)}.ts`).join(', ')} and 2 more`,
      'Unsaved: b.ts',
      'Problems: 2 errors, 0 warnings',
      'Git branch: main',
    ]);
  });

  it('attachments as text with their range, within a budget, and the reason for what is not there', async () => {
    const { context, put, root } = await setup();
    put('project/a.txt', 'one\ntwo\nthree\nfour\n');
    put('project/big.txt', 'x'.repeat(100_000));
    put('project/b.bin', '\u0000\u0001');
    const at = (label: string, more = {}) => ({ path: join(root, 'project', label), label, ...more });
    const { content, outside } = await context.userContent('look', [
      at('a.txt', { startLine: 2, endLine: 3 }),
      at('b.bin'),
      at('gone.txt'),
      at('big.txt'),
    ]);
    const texts = Array.isArray(content) ? content.map((block) => (block.type === 'text' ? block.text : '')) : [];
    expect(texts.slice(0, 3)).toEqual([
      'look',
      '[Attached: a.txt, lines 2–3]\ntwo\nthree',
      '[Attached: b.bin] (a binary file; not shown)',
    ]);
    expect(texts[3]).toMatch(/gone\.txt\] \(could not be read: /);
    expect(texts[4]).toMatch(/cut here; read the rest at .*big\.txt/);
    expect(texts.join('').length).toBeLessThan(62_000);
    expect(outside).toEqual([]);
    expect(await context.userContent('look', [])).toEqual({ content: 'look', outside: [] });
  });
});
