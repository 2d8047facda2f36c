import { describe, expect, it } from 'vitest';
import { createNodeSearch } from '../../../src/platform/nodeSearch.js';
import type { Diagnostic, Workspace } from '../../../src/platform/ports.js';
import { askUserTool } from '../../../src/tools/askUser.js';
import { deleteFileTool } from '../../../src/tools/deleteFile.js';
import { diagnosticsTool } from '../../../src/tools/diagnostics.js';
import { editFileTool } from '../../../src/tools/editFile.js';
import { globTool } from '../../../src/tools/glob.js';
import { grepTool } from '../../../src/tools/grep.js';
import { listDirTool } from '../../../src/tools/listDir.js';
import { readFileTool } from '../../../src/tools/readFile.js';
import { renameFileTool } from '../../../src/tools/renameFile.js';
import { todoTool } from '../../../src/tools/todo.js';
import { writeFileTool } from '../../../src/tools/writeFile.js';
import { makeProject } from '../../support/project.js';

describe('diagnostics', () => {
  it('says what to do where no editor is there', async () => {
    const project = makeProject();
    await expect(project.run(diagnosticsTool(project), {})).rejects.toThrow('exec');
  });

  it('lists problems by file, the gravest first, and caps them', async () => {
    const project = makeProject({ 'a.ts': '', 'b.ts': '' });
    const problem = (name: string, line: number, severity: Diagnostic['severity'], message: string): Diagnostic => ({
      path: project.path(name),
      line,
      column: 2,
      severity,
      message,
      source: 'eslint',
    });
    let problems = [
      problem('a.ts', 9, 'warning', 'later'),
      problem('b.ts', 5, 'error', 'bad\n  thing'),
      problem('a.ts', 1, 'warning', 'early'),
    ];
    const workspace: Workspace = {
      ...project.workspace,
      hasDiagnostics: () => true,
      diagnostics: (paths) => Promise.resolve(problems.filter((one) => !paths || paths.includes(one.path))),
    };
    const tool = diagnosticsTool({ workspace });
    expect((await project.run(tool, {})).text).toBe(
      '1 error, 2 warnings\nb.ts\n5:2 error eslint: bad thing\na.ts\n1:2 warning eslint: early\n9:2 warning eslint: later',
    );
    expect((await project.run(tool, { paths: ['b.ts'] })).text).toBe('1 error\nb.ts\n5:2 error eslint: bad thing');
    await expect(project.run(tool, { paths: ['c.ts'] })).rejects.toThrow('does not exist');
    problems = Array.from({ length: 150 }, (_, index) => problem('a.ts', index + 1, 'error', 'x'));
    expect((await project.run(tool, {})).text).toContain('(50 more are not shown; give paths)');
    problems = [];
    expect((await project.run(tool, {})).text).toContain('knows no problems');
  });
});

describe('ask_user', () => {
  it('asks and returns the answer', async () => {
    const project = makeProject();
    const { text } = await project.run(askUserTool(), { question: 'Which colour?', options: ['red', 'blue'] });
    expect(text).toBe('The person answered: blue');
    expect(project.told.asked).toEqual([{ text: 'Which colour?', options: ['red', 'blue'] }]);
  });

  it('waits for nobody in a turn that nobody watches, and takes six options at most', async () => {
    const project = makeProject();
    project.context.watched = false;
    await expect(project.run(askUserTool(), { question: 'Well?' })).rejects.toThrow('Nobody is watching');
    expect(askUserTool().schema.safeParse({ question: 'q', options: Array(7).fill('x') }).success).toBe(false);
  });
});

it('todo shows the list', async () => {
  const project = makeProject();
  const items = [
    { text: 'one', status: 'done' as const },
    { text: 'two', status: 'in_progress' as const },
  ];
  expect((await project.run(todoTool(), { items })).text).toBe('The list is shown: 1 done, 1 open.');
  expect(project.told.todo).toEqual(items);
});

it('each specification stays small, since all go with every request', () => {
  const needs = { ...makeProject(), search: createNodeSearch({ ripgrep: [] }) };
  const tools = [
    readFileTool(needs),
    writeFileTool(needs),
    editFileTool(needs),
    deleteFileTool(needs),
    renameFileTool(needs),
    listDirTool(needs),
    globTool(needs),
    grepTool(needs),
    diagnosticsTool(needs),
    askUserTool(),
    todoTool(),
  ];
  const sizes = tools.map(({ name, description, parameters }) => {
    const spec = { type: 'function', function: { name, description, parameters } };
    return { name, bytes: Buffer.byteLength(JSON.stringify(spec)) };
  });
  expect(sizes.filter(({ bytes }) => bytes > 650)).toEqual([]);
  expect(sizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(5_500);
  for (const tool of tools) expect(tool.summary({})).toBeTypeOf('string');
});
