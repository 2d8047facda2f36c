// npm run bench: measures the timed budgets and prints one table; the same as JSON goes to .workbench/bench.json.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBrowser } from './lib/browser.mjs';
import { copyAssets, hostOptions, pageOptions, workerEntries } from './lib/bundles.mjs';
import { ensureDependencies, ensureNode } from './lib/needs.mjs';
import { root, vscodeDir, workbenchDir } from './lib/paths.mjs';
import { main, PlainError, run, say } from './lib/run.mjs';
import { ensureWorkbench } from './lib/workbench.mjs';

const help = `Measures how quick Nanobot is, prints one table and writes it to .workbench/bench.json.

  npm run bench                       everything, about five minutes
  npm run bench -- --only node        what needs no window
  npm run bench -- --only workbench   what is seen in a real VS Code
  npm run bench -- --only node NAME   one piece of a part, by its name in test/bench/node.ts or workbench.ts
`;

const folder = join(workbenchDir, 'bench');
const extension = join(folder, 'extension');
const parts = ['node', 'workbench'];

/** Scripts of the project stay outside the bundles: they find their files by where they lie. */
const ownScripts = {
  name: 'own-scripts',
  setup: ({ onResolve }) => {
    onResolve({ filter: /scripts\/lib\/.*\.mjs$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(join(resolveDir, path)).href,
      external: true,
    }));
  },
};

await main(async () => {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) return say(help);
  if (values.only !== undefined && !parts.includes(values.only)) {
    throw new PlainError(`There is no part "${values.only}".\n\n${help}`);
  }
  ensureNode();
  await ensureDependencies();
  await buildEverything();
  const rows = [];
  for (const part of parts) {
    if (values.only !== undefined && part !== values.only) continue;
    rows.push(...(await measure(part, positionals)));
  }
  const { tableOf, isWithin } = await import(pathToFileURL(join(folder, 'table.js')).href);
  const result = { at: new Date().toISOString(), node: process.version, rows };
  writeFileSync(join(workbenchDir, 'bench.json'), `${JSON.stringify(result, undefined, 2)}\n`);
  say(`\n${tableOf(rows)}`);
  const over = rows.filter((row) => isWithin(row) === false);
  say(`${rows.length} rows, ${over.length} over budget. The numbers are in .workbench/bench.json.`);
});

/** The extension in the form that is packaged, and the benchmark with the host's code in it, in folders of their own. */
async function buildEverything() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const outdir = join(extension, 'dist');
  await build({ ...hostOptions({ minify: true, outdir }), logLevel: 'warning' });
  await build({ ...pageOptions({ minify: true, outdir }), logLevel: 'warning' });
  await copyAssets(join('.workbench', 'bench', 'extension', 'dist'));
  for (const name of ['package.json', 'package.nls.json', 'l10n', 'media', 'skills']) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(extension, name), { recursive: true });
  }
  const entries = ['node', 'workbench', 'modelWorker', 'table'];
  await build({
    ...hostOptions({ minify: false, outdir: folder }),
    entryPoints: { ...workerEntries, ...Object.fromEntries(entries.map((name) => [name, `test/bench/${name}.ts`])) },
    external: ['vscode', 'playwright-core'],
    plugins: [ownScripts],
    logLevel: 'warning',
  });
  await copyAssets(join('.workbench', 'bench'));
}

/** Runs one part in a process of its own and gives its rows. */
async function measure(part, rest) {
  const output = join(folder, `${part}.json`);
  const env = { ...process.env, NANOBOT_NO_PROBE: '1' };
  if (part === 'node') {
    say('\n== In Node ==');
    const home = join(folder, 'person');
    mkdirSync(home, { recursive: true });
    Object.assign(env, { HOME: home, PATH: [...ripgrepFolder(), env.PATH].join(delimiter) });
  } else {
    say('\n== In a real VS Code ==');
    await ensureWorkbench();
    Object.assign(env, { NANOBOT_BROWSER: await ensureBrowser() });
  }
  const args = ['--expose-gc', join(folder, `${part}.js`), output, extension, ...rest];
  await run(process.execPath, args, { cwd: root, env });
  return JSON.parse(readFileSync(output, 'utf8'));
}

/** Where ripgrep lies, unless it is on PATH. */
function ripgrepFolder() {
  if (spawnSync('rg', ['--version']).status === 0) return [];
  const target = `${process.platform}-${process.arch}`;
  const places = ['ripgrep-universal/bin/' + target, 'ripgrep/bin'].map((place) =>
    join(vscodeDir, 'node_modules', '@vscode', place, process.platform === 'win32' ? 'rg.exe' : 'rg'),
  );
  const found = places.find((place) => existsSync(place));
  if (!found)
    throw new PlainError('ripgrep is needed to compare the searches with. Install it, or run npm start once.');
  return [dirname(found)];
}
