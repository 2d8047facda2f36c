import type { Files } from './workbenchFiles.js';

/** The address of the folder that `memoryFolderExtension` makes. */
export const MEMORY_FOLDER = 'memfs:/garden';

/** An extension that holds a folder in memory, as those do that show a repository or a server which is not on this disk. */
export function memoryFolderExtension(files: Files): Record<string, Files> {
  const manifest = {
    name: 'memory-folder',
    publisher: 'test',
    version: '1.0.0',
    engines: { vscode: '^1.106.0' },
    main: './main.js',
    activationEvents: ['onFileSystem:memfs'],
    capabilities: { virtualWorkspaces: true },
  };
  const main = `const given = ${JSON.stringify(files)};\n${provider}`;
  return { 'test.memory-folder-1.0.0': { 'package.json': JSON.stringify(manifest), 'main.js': main } };
}

const provider = `
const vscode = require('vscode');
const files = new Map(Object.entries(given).map(([name, text]) => ['/garden/' + name, Buffer.from(text)]));
const folders = new Set(['/', '/garden']);
const missing = (uri) => vscode.FileSystemError.FileNotFound(uri);
for (const path of files.keys()) {
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
}
exports.activate = (context) => {
  const changes = new vscode.EventEmitter();
  const changed = (type, uri) => changes.fire([{ type, uri }]);
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider('memfs', {
    onDidChangeFile: changes.event,
    watch: () => ({ dispose() {} }),
    stat(uri) {
      if (folders.has(uri.path)) return { type: vscode.FileType.Directory, ctime: 1, mtime: 1, size: 0 };
      const bytes = files.get(uri.path);
      if (!bytes) throw missing(uri);
      return { type: vscode.FileType.File, ctime: 1, mtime: bytes.time ?? 1, size: bytes.length };
    },
    readFile(uri) {
      const bytes = files.get(uri.path);
      if (!bytes) throw missing(uri);
      return bytes;
    },
    readDirectory(uri) {
      if (!folders.has(uri.path)) throw missing(uri);
      const inside = (path) => path !== uri.path && path.slice(0, path.lastIndexOf('/')) === uri.path.replace(/\\/$/, '');
      const entry = (type) => (path) => [path.slice(path.lastIndexOf('/') + 1), type];
      return [
        ...[...folders].filter(inside).map(entry(vscode.FileType.Directory)),
        ...[...files.keys()].filter(inside).map(entry(vscode.FileType.File)),
      ];
    },
    writeFile(uri, content) {
      const isNew = !files.has(uri.path);
      const bytes = Buffer.from(content);
      bytes.time = Date.now();
      files.set(uri.path, bytes);
      changed(isNew ? vscode.FileChangeType.Created : vscode.FileChangeType.Changed, uri);
    },
    createDirectory(uri) { folders.add(uri.path); },
    delete(uri) { files.delete(uri.path); changed(vscode.FileChangeType.Deleted, uri); },
    rename(from, to) { files.set(to.path, files.get(from.path)); files.delete(from.path); },
  }));
};
`;
