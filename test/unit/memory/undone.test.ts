import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UndoneFile } from '../../../src/memory/undone.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { tempHome } from '../../support/tempHome.js';

async function undone() {
  const { home } = await tempHome();
  mkdirSync(join(home, '.nanobot'), { recursive: true });
  const path = join(home, '.nanobot', 'undone.jsonl');
  return { path, file: new UndoneFile({ files: nodeFiles(), clock: nodeClock(), home }) };
}

const rejection = (commit: string) => ({ file: 'USER.md', lines: ['- a'], removed: [], cursors: [3], commit });

describe('undone.jsonl', () => {
  it('only grows: a rejection, its withdrawal and the next one are lines of their own', async () => {
    const { path, file } = await undone();
    expect(await file.list()).toEqual([]);
    await file.reject([rejection('one'), { ...rejection('one'), file: 'SOUL.md' }]);
    await file.reject([rejection('one')]);
    await file.reject([rejection('two')]);
    await file.withdraw('one');
    await file.withdraw('one');
    await file.withdraw('unknown');
    expect((await file.list()).map(({ commit }) => commit)).toEqual(['two']);
    await file.reject([rejection('one')]);
    expect((await file.list()).map(({ commit }) => commit)).toEqual(['two', 'one']);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(5);
  });

  it('passes over lines that a crash or a person broke, and loses none after them', async () => {
    const { path, file } = await undone();
    const lines = [
      'not json',
      '[]',
      'null',
      '{"file":7}',
      '{"time":"t","file":"USER.md","lines":["- a",7],"cursors":[1,"2",3]}',
    ];
    writeFileSync(path, `${lines.join('\r\n')}\n`);
    appendFileSync(path, '{"time":"t","file":"SOUL');
    await file.reject([rejection('one')]);
    expect(await file.list()).toEqual([
      { time: 't', file: 'USER.md', lines: ['- a'], removed: [], cursors: [1, 3], commit: '' },
      { time: expect.any(String) as string, ...rejection('one') },
    ]);
  });

  it('keeps enough of a huge file to know it again, and no more', async () => {
    const { file } = await undone();
    await file.reject([{ ...rejection('one'), lines: Array.from({ length: 5_000 }, () => 'x'.repeat(5_000)) }]);
    const [kept] = await file.list();
    expect(kept?.lines).toHaveLength(200);
    expect(kept?.lines[0]).toHaveLength(1_000);
  });
});
