import { readFileSync, existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { codeFiles, parseSource } from '../support/sourceFiles.js';

/** What a process or a thread is started with: these do something at once, and everything else only defines. */
const ENTRIES = ['src/cli.ts', 'src/memory/tokenWorker.ts', 'src/memory/recallWorker.ts', 'src/tools/webWorker.ts'];

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** Lower layers first. A file may import its own layer and those before it. */
const LAYERS: string[][] = [
  ['protocol'],
  ['platform', 'config', 'templates'],
  ['bus', 'providers', 'runner'],
  ['session', 'skills', 'cron'],
  ['memory'],
  ['approval', 'tools', 'mcp'],
  ['agent'],
  ['channels'],
  ['app.ts', 'appPorts.ts'],
  ['vscode', 'cli', 'cli.ts'],
  ['extension.ts'],
];

interface Import {
  from: string;
  to: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const typeOnly = ts.isImportDeclaration(node) ? (node.importClause?.isTypeOnly ?? false) : node.isTypeOnly;
      found.push({ from: file, to: (node.moduleSpecifier as ts.StringLiteral).text, typeOnly });
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
      if (ts.isStringLiteral(node.arguments[0]))
        found.push({ from: file, to: node.arguments[0].text, typeOnly: false });
    }
    ts.forEachChild(node, visit);
  };
  visit(parseSource(file));
  return found;
}

/** The file an import of ours leads to, relative to the root; undefined for packages. */
function target(entry: Import): string | undefined {
  if (!entry.to.startsWith('.')) return undefined;
  const base = resolve(root, dirname(entry.from), entry.to);
  const candidates = [base, base.replace(/\.js$/, '.ts'), base.replace(/\.js$/, '.tsx')];
  const found = candidates.find((candidate) => existsSync(candidate) && /\.[a-z]+$/.test(candidate));
  return relative(root, found ?? base);
}

const layerOf = (file: string): number => {
  const room = file.split('/')[1] ?? '';
  return LAYERS.findIndex((layer) => layer.includes(room));
};

const src = codeFiles('src');
const webview = codeFiles('webview');

describe('the house', () => {
  it('has a layer for every file of src', () => {
    expect(src.filter((file) => layerOf(file) < 0)).toEqual([]);
  });

  it('imports vscode only in src/extension.ts and src/vscode', () => {
    const wrong = src
      .filter((file) => file !== 'src/extension.ts' && !file.startsWith('src/vscode/'))
      .filter((file) => importsOf(file).some((entry) => entry.to === 'vscode'));
    expect(wrong).toEqual([]);
  });

  it('imports downwards only', () => {
    const wrong = src.flatMap((file) =>
      importsOf(file).flatMap((entry) => {
        const to = target(entry);
        if (to === undefined) return [];
        if (!to.startsWith('src/')) return [`${file} imports ${to}, outside src`];
        return layerOf(to) > layerOf(file) ? [`${file} imports ${to}, which lies above it`] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('lets protocol import nothing of ours but protocol, and no package but zod in wireSchema and what translates', () => {
    const wrong = src
      .filter((file) => file.startsWith('src/protocol/'))
      .flatMap((file) => importsOf(file))
      .filter(
        ({ from, to }) =>
          !to.startsWith('./') && to !== '@vscode/l10n' && !(from.endsWith('wireSchema.ts') && to === 'zod'),
      );
    expect(wrong).toEqual([]);
  });

  it('lets the page import src/protocol only, and not wireSchema or zod', () => {
    const wrong = webview.flatMap((file) =>
      importsOf(file).flatMap((entry) => {
        if (entry.to === 'zod') return [`${file} imports zod`];
        const to = target(entry);
        if (to === undefined || to.startsWith('webview/')) return [];
        return to.startsWith('src/protocol/') && !to.includes('wireSchema') ? [] : [`${file} imports ${to}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('has no import cycles', () => {
    const graph = new Map<string, string[]>();
    for (const file of [...src, ...webview]) {
      const targets = importsOf(file)
        .filter((entry) => !entry.typeOnly)
        .map(target);
      graph.set(
        file,
        targets.filter((to): to is string => to !== undefined && /\.tsx?$/.test(to)),
      );
    }
    expect(findCycle(graph)).toBeUndefined();
  });

  it('has no barrels', () => {
    const barrels = [...src, ...webview].filter((file) => {
      const statements = parseSource(file).statements;
      return (
        statements.length > 0 &&
        statements.every((statement) => ts.isExportDeclaration(statement) && statement.moduleSpecifier)
      );
    });
    expect(barrels).toEqual([]);
  });

  it('does nothing at module top level but define', () => {
    const wrong = src
      .filter((file) => !ENTRIES.includes(file))
      .flatMap((file) =>
        parseSource(file)
          .statements.filter(
            (statement) =>
              ts.isExpressionStatement(statement) || ts.isForOfStatement(statement) || ts.isIfStatement(statement),
          )
          .map((statement) => `${file}: ${statement.getText().slice(0, 60)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('has no file of more than 400 lines', () => {
    const long = [...src, ...webview].filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
  });
});

function findCycle(graph: Map<string, string[]>): string[] | undefined {
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const walk = (file: string): string[] | undefined => {
    if (state.get(file) === 'done') return undefined;
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file];
    state.set(file, 'open');
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next);
      if (cycle) return cycle;
    }
    path.pop();
    state.set(file, 'done');
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = walk(file);
    if (cycle) return cycle;
  }
  return undefined;
}
