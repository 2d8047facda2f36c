import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, rename as renameOnDisk } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Languages } from '../../../src/platform/languages.js';
import type { Workspace } from '../../../src/platform/ports.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { createNodeSearch } from '../../../src/platform/nodeSearch.js';
import { renameFileTool } from '../../../src/tools/renameFile.js';
import { ripgrepForTests } from '../../support/ripgrep.js';
import { makeProject, type Project } from '../../support/project.js';
import { tsLanguages } from '../../support/tsLanguages.js';

const files = {
  'src/a.ts': "import fs from 'node:fs';\nimport { b } from './b';\nexport const a = b;\n",
  'src/b.ts': 'export const b = 1;\n',
  'src/use.ts': "import { a } from './a.js';\nexport * from './a';\nconst late = import('./a');\nconst text = './a';\n",
  'test/a.test.ts': "import { a } from '../src/a';\r\n",
  'src/parts/index.ts': "export { b } from '../b';\n",
  'src/whole.ts': "import { b } from './parts';\nconst c = require('./parts/index.js');\n",
};

describe('rename_file and imports', () => {
  const rename = async (project: Project, path: string, to: string, languages?: Languages) => {
    const found = ripgrepForTests();
    const search = createNodeSearch({ ripgrep: found ? [found] : [] });
    const { workspace } = project;
    const tool = renameFileTool({ workspace, imports: { workspace, search, clock: nodeClock(), languages } });
    const access = await tool.access({ path, to }, project.context);
    const result = await project.run(tool, { path, to });
    return { text: result.text, asked: access.map((one) => ('path' in one ? workspace.label(one.path) : '')) };
  };

  it('changes what imports a file and what it imports, each asked and kept for Undo', async () => {
    const project = makeProject(files);
    const { text, asked } = await rename(project, 'src/a.ts', 'src/deep/better.ts');
    expect(project.text('src/deep/better.ts')).toBe(files['src/a.ts'].replace("'./b'", "'../b'"));
    expect(project.text('src/use.ts')).toBe(
      "import { a } from './deep/better.js';\nexport * from './deep/better';\nconst late = import('./deep/better');\nconst text = './a';\n",
    );
    expect(project.text('test/a.test.ts')).toBe("import { a } from '../src/deep/better';\r\n");
    expect(asked).toEqual(['src/a.ts', 'src/deep/better.ts', 'src/use.ts', 'test/a.test.ts']);
    expect(text).toContain('Imports changed:\nsrc/a.ts +1 −1\nsrc/use.ts +3 −3 (3 places)\ntest/a.test.ts +1 −1');
    expect(project.told.changing.map((path) => project.workspace.label(path))).toEqual([
      ...['src/a.ts', 'src/use.ts', 'test/a.test.ts', 'src/a.ts', 'src/deep/better.ts'],
    ]);
  });

  it('moves folders and index files', async () => {
    const project = makeProject(files);
    await rename(project, 'src/parts/index.ts', 'src/parts/main.ts');
    expect(project.text('src/whole.ts')).toBe(
      "import { b } from './parts/main';\nconst c = require('./parts/main.js');\n",
    );
    await rename(project, 'src/parts', 'pieces/inner');
    expect(project.text('src/whole.ts')).toBe(
      "import { b } from '../pieces/inner/main';\nconst c = require('../pieces/inner/main.js');\n",
    );
    expect(project.text('pieces/inner/main.ts')).toBe("export { b } from '../../src/b';\n");
  });

  it('takes what the language service says, and does without one that refuses', async () => {
    const project = makeProject(files);
    const paths = ['src/a.ts', 'src/b.ts', 'src/use.ts', 'test/a.test.ts'].map((name) => project.path(name));
    const service = tsLanguages(paths);
    const { text } = await rename(project, 'src/b.ts', 'src/c.ts', service);
    expect(text).toContain('src/a.ts +1 −1');
    expect(project.text('src/a.ts')).toContain("from './c'");
    const refusing = { ...service, rename: () => Promise.reject(new Error('no')) };
    await rename(project, 'src/c.ts', 'src/d.ts', refusing);
    expect(project.text('src/a.ts')).toContain("from './d'");
  });

  it('leaves the imports as they were where the move fails, or names those it could not put back', async () => {
    const project = makeProject({ ...files, file: '' });
    await expect(rename(project, 'src/a.ts', 'file/a.ts')).rejects.toThrow('is a file, not a folder (file)');
    const failing = (meanwhile: () => void): Project => {
      const workspace: Workspace = {
        ...project.workspace,
        rename: async (from, to) => {
          meanwhile();
          await mkdir(project.path('full'), { recursive: true });
          writeFileSync(project.path('full/x'), '');
          // The disk refuses: a file does not replace a folder that is not empty.
          await renameOnDisk(from, project.path('full'));
          return project.workspace.rename(from, to);
        },
      };
      return { ...project, workspace };
    };
    await expect(
      rename(
        failing(() => undefined),
        'src/a.ts',
        'lib/a.ts',
      ),
    ).rejects.not.toThrow('could not be put back');
    for (const name of ['src/a.ts', 'src/use.ts', 'test/a.test.ts'] as const)
      expect(project.text(name)).toBe(files[name]);
    const mine = () => void project.write('src/use.ts', 'mine');
    await expect(rename(failing(mine), 'src/a.ts', 'lib/a.ts')).rejects.toThrow('could not be put back in src/use.ts:');
    expect(project.text('src/use.ts')).toBe('mine');
    expect(project.text('src/a.ts')).toBe(files['src/a.ts']);
  });

  it('changes nothing that was not asked, and moves other files as before', async () => {
    const project = makeProject({ ...files, 'a.txt': "from './a'" });
    const { asked } = await rename(project, 'a.txt', 'b.txt');
    expect(asked).toEqual(['a.txt', 'b.txt']);
    await project.run(renameFileTool(project), { path: 'src/b.ts', to: 'src/c.ts' });
    expect(existsSync(project.path('src/c.ts'))).toBe(true);
    expect(project.text('src/a.ts')).toBe(files['src/a.ts']);
  });
});
