import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of this project, without a slash at its end. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The git-ignored folder that holds everything these scripts install, unpack or write. */
export const workbenchDir = join(root, '.workbench');

/** VS Code's own folder inside the code-server package: it holds the built-in extensions and the native modules. */
export const vscodeDir = join(workbenchDir, 'node_modules', 'code-server', 'lib', 'vscode');

/** The script that starts code-server. It has to run on the Node of `workbenchNode()`. */
export const codeServerEntry = join(workbenchDir, 'node_modules', 'code-server', 'out', 'node', 'entry.js');

/** Where screenshots of the tests go. */
export const picturesDir = join(workbenchDir, 'pictures');

/** Where the JSON reports of the tests go. */
export const reportsDir = join(workbenchDir, 'reports');
