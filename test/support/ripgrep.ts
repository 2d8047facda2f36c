import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ripgrepInAppRoot } from '../../src/platform/nodeSearch.js';

const root = join(import.meta.dirname, '..', '..');

/** A ripgrep of this machine: the one of the test workbench, else one on PATH. Undefined where there is none. */
export function ripgrepForTests(): string | undefined {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const workbench = ripgrepInAppRoot(join(root, '.workbench', 'node_modules', 'code-server', 'lib', 'vscode'));
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...workbench, ...onPath].find((path) => existsSync(path));
}
