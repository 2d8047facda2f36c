import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programOnPath } from '../../../src/platform/nodePrograms.js';
import { tempHome } from '../../support/tempHome.js';

describe('a program on Windows', () => {
  it('is looked for on the PATH alone, never in the folder it runs in', async () => {
    const { root } = await tempHome();
    const [bin, empty] = [join(root, 'bin'), join(root, 'empty')];
    mkdirSync(bin);
    mkdirSync(empty);
    writeFileSync(join(bin, 'tool'), '');
    writeFileSync(join(bin, 'tool.CMD'), '');
    const env = { Path: ['.', empty, bin].join(delimiter), PATHEXT: ['.EXE', '.CMD'].join(delimiter) };
    expect(programOnPath('tool', env)).toBe(join(bin, 'tool.CMD'));
    expect(programOnPath('tool.CMD', env)).toBe(join(bin, 'tool.CMD'));
    expect(programOnPath(join('.', 'sub', 'tool'), env)).toBe(join('sub', 'tool'));
    expect(() => programOnPath('package.json', env)).toThrow('There is no program "package.json" on the PATH');
  });
});
