import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { skillSources } from '../../src/agent/skillsSetup.js';
import { nodeClock } from '../../src/platform/nodeClock.js';
import { nodeFiles } from '../../src/platform/nodeFiles.js';
import { createNodeWorkspace } from '../../src/platform/nodeWorkspace.js';
import type { Files, Workspace } from '../../src/platform/ports.js';
import { SkillsLoader, type SkillsDeps } from '../../src/skills/loader.js';
import { tempHome } from './tempHome.js';

/** A proper SKILL.md. */
export function skillText(name: string, more = '', body = 'Do it.\n'): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n${body}`;
}

export interface ShelfOptions {
  env?: Record<string, string>;
  deps?: Partial<SkillsDeps>;
  workspace?: Partial<Workspace>;
  /** Names of the folders of the workspace; default: one, `project`. */
  folders?: string[];
}

/** A loader over real folders: `project/…`, `workspace/skills/…` (the home) and `builtin/…`. Reads of files are counted. */
export async function skillShelf(options: ShelfOptions = {}) {
  const { root, home } = await tempHome();
  const put = (name: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const folders = (options.folders ?? ['project']).map((name) => ({ name, path: join(root, name) }));
  for (const { path } of folders) mkdirSync(path, { recursive: true });
  const workspace = { ...createNodeWorkspace({ folders, userHome: root }), ...options.workspace };
  const reads: string[] = [];
  const real = nodeFiles();
  const files: Files = {
    ...real,
    read: (path) => (reads.push(path), real.read(path)),
    readRange: (path, offset, length) => (reads.push(path), real.readRange(path, offset, length)),
  };
  const quiet = () => undefined;
  const disabled: string[] = [];
  const bin = join(root, 'bin');
  mkdirSync(bin);
  const loader = new SkillsLoader({
    files,
    clock: nodeClock(),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    realPath: (path) => workspace.realPath(path),
    sources: () => skillSources({ workspace, home, builtInSkills: join(root, 'builtin') }),
    disabled: () => disabled,
    env: { PATH: bin, ...options.env },
    os: 'Linux',
    ...options.deps,
  });
  onTestFinished(() => loader.dispose());
  return { root, home, bin, put, reads, disabled, loader, workspace };
}
