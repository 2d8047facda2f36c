import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createLedger } from '../../src/agent/reads.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import type { Workspace } from '../../src/platform/ports.js';
import type { TodoItem } from '../../src/protocol/event.js';
import type { Tool, ToolContext, ToolResult } from '../../src/runner/tool.js';

/** A folder of real files with the headless workspace over it, and what a tool call is given. */
export interface Project {
  root: string;
  workspace: Workspace;
  context: ToolContext;
  /** What the tools told the turn. */
  told: { changing: string[]; untrusted: string[]; todo: TodoItem[]; asked: { text: string; options: string[] }[] };
  path(relative: string): string;
  write(relative: string, content: string | Uint8Array): string;
  text(relative: string): string;
  bytes(relative: string): Buffer;
  /** Runs a tool with arguments as the registry would hand them on: validated. */
  run(tool: Tool, args: Record<string, unknown>): Promise<ToolResult>;
}

/** Makes a project of these files in a fresh folder, removed when the test ends. */
export function makeProject(
  files: Record<string, string | Uint8Array> = {},
  options: { folders?: string[] } = {},
): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'nanobot-project-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = (relative: string): string => join(root, relative);
  const write = (relative: string, content: string | Uint8Array): string => {
    mkdirSync(dirname(path(relative)), { recursive: true });
    writeFileSync(path(relative), content);
    return path(relative);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  const folders = options.folders?.map((name) => ({ name, path: path(name) })) ?? [{ name: 'project', path: root }];
  for (const folder of folders) mkdirSync(folder.path, { recursive: true });
  const workspace = createNodeWorkspace({ folders, userHome: join(root, 'userhome') });
  const told: Project['told'] = { changing: [], untrusted: [], todo: [], asked: [] };
  const context: ToolContext = {
    sessionKey: 'cli:test',
    turnId: 'turn-1',
    callId: 'call-1',
    signal: new AbortController().signal,
    watched: true,
    reads: createLedger(),
    update: () => undefined,
    beforeChange: (changed) => Promise.resolve(void told.changing.push(changed)),
    amended: () => undefined,
    markUntrusted: (source) => void told.untrusted.push(source),
    isUntrusted: () => told.untrusted.length > 0,
    ask: (question) => Promise.resolve((told.asked.push(question), 'blue')),
    setTodo: (items) => void (told.todo = items),
    askSave: () => Promise.resolve('run'),
  };
  return {
    root,
    workspace,
    context,
    told,
    path,
    write,
    text: (relative) => readFileSync(path(relative), 'utf8'),
    bytes: (relative) => readFileSync(path(relative)),
    run: (tool, args) => tool.run(tool.schema.parse(args), context),
  };
}
