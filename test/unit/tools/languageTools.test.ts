import { describe, expect, it } from 'vitest';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { Languages } from '../../../src/platform/languages.js';
import type { Clock } from '../../../src/platform/ports.js';
import type { Tool, ToolResult } from '../../../src/runner/tool.js';
import { specOf } from '../../../src/runner/registry.js';
import { editFileTool } from '../../../src/tools/editFile.js';
import { languageTools } from '../../../src/tools/languageSetup.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { columnsOf } from '../../../src/tools/support/languageSpots.js';
import { applyChanges } from '../../../src/tools/support/textChanges.js';
import { makeProject, type Project } from '../../support/project.js';
import { tsLanguages } from '../../support/tsLanguages.js';

const files = {
  'src/a.ts': 'export function greet(name: string) {\n  return `Hi ${name}`;\n}\nexport class Door {\n  open() {}\n}\n',
  'src/b.ts': "import { greet } from './a';\r\n\r\nexport const said = greet('you') + greet('me');\r\n",
  'notes.txt': 'greet\n',
};

describe('the tools over language services', () => {
  const tools = (
    project: Project,
    languages?: Partial<Languages>,
    clock: Clock = nodeClock(),
  ): Record<string, Tool> => {
    const real = tsLanguages([project.path('src/a.ts'), project.path('src/b.ts')]);
    const all = languageTools({ languages: { ...real, ...languages }, workspace: project.workspace, clock });
    return Object.fromEntries(all.map((tool) => [tool.name, tool]));
  };
  const call = async (project: Project, tool: Tool | undefined, args: Record<string, unknown>): Promise<ToolResult> => {
    if (!tool) throw new Error('no such tool');
    await tool.access(args, project.context);
    return project.run(tool, args);
  };

  it('are terse, and not there without an editor', () => {
    const project = makeProject(files);
    for (const tool of Object.values(tools(project)))
      expect(JSON.stringify(specOf(tool)).length, tool.name).toBeLessThanOrEqual(350);
    expect(languageTools({ workspace: project.workspace, clock: nodeClock() })).toEqual([]);
  });

  it('list the symbols of a file, and those of a name', async () => {
    const project = makeProject(files);
    const { symbols } = tools(project);
    expect((await call(project, symbols, { path: 'src/a.ts' })).text).toBe(
      'src/a.ts:4 class Door\nsrc/a.ts:5 method open (in Door)\nsrc/a.ts:1 function greet',
    );
    expect((await call(project, symbols, { path: 'src/a.ts', query: 'OPE' })).text).toContain('open (in Door)');
    expect((await call(project, symbols, { query: 'greet' })).text).toBe('src/a.ts:1 function greet');
    expect((await call(project, symbols, { query: 'zzz' })).text).toContain('grep finds text');
    await expect(call(project, symbols, {})).rejects.toThrow('Give a path, a query, or both');
    await expect(call(project, symbols, { path: 'notes.txt' })).rejects.toThrow('Use grep and edit_file');
  });

  it('cut a long list and say how much is left', async () => {
    const project = makeProject(files);
    const many = Array.from({ length: 130 }, (_, index) => ({
      ...{ path: project.path('src/a.ts'), line: index + 1, column: 1, name: `n${index}`, kind: 'variable' },
    }));
    const { symbols } = tools(project, { workspaceSymbols: async () => many });
    const { text } = await call(project, symbols, { query: 'n' });
    expect(text.split('\n')).toHaveLength(101);
    expect(text).toMatch(/… 30 more$/);
  });

  it('give definition and uses by line or by name alone', async () => {
    const project = makeProject(files);
    const { references } = tools(project);
    const wanted =
      'Defined:\nsrc/a.ts:1  export function greet(name: string) {\n3 lines with it:\n' +
      "src/a.ts:1  export function greet(name: string) {\nsrc/b.ts:1  import { greet } from './a';\n" +
      "src/b.ts:3  export const said = greet('you') + greet('me');";
    expect((await call(project, references, { symbol: 'greet', path: 'src/b.ts', line: 3 })).text).toBe(wanted);
    expect((await call(project, references, { symbol: 'greet' })).text).toBe(wanted);
    expect((await call(project, references, { symbol: 'greet', path: 'src/a.ts' })).text).toBe(wanted);
    const wrong = { symbol: 'greet', path: 'src/b.ts', line: 2 };
    await expect(call(project, references, wrong)).rejects.toThrow('line 2 of src/b.ts. It stands in lines 1, 3.');
    await expect(call(project, references, { symbol: 'nobody' })).rejects.toThrow('give path and line, or use grep');
  });

  it('rename a symbol everywhere: asked for each file, kept for Undo, and read on', async () => {
    const project = makeProject(files);
    const { rename_symbol: rename } = tools(project);
    await project.run(readFileTool(project), { path: 'src/b.ts' });
    const args = { path: 'src/b.ts', line: 3, symbol: 'greet', new_name: 'welcome' };
    const access = (await rename?.access(args, project.context)) ?? [];
    expect(access.map((one) => [one.kind, 'path' in one && one.path])).toEqual([
      ['write', project.path('src/a.ts')],
      ['write', project.path('src/b.ts')],
    ]);
    expect(JSON.stringify(access)).toContain('+export function welcome');
    const result = await call(project, rename, args);
    expect(result.text).toBe(
      'Renamed greet to welcome: 4 places in 2 files.\nsrc/a.ts +1 −1\nsrc/b.ts +2 −2 (3 places)',
    );
    expect(project.text('src/b.ts')).toBe(files['src/b.ts'].replaceAll('greet', 'welcome'));
    expect(project.told.changing).toEqual([project.path('src/a.ts'), project.path('src/b.ts')]);
    const edit = { path: 'src/b.ts', edits: [{ old_text: "welcome('me')", new_text: '1' }] };
    await project.run(editFileTool(project), edit);
    // The other file was never read, and a rename does not count as reading it.
    const unread = { path: 'src/a.ts', edits: [{ old_text: 'Door', new_text: 'Gate' }] };
    await expect(project.run(editFileTool(project), unread)).rejects.toThrow('has not been read');
  });

  it('rename nothing where a file changed since it was asked, or nobody was asked', async () => {
    const project = makeProject(files);
    const { rename_symbol: rename } = tools(project);
    if (!rename) throw new Error('missing');
    const args = { path: 'src/a.ts', line: 1, symbol: 'greet', new_name: 'welcome' };
    await expect(project.run(rename, args)).rejects.toThrow('not known any more');
    await rename.access(args, project.context);
    project.write('src/b.ts', `// mine\n${files['src/b.ts']}`);
    await expect(project.run(rename, args)).rejects.toThrow('src/b.ts has changed meanwhile. Nothing was changed');
    expect(project.text('src/a.ts')).toBe(files['src/a.ts']);
    expect(project.told.changing).toEqual([]);
  });

  it('rename nothing where the editor reads a file otherwise, but what differs in its letters alone', async () => {
    const shiftJis = Buffer.from([0x2f, 0x2a, 0x93, 0xfa, 0x96, 0x7b, 0x2a, 0x2f]);
    const bytes = Buffer.concat([shiftJis, Buffer.from(' export const foo = 1;\r\n')]);
    const project = makeProject({ 'src/a.ts': bytes, 'src/b.ts': '' });
    const change = { line: 1, endLine: 1, text: 'bar' };
    const args = { path: 'src/a.ts', line: 1, symbol: 'foo', new_name: 'bar' };
    const named = (text: string) => {
      const column = text.indexOf('foo') + 1;
      const changes = [{ ...change, column, endColumn: column + 3 }];
      const files = [{ path: project.path('src/b.ts'), changes: [{ ...change, column: 1, endColumn: 1 }], text: '' }];
      const edits = { files: [...files, { path: project.path('src/a.ts'), changes, text }], movesFiles: false };
      return call(project, tools(project, { rename: async () => edits })['rename_symbol'], args);
    };
    const stale = 'export const foo = 1;\n';
    project.write('src/a.ts', `/* more */ ${stale}`);
    await expect(named(`/* mine */ ${stale}`)).rejects.toThrow('has another text of it');
    project.write('src/a.ts', bytes);
    await expect(named('/*日本*/ export const foo = 1;\n')).rejects.toThrow('src/a.ts would change, and the editor');
    expect(project.bytes('src/a.ts').equals(bytes)).toBe(true);
    expect(project.text('src/b.ts')).toBe('');
    await named('/*\ufffd\ufffd\ufffd{*/ export const foo = 1;\n');
    expect(project.bytes('src/a.ts').toString('latin1')).toBe(bytes.toString('latin1').replace('foo', 'bar'));
  });

  it('refuse what cannot be meant: two symbols of one name in a line, what a service refuses, a move of files', async () => {
    const project = makeProject({ ...files, 'src/a.ts': 'const x = 1;\nconst o = { x: x };\n' });
    const { rename_symbol: rename } = tools(project);
    const args = { path: 'src/a.ts', line: 2, symbol: 'x', new_name: 'y' };
    await expect(call(project, rename, args)).rejects.toThrow('stands 2 times in line 2');
    const word = { path: 'src/a.ts', line: 1, symbol: 'const', new_name: 'y' };
    await expect(call(project, rename, word)).rejects.toThrow('is not the name of a symbol');
    const refusing = tools(project, { rename: () => Promise.reject(new Error('Not here.')) })['rename_symbol'];
    await expect(call(project, refusing, word)).rejects.toThrow('The language service says: Not here.');
    const moving = tools(project, { rename: async () => ({ files: [], movesFiles: true }) })['rename_symbol'];
    await expect(call(project, moving, { ...args, line: 1 })).rejects.toThrow('would move files');
  });

  it('end with a clear error when a service is silent, and at once with the turn', async () => {
    const project = makeProject(files);
    const silent = () => new Promise<never>(() => undefined);
    const slept: number[] = [];
    const clock: Clock = { ...nodeClock(), sleep: async (ms) => void slept.push(ms) };
    const { symbols } = tools(project, { workspaceSymbols: silent }, clock);
    await expect(call(project, symbols, { query: 'a' })).rejects.toThrow('did not answer within 10 s');
    expect(slept).toEqual([10_000]);
    const stop = new AbortController();
    const stopped = { ...project, context: { ...project.context, signal: stop.signal } };
    const { symbols: waiting } = tools(project, { workspaceSymbols: silent });
    const running = waiting?.run({ query: 'a' }, stopped.context);
    stop.abort(new Error('Stopped'));
    await expect(running).rejects.toThrow('Stopped');
  });
});

describe('where a name stands', () => {
  it.each([
    ['a.b + ab + a', 'a', [1, 12]],
    ['größe = größer', 'größe', [1]],
    ['a$b $b', '$b', [5]],
    ['x', '', []],
  ])('in %s: %s', (line, symbol, columns) => {
    expect(columnsOf(line, symbol)).toEqual(columns);
  });

  it('takes changes on any line ends, and refuses those that overlap or lie outside', () => {
    const at = (line: number, column: number, endColumn: number, text: string) => ({
      ...{ line, column, endLine: line, endColumn, text },
    });
    expect(applyChanges('one\r\ntwo\nthree', [at(3, 1, 6, '3'), at(2, 1, 4, '2')], 'f')).toBe('one\r\n2\n3');
    expect(() => applyChanges('one', [at(1, 1, 3, ''), at(1, 2, 3, '')], 'f')).toThrow('do not fit');
    expect(() => applyChanges('one', [at(9, 1, 3, '')], 'f')).toThrow('do not fit');
  });
});
