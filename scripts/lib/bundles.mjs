import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './paths.mjs';

/** Packages in CommonJS call `require` for Node's own modules; an ES module has none unless it is made. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** The shell grammar, read at the first command. */
const assets = {
  'web-tree-sitter.wasm': 'node_modules/web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash.wasm': 'node_modules/tree-sitter-bash/tree-sitter-bash.wasm',
};

/**
 * The client of `openai` makes an object for each part of its API as it is constructed. We ask by path and use none of them, so in the bundle each is an empty
 * class: 0.1 MB less.
 */
const openaiByPath = {
  name: 'openai-by-path',
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/]openai[\\/]resources[\\/].*\.mjs$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const classes = [...text.matchAll(/^export class (\w+) extends APIResource\b/gm)].map(([, name]) => name);
      // What is no part of the API, such as a list of parts, stays as it is.
      return classes.length === 0
        ? undefined
        : { contents: classes.map((name) => `export class ${name} {}`).join('\n') };
    });
  },
};

/** The scripts that run in threads of their own, by the name that `Workers.start` takes with "Worker" behind it. */
export const workerEntries = {
  tokensWorker: 'src/memory/tokenWorker.ts',
  recallWorker: 'src/memory/recallWorker.ts',
  webWorker: 'src/tools/webWorker.ts',
};

/**
 * esbuild's options for the extension host, the command line and the workers: ES modules, split so that activation loads only the entry. `minify`
 * makes the form that is packaged, without source maps. Paths are relative to the root; the output goes to `dist` unless `outdir` says otherwise.
 */
export function hostOptions({ minify, outdir = 'dist' }) {
  return {
    ...shared(minify),
    entryPoints: { extension: 'src/extension.ts', cli: 'src/cli.ts', ...workerEntries },
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    loader: { '.md': 'text' },
    banner: { js: requireBanner },
    plugins: [openaiByPath],
    mainFields: ['module', 'main'],
    // gray-matter brings an old one, which it asks nothing while heads are read with an engine of ours.
    alias: { 'js-yaml': join(root, 'node_modules/js-yaml/dist/js-yaml.mjs') },
  };
}

/** esbuild's options for the chat page, one script and one style sheet. Takes what `hostOptions` takes. */
export function pageOptions({ minify, outdir = 'dist' }) {
  return {
    ...shared(minify),
    entryPoints: [
      { in: 'webview/main.tsx', out: 'webview' },
      { in: 'webview/style.css', out: 'webview' },
    ],
    outdir,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  };
}

/** Copies what the bundles read at run time into their folder, which is made if it is missing; the translations in the form the chat page takes. */
export async function copyAssets(outdir = 'dist') {
  await mkdir(join(root, outdir), { recursive: true });
  for (const [name, from] of Object.entries(assets)) await cp(join(root, from), join(root, outdir, name));
  for (const name of await readdir(join(root, 'l10n'))) {
    const [, language] = /^bundle\.l10n\.([\w-]+)\.json$/.exec(name) ?? [];
    if (!language) continue;
    const texts = JSON.parse(await readFile(join(root, 'l10n', name), 'utf8'));
    await writeFile(
      join(root, outdir, `texts.${language}.js`),
      `globalThis.nanobotTexts = ${JSON.stringify(texts)};\n`,
    );
  }
}

function shared(minify) {
  return {
    bundle: true,
    minify,
    sourcemap: !minify,
    legalComments: 'none',
    logLevel: 'info',
    absWorkingDir: root,
  };
}
