import { build, type BuildOptions, type Metafile } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { hostOptions, pageOptions } from '../../scripts/lib/bundles.mjs';

const KB = 1_000;

/** The tokenizer's data: a table, and no code. */
const RANKS = /js-tiktoken\/dist\/ranks\//;
/** What reads PDFs, in a worker and only when there is one. */
const PDF = /unpdf\/dist\/pdfjs/;

interface Bundle {
  metafile: Metafile;
  text(name: string): Uint8Array;
}

/** Bundles as `npm run package` does, into memory. */
async function bundled(options: BuildOptions): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    ...options,
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  return {
    metafile,
    text: (name) => {
      const file = outputFiles?.find((candidate) => candidate.path.endsWith(name));
      if (!file) throw new Error(`The build wrote no ${name}.`);
      return file.contents;
    },
  };
}

/** An output with every output it imports statically, however deep: what is loaded before its first line runs. */
function closure({ outputs }: Metafile, entry: string): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind, external } of outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && !external) visit(path);
    }
  };
  visit(entry);
  return [...found];
}

function bytesOf({ outputs }: Metafile, names: string[]): number {
  return names.reduce((sum, name) => sum + (outputs[name]?.bytes ?? 0), 0);
}

/** The packages whose code stands in these outputs, and the folders of our own. */
function originsOf({ outputs }: Metafile, names: string[]): Set<string> {
  const inputs = names.flatMap((name) =>
    Object.entries(outputs[name]?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  );
  return new Set(inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path));
}

describe('the host code', () => {
  let host: Metafile;
  beforeAll(async () => void (host = (await bundled(hostOptions({ minify: true }))).metafile), 60_000);

  const entryClosure = () => closure(host, 'dist/extension.js');

  it('is at most 60 KB for activation, with everything the entry imports statically', () => {
    expect(bytesOf(host, entryClosure())).toBeLessThanOrEqual(60 * KB);
  });

  const isRanks = (name: string) => Object.keys(host.outputs[name]?.inputs ?? {}).some((path) => RANKS.test(path));

  const isPdf = (name: string) => Object.keys(host.outputs[name]?.inputs ?? {}).some((path) => PDF.test(path));

  it('is at most 2.5 MB in all, without the ranks of the tokenizer and what reads PDFs', () => {
    const code = Object.keys(host.outputs).filter((name) => !isRanks(name) && !isPdf(name));
    expect(bytesOf(host, code)).toBeLessThanOrEqual(2_500 * KB);
  });

  it('holds the client of openai without the parts of its API, which nothing asks for', () => {
    const bytes = Object.values(host.outputs)
      .flatMap(({ inputs }) => Object.entries(inputs))
      .filter(([path]) => path.includes('node_modules/openai/'))
      .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(60 * KB);
  });

  it('has the ranks of one encoding, in a file with nothing else, which only the token worker loads, and late', () => {
    const ranks = Object.keys(host.outputs).filter(isRanks);
    expect(ranks).toHaveLength(1);
    const [file = ''] = ranks;
    expect(Object.keys(host.outputs[file]?.inputs ?? {})).toEqual([expect.stringContaining('ranks/cl100k_base')]);
    expect(bytesOf(host, ranks)).toBeLessThanOrEqual(1_200 * KB);
    const loaders = Object.entries(host.outputs).flatMap(([name, { imports }]) =>
      imports.filter(({ path }) => path === file).map(({ kind }) => [name, kind]),
    );
    expect(loaders).toEqual([['dist/tokensWorker.js', 'dynamic-import']]);
  });

  it('has what reads PDFs in a file with nothing else, which only the web worker loads, and late', () => {
    const pdf = Object.keys(host.outputs).filter(isPdf);
    expect(pdf).toHaveLength(1);
    expect([...originsOf(host, pdf)]).toEqual(['unpdf']);
    expect(bytesOf(host, pdf)).toBeLessThanOrEqual(1_700 * KB);
    const others = Object.keys(host.outputs).filter((name) => name.endsWith('.js') && !name.endsWith('/webWorker.js'));
    const loading = others.filter((name) => !name.includes('chunks/') && closure(host, name).some(isPdf));
    expect([...loading, ...closure(host, 'dist/webWorker.js').filter(isPdf)]).toEqual([]);
  });

  it('gives the token worker nothing but its own few files', () => {
    const origins = [...originsOf(host, closure(host, 'dist/tokensWorker.js'))];
    expect(
      origins.filter((origin) => !/^src\/(memory\/token|platform\/(workerServer|reason)\.ts)/.test(origin)),
    ).toEqual([]);
  });

  it('loads no package but what translates, and nothing of the agent at activation, but where the home lies, how a file is watched, what a day is called, why something failed and how that is said without links', () => {
    const origins = [...originsOf(host, entryClosure())];
    const may =
      /^(@vscode\/l10n$|src\/(extension\.ts|vscode\/|protocol\/|config\/home\.ts|platform\/(nodeWatch|localTime|reason|plainText)\.ts))/;
    expect(origins.filter((origin) => !may.test(origin))).toEqual([]);
  });

  it('loads no SDK, no shell grammar and no tokenizer with the agent: each is a chunk of its own', () => {
    const chunk = Object.keys(host.outputs).find((name) => /\/host-[^/]*\.js$/.test(name)) ?? '';
    const origins = [...originsOf(host, closure(host, chunk))];
    expect(origins).toContain('zod');
    expect(
      origins.filter((origin) =>
        /^(openai|@anthropic-ai|@modelcontextprotocol|cross-spawn|ajv|web-tree-sitter|js-tiktoken|preact|linkedom|turndown|@mozilla|unpdf|ipaddr|js-yaml|gray-matter)/.test(
          origin,
        ),
      ),
    ).toEqual([]);
  });
});

describe('the page', () => {
  let page: Bundle;
  beforeAll(async () => void (page = await bundled(pageOptions({ minify: true }))));

  it('is a script of at most 350 KB, 105 KB compressed', () => {
    const script = page.text('webview.js');
    expect(script.byteLength).toBeLessThanOrEqual(350 * KB);
    expect(gzipSync(script).byteLength).toBeLessThanOrEqual(105 * KB);
  });

  it('holds no zod and nothing of the host but its vocabulary', () => {
    const origins = [...originsOf(page.metafile, ['dist/webview.js'])];
    expect(origins).toContain('preact');
    expect(origins.filter((origin) => origin === 'zod' || /^src\/(?!protocol\/)/.test(origin))).toEqual([]);
  });
});
