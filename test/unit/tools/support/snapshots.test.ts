import { chmodSync, existsSync, mkdirSync, readdirSync, rmdirSync, statSync, truncateSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../../src/platform/nodeFiles.js';
import type { Clock, Files } from '../../../../src/platform/ports.js';
import { deleteFileTool } from '../../../../src/tools/deleteFile.js';
import { editFileTool } from '../../../../src/tools/editFile.js';
import { readFileTool } from '../../../../src/tools/readFile.js';
import { renameFileTool } from '../../../../src/tools/renameFile.js';
import { Snapshots } from '../../../../src/tools/support/snapshots.js';
import { writeFileTool } from '../../../../src/tools/writeFile.js';
import { makeProject, type Project } from '../../../support/project.js';

const day = 24 * 60 * 60 * 1000;

interface Bench {
  project: Project;
  snapshots: Snapshots;
  /** Moves the clock. */
  later(ms: number): void;
  edit(path: string, from: string, to: string): Promise<unknown>;
  write(path: string, content: string): Promise<unknown>;
  remove(path: string): Promise<unknown>;
  rename(path: string, to: string): Promise<unknown>;
  /** Starts another turn. */
  turn(id: string): void;
  /** What kept contents there are. */
  blobs(): string[];
}

/** A project whose tools keep snapshots as in a turn, in the folder `home` beside it. */
function makeBench(files: Record<string, string | Uint8Array>, port: Files = nodeFiles()): Bench {
  const inProject = Object.fromEntries(Object.entries(files).map(([name, content]) => [`app/${name}`, content]));
  const project = makeProject(inProject, { folders: ['app'] });
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead } as Clock;
  const folder = project.path('home/snapshots');
  const { workspace } = project;
  const snapshots = new Snapshots({ files: port, workspace, clock, folder });
  project.context.beforeChange = (path, from) => snapshots.before(project.context.turnId, path, from);
  return {
    project,
    snapshots,
    later: (ms) => void (ahead += ms),
    edit: async (path, old_text, new_text) => {
      await project.run(readFileTool({ workspace }), { path, force: true });
      return project.run(editFileTool({ workspace }), { path, edits: [{ old_text, new_text }] });
    },
    write: async (path, content) => {
      if (await workspace.stat(workspace.resolve(path)))
        await project.run(readFileTool({ workspace }), { path, force: true });
      return project.run(writeFileTool({ workspace }), { path, content });
    },
    remove: (path) => project.run(deleteFileTool({ workspace }), { path }),
    rename: (path, to) => project.run(renameFileTool({ workspace }), { path, to }),
    turn: (id) => void (project.context.turnId = id),
    blobs: () => (existsSync(`${folder}/blobs`) ? readdirSync(`${folder}/blobs`) : []),
  };
}

/** Every file and folder of the project with its content, to be compared before and after. */
function stateOf(project: Project, folder = 'app'): Record<string, string> {
  const state: Record<string, string> = {};
  for (const entry of readdirSync(project.path(folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) Object.assign(state, { [`${name}/`]: '' }, stateOf(project, name));
    else state[name] = project.bytes(name).toString('base64');
  }
  return state;
}

describe('undo', () => {
  it('puts back what was changed, created, deleted and renamed, byte for byte', async () => {
    const { project, snapshots, ...bench } = makeBench({
      'changed.txt': '\uFEFFa\r\nb\r\n',
      'deleted 文.sh': Buffer.from([0xe9, 0, 1, 2]),
      'renamed.ts': 'text\n',
    });
    chmodSync(project.path('app/deleted 文.sh'), 0o755);
    mkdirSync(project.path('app/empty'));
    const before = stateOf(project);
    await bench.edit('changed.txt', 'a', 'x');
    await bench.edit('changed.txt', 'b', 'y');
    await bench.write('new/deep/one.txt', '1\n');
    await bench.write('new/deep/two.txt', '2\n2\n');
    await bench.remove('deleted 文.sh');
    await bench.remove('empty');
    await bench.rename('renamed.ts', 'moved/other.ts');
    const { changes } = await snapshots.finish('turn-1');
    expect(changes.map(({ label, kind, added, removed }) => [label, kind, added, removed])).toEqual([
      ['changed.txt', 'changed', 2, 2],
      ['new/deep/one.txt', 'created', 1, 0],
      ['new/deep/two.txt', 'created', 2, 0],
      ['deleted 文.sh', 'deleted', 0, 0],
      ['empty', 'deleted', 0, 0],
      ['renamed.ts → moved/other.ts', 'renamed', 0, 0],
    ]);
    const { restored, conflicts } = await snapshots.undo('turn-1');
    expect(conflicts).toEqual([]);
    expect(restored).toHaveLength(6);
    expect(stateOf(project)).toEqual(before);
    expect(statSync(project.path('app/deleted 文.sh')).mode & 0o777).toBe(0o755);
    expect(await snapshots.changes('turn-1')).toEqual({ changes, settled: 'undone' });
  });

  it('can itself be undone', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'old\n', 'b.txt': 'b\n', 'd/x': 'x' });
    await bench.edit('a.txt', 'old', 'new');
    await bench.rename('b.txt', 'c.txt');
    await bench.rename('d', 'e');
    await bench.write('n.txt', 'n\n');
    await snapshots.finish('turn-1');
    const after = stateOf(project);
    const { undoId } = await snapshots.undo('turn-1');
    expect(project.text('app/a.txt')).toBe('old\n');
    const redo = await snapshots.undo(undoId);
    expect(redo.conflicts).toEqual([]);
    expect(stateOf(project)).toEqual(after);
    expect((await snapshots.undo('turn-1')).undoId).not.toBe(undoId);
    expect(project.text('app/a.txt')).toBe('old\n');
  });

  it('leaves alone and names what was changed since, unless told to overwrite', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    await bench.edit('a.txt', 'a', 'A');
    await bench.edit('b.txt', 'b', 'B');
    await bench.write('c.txt', 'c\n');
    await snapshots.finish('turn-1');
    project.write('app/a.txt', 'by a person\n');
    bench.turn('turn-2');
    await bench.edit('c.txt', 'c', 'C');
    await snapshots.finish('turn-2');
    expect(await snapshots.undo('turn-1')).toMatchObject({ restored: ['b.txt'], conflicts: ['c.txt', 'a.txt'] });
    expect([project.text('app/a.txt'), project.text('app/b.txt'), project.text('app/c.txt')]).toEqual([
      'by a person\n',
      'b\n',
      'C\n',
    ]);
    const { undoId } = await snapshots.undo('turn-1', { overwrite: true });
    expect([project.text('app/a.txt'), existsSync(project.path('app/c.txt'))]).toEqual(['a\n', false]);
    await snapshots.undo(undoId);
    expect(project.text('app/a.txt')).toBe('by a person\n');
  });

  it('counts a deletion by a person as a change', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    await bench.edit('a.txt', 'a', 'A');
    await snapshots.finish('turn-1');
    await project.workspace.remove(project.path('app/a.txt'));
    expect((await snapshots.undo('turn-1')).conflicts).toEqual(['a.txt']);
    expect(existsSync(project.path('app/a.txt'))).toBe(false);
  });

  it('moves a folder back with what happened in it since', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'old/x.txt': 'x' });
    await bench.rename('old', 'new');
    const { changes } = await snapshots.finish('turn-1');
    expect(changes).toMatchObject([{ kind: 'renamed', label: 'old → new' }]);
    project.write('app/new/y.txt', 'added later');
    await snapshots.undo('turn-1');
    expect([project.text('app/old/x.txt'), project.text('app/old/y.txt')]).toEqual(['x', 'added later']);
  });

  describe('in a folder that the turn moved', () => {
    const tree = (project: Project) =>
      Object.fromEntries(
        Object.entries(stateOf(project))
          .filter(([name]) => !name.endsWith('/'))
          .map(([name, content]) => [name.slice('app/'.length), Buffer.from(content, 'base64').toString()]),
      );
    const moved = async () => {
      const bench = makeBench({ 'parts/a.ts': 'old\n', 'parts/b.ts': 'b\n' });
      await bench.edit('parts/a.ts', 'old', 'new');
      await bench.write('parts/made.ts', 'made');
      await bench.rename('parts', 'x/y');
      const { changes } = await bench.snapshots.finish('turn-1');
      return { bench, changes };
    };

    it('puts back the files too, and that can be undone', async () => {
      const { bench, changes } = await moved();
      expect(changes.map(({ label, kind }) => `${kind} ${label}`)).toEqual([
        ...['changed x/y/a.ts', 'created x/y/made.ts', 'renamed parts → x/y'],
      ]);
      expect(changes[0]).toMatchObject({ added: 1, removed: 1 });
      const original = await bench.snapshots.original('turn-1', bench.project.path('app/x/y/a.ts'));
      expect(Buffer.from(original ?? []).toString()).toBe('old\n');
      const after = tree(bench.project);
      const { undoId, conflicts } = await bench.snapshots.undo('turn-1');
      expect(conflicts).toEqual([]);
      expect(tree(bench.project)).toEqual({ 'parts/a.ts': 'old\n', 'parts/b.ts': 'b\n' });
      expect((await bench.snapshots.undo(undoId)).conflicts).toEqual([]);
      expect(tree(bench.project)).toEqual(after);
    });

    it('leaves alone what the person wrote there since', async () => {
      const { bench } = await moved();
      bench.project.write('app/x/y/a.ts', "the person's\n");
      const { conflicts } = await bench.snapshots.undo('turn-1');
      expect(conflicts).toEqual(['parts/a.ts']);
      expect(tree(bench.project)).toEqual({ 'parts/a.ts': "the person's\n", 'parts/b.ts': 'b\n' });
    });

    it('puts back one file alone where it is now', async () => {
      const { bench } = await moved();
      const paths = [bench.project.path('app/x/y/a.ts')];
      expect((await bench.snapshots.undo('turn-1', { paths })).conflicts).toEqual([]);
      expect(tree(bench.project)).toEqual({ 'x/y/a.ts': 'old\n', 'x/y/b.ts': 'b\n', 'x/y/made.ts': 'made' });
    });

    it('leaves alone what the person put where the folder was', async () => {
      const { bench } = await moved();
      bench.project.write('app/parts/a.ts', 'another');
      const { conflicts } = await bench.snapshots.undo('turn-1');
      expect(conflicts).toContain('parts → x/y');
      expect(bench.project.text('app/parts/a.ts')).toBe('another');
      expect(bench.project.text('app/x/y/a.ts')).toBe('new\n');
    });

    it('puts back one that went on from its new place, with what was changed on the way', async () => {
      const bench = makeBench({ 'parts/a.ts': 'old\n', 'parts/b.ts': 'b\n' });
      await bench.edit('parts/a.ts', 'old', 'new');
      await bench.rename('parts', 'x');
      await bench.rename('x', 'z');
      const { changes } = await bench.snapshots.finish('turn-1');
      expect(changes.map(({ label }) => label)).toEqual(['z/a.ts', 'parts → z']);
      expect((await bench.snapshots.undo('turn-1')).conflicts).toEqual([]);
      expect(tree(bench.project)).toEqual({ 'parts/a.ts': 'old\n', 'parts/b.ts': 'b\n' });
    });

    it('… and leaves alone what the person wrote there since', async () => {
      const bench = makeBench({ 'parts/a.ts': 'old\n' });
      await bench.edit('parts/a.ts', 'old', 'new');
      await bench.rename('parts', 'x');
      await bench.rename('x', 'z');
      await bench.snapshots.finish('turn-1');
      bench.project.write('app/z/a.ts', "the person's\n");
      expect((await bench.snapshots.undo('turn-1')).conflicts).toEqual(['parts/a.ts']);
      expect(tree(bench.project)).toEqual({ 'parts/a.ts': "the person's\n" });
    });

    it('never removes a folder with files in it that came from it does not know where', async () => {
      const bench = makeBench({ 'one/a.ts': 'a\n', 'two/b.ts': 'b\n' });
      // There and back again, past a place that another folder takes: which came from where is not told by what is there now.
      await bench.rename('one', 'three');
      await bench.rename('two', 'one');
      await bench.rename('three', 'two');
      await bench.snapshots.finish('turn-1');
      await bench.snapshots.undo('turn-1');
      expect(Object.values(tree(bench.project)).sort()).toEqual(['a\n', 'b\n']);
    });

    it('counts a file as one that was touched before and after the move', async () => {
      const bench = makeBench({ 'parts/a.ts': 'old\n' });
      await bench.edit('parts/a.ts', 'old', 'mid');
      await bench.rename('parts', 'x');
      await bench.edit('x/a.ts', 'mid', 'last');
      const { changes } = await bench.snapshots.finish('turn-1');
      expect(changes.map(({ label }) => label)).toEqual(['x/a.ts', 'parts → x']);
      await bench.snapshots.undo('turn-1');
      expect(tree(bench.project)).toEqual({ 'parts/a.ts': 'old\n' });
    });
  });

  describe('of a file that was changed and moved', () => {
    /** Each way with what stands there after it; every one begins with `a.txt`, beside a file of another. */
    const ways: [string, (bench: Omit<Bench, 'project' | 'snapshots'>) => Promise<unknown>, string, string][] = [
      [
        'edited, then renamed',
        async ({ edit, rename }) => {
          await edit('a.txt', 'a', 'A');
          await rename('a.txt', 'b.txt');
        },
        'renamed a.txt → b.txt +1 −1',
        'b.txt',
      ],
      [
        'renamed, then edited',
        async ({ edit, rename }) => {
          await rename('a.txt', 'sub/b.txt');
          await edit('sub/b.txt', 'a', 'A');
        },
        'renamed a.txt → sub/b.txt +1 −1',
        'sub/b.txt',
      ],
      [
        'renamed twice with edits between',
        async ({ edit, rename }) => {
          await edit('a.txt', 'a', 'A');
          await rename('a.txt', 'b.txt');
          await edit('b.txt', 'A', 'AA');
          await rename('b.txt', 'c.txt');
          await edit('c.txt', 'AA', 'AAA');
        },
        'renamed a.txt → c.txt +1 −1',
        'c.txt',
      ],
      [
        'edited, renamed and deleted',
        async ({ edit, rename, remove }) => {
          await edit('a.txt', 'a', 'A');
          await rename('a.txt', 'b.txt');
          await remove('b.txt');
        },
        'deleted a.txt +0 −1',
        'a.txt',
      ],
      [
        'edited, renamed and back again',
        async ({ edit, rename }) => {
          await edit('a.txt', 'a', 'A');
          await rename('a.txt', 'b.txt');
          await rename('b.txt', 'a.txt');
        },
        'changed a.txt +1 −1',
        'a.txt',
      ],
      [
        'edited, moved into a folder that was moved then',
        async ({ edit, rename }) => {
          await edit('a.txt', 'a', 'A');
          await rename('a.txt', 'dir/b.txt');
          await rename('dir', 'other');
        },
        'renamed a.txt → other/b.txt +1 −1',
        'other/b.txt',
      ],
    ];
    it.each(ways)('%s: it is one change, undone as one', async (_name, go, row, place) => {
      const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n', 'dir/x.txt': 'x\n' });
      const before = stateOf(project);
      await go(bench);
      const { changes } = await snapshots.finish('turn-1');
      const rows = changes.filter(({ label }) => label !== 'dir → other');
      expect(rows.map(({ label, kind, added, removed }) => `${kind} ${label} +${added} −${removed}`)).toEqual([row]);
      const path = project.path(`app/${place}`);
      expect(rows[0]?.path).toBe(path);
      expect(Buffer.from((await snapshots.original('turn-1', path)) ?? []).toString()).toBe('a\n');
      const after = stateOf(project);
      const { undoId, conflicts } = await snapshots.undo('turn-1');
      expect(conflicts).toEqual([]);
      expect(stateOf(project)).toEqual(before);
      expect((await snapshots.undo(undoId)).conflicts).toEqual([]);
      expect(stateOf(project)).toEqual(after);
      expect((await snapshots.undo('turn-1', { paths: [path] })).conflicts).toEqual([]);
      expect(project.text('app/a.txt')).toBe('a\n');
      if (place !== 'a.txt') expect(existsSync(path)).toBe(false);
    });

    it('leaves all of it alone where somebody changed it since, and is not taken in by what only looks moved', async () => {
      const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n', 'gone.txt': 'g\n' });
      await bench.edit('a.txt', 'a', 'A');
      await bench.rename('a.txt', 'b.txt');
      // In place of what was moved there is something new: two files now.
      await bench.write('a.txt', 'new\n');
      await bench.remove('gone.txt');
      await bench.write('made.txt', 'made\n');
      await bench.rename('made.txt', 'moved.txt');
      const { changes } = await snapshots.finish('turn-1');
      expect(changes.map(({ label, kind }) => `${kind} ${label}`)).toEqual([
        ...['changed a.txt', 'created b.txt', 'deleted gone.txt', 'created moved.txt'],
      ]);
      bench.turn('turn-2');
      await bench.rename('b.txt', 'c.txt');
      await bench.edit('c.txt', 'A', 'AA');
      await snapshots.finish('turn-2');
      project.write('app/c.txt', "the person's\n");
      expect((await snapshots.undo('turn-2')).conflicts).toEqual(['b.txt → c.txt']);
      expect(project.text('app/c.txt')).toBe("the person's\n");
    });

    it('puts back one that was moved out of a folder that had been moved', async () => {
      const { project, snapshots, ...bench } = makeBench({ 'parts/a.txt': 'a\n', 'parts/b.txt': 'b\n' });
      const before = stateOf(project);
      await bench.edit('parts/a.txt', 'a', 'A');
      await bench.rename('parts', 'x');
      await bench.edit('x/a.txt', 'A', 'AA');
      await bench.rename('x/a.txt', 'c.txt');
      const { changes } = await snapshots.finish('turn-1');
      expect(changes.map(({ label }) => label)).toEqual(['parts → x', 'parts/a.txt → c.txt']);
      expect((await snapshots.undo('turn-1')).conflicts).toEqual([]);
      expect(stateOf(project)).toEqual(before);
    });
  });

  it('has nothing to do for a turn that touched nothing, or was undone', async () => {
    const { snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    expect(await snapshots.undo('none')).toMatchObject({ restored: [], conflicts: [] });
    await bench.edit('a.txt', 'a', 'A');
    await snapshots.finish('turn-1');
    await snapshots.undo('turn-1');
    expect(await snapshots.undo('turn-1')).toMatchObject({ restored: [], conflicts: [] });
  });

  it('names what cannot be put back, and puts back the rest', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n', 'big.bin': 'x', 'dir/b.txt': 'b\n' });
    truncateSync(project.path('app/big.bin'), 60 * 1024 * 1024);
    await bench.remove('big.bin');
    await bench.edit('a.txt', 'a', 'A');
    await bench.remove('dir/b.txt');
    await snapshots.finish('turn-1');
    rmdirSync(project.path('app/dir'));
    project.write('app/dir', 'a file now');
    const { restored, conflicts } = await snapshots.undo('turn-1');
    expect(restored).toEqual(['a.txt']);
    expect(conflicts[0]).toContain('dir/b.txt (');
    expect(conflicts[1]).toBe('big.bin (its former content is not kept)');
  });

  it('after a turn that was cut off goes by the times of the files', async () => {
    const { project, ...bench } = makeBench({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
    await bench.edit('a.txt', 'a', 'A');
    await bench.edit('b.txt', 'b', 'B');
    const soon = Date.now() / 1000 + 60;
    utimesSync(project.path('app/b.txt'), soon, soon);
    const again = new Snapshots({
      files: nodeFiles(),
      workspace: project.workspace,
      clock: { now: () => Date.now() } as Clock,
      folder: project.path('home/snapshots'),
    });
    expect(await again.undo('turn-1')).toMatchObject({ restored: ['a.txt'], conflicts: ['b.txt'] });
    expect([project.text('app/a.txt'), project.text('app/b.txt')]).toEqual(['a\n', 'B\n']);
  });
});

describe('what is kept', () => {
  it('is on the disk before the change is made', async () => {
    const real = nodeFiles();
    const failing: Files = { ...real, append: () => Promise.reject(new Error('disk full')) };
    const { project, ...bench } = makeBench({ 'a.txt': 'a\n' }, failing);
    await expect(bench.edit('a.txt', 'a', 'A')).rejects.toThrow('disk full');
    expect(project.text('app/a.txt')).toBe('a\n');
  });

  it('is each content once, whatever the number of turns', async () => {
    const { snapshots, ...bench } = makeBench({ 'a.txt': 'same\n', 'b.txt': 'same\n' });
    await bench.edit('a.txt', 'same', 'x');
    await bench.edit('b.txt', 'same', 'x');
    bench.turn('turn-2');
    await bench.edit('a.txt', 'x', 'same');
    await snapshots.finish('turn-2');
    expect(bench.blobs()).toHaveLength(2);
  });

  it('stays as counted at the end of the turn, and lives while it runs', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    await bench.edit('a.txt', 'a', 'A\nB');
    expect((await snapshots.changes('turn-1')).changes).toMatchObject([{ added: 2, removed: 1 }]);
    await bench.edit('a.txt', 'A\nB', 'A');
    expect((await snapshots.finish('turn-1')).changes).toMatchObject([{ added: 1, removed: 1 }]);
    project.write('app/a.txt', 'much\nmore\nnow\n');
    expect(await snapshots.changes('turn-1')).toMatchObject({ changes: [{ added: 1, removed: 1 }] });
    await snapshots.settle('turn-1', 'kept');
    expect((await snapshots.changes('turn-1')).settled).toBe('kept');
    expect(Buffer.from((await snapshots.original('turn-1', project.path('app/a.txt'))) ?? []).toString()).toBe('a\n');
  });

  it('names no change for a file that is as it was', async () => {
    const { snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    await bench.edit('a.txt', 'a', 'b');
    await bench.edit('a.txt', 'b', 'a');
    await bench.write('n.txt', 'n');
    await bench.remove('n.txt');
    expect((await snapshots.finish('turn-1')).changes).toEqual([]);
  });

  it('goes after seven days, but for contents that a newer turn needs', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    await bench.edit('a.txt', 'one', 'x');
    await bench.edit('b.txt', 'two', 'y');
    const old = Date.now() / 1000 - 8 * 24 * 60 * 60;
    for (const name of ['turns/turn-1.jsonl', ...bench.blobs().map((blob) => `blobs/${blob}`)]) {
      utimesSync(project.path(`home/snapshots/${name}`), old, old);
    }
    bench.turn('turn-2');
    project.write('app/c.txt', 'one\n');
    await bench.edit('c.txt', 'one', 'z');
    await snapshots.prune();
    expect(bench.blobs()).toHaveLength(1);
    expect((await snapshots.changes('turn-1')).changes).toEqual([]);
    expect((await snapshots.undo('turn-2')).restored).toEqual(['c.txt']);
    bench.later(8 * day);
    await snapshots.prune();
    expect(bench.blobs()).toEqual([]);
  });

  it('stays as long as a turn that needs it, however old the content', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'one\n' });
    await bench.edit('a.txt', 'one', 'x');
    await snapshots.finish('turn-1');
    const old = Date.now() / 1000 - 8 * 24 * 60 * 60;
    for (const blob of bench.blobs()) utimesSync(project.path(`home/snapshots/blobs/${blob}`), old, old);
    await snapshots.prune();
    expect((await snapshots.undo('turn-1')).restored).toEqual(['a.txt']);
  });

  it('survives a torn last line', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    await bench.edit('a.txt', 'a', 'b');
    await snapshots.finish('turn-1');
    const manifest = 'home/snapshots/turns/turn-1.jsonl';
    project.write(manifest, `${project.text(manifest)}{"type":"bef`);
    await bench.write('new.txt', 'n\n');
    await snapshots.finish('turn-1');
    expect((await snapshots.undo('turn-1')).restored).toEqual(['new.txt', 'a.txt']);
  });

  it('has a file of its own for each turn, whatever its id', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n' });
    bench.turn('cron:../../x*');
    await bench.edit('a.txt', 'a', 'b');
    expect((await snapshots.finish('cron:../../x*')).changes).toHaveLength(1);
    expect(readdirSync(project.path('home/snapshots/turns'))).toEqual(['cron%3A%2E%2E%2F%2E%2E%2Fx%2A.jsonl']);
  });
});

describe('single files of a turn', () => {
  it('are undone and kept on their own, and settle the turn together', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    await bench.edit('a.txt', 'a', 'A');
    await bench.edit('b.txt', 'b', 'B');
    await bench.rename('c.txt', 'd/c.txt');
    await snapshots.finish('turn-1');
    const place = (name: string) => project.path(`app/${name}`);
    expect((await snapshots.undo('turn-1', { paths: [place('a.txt')] })).restored).toEqual(['a.txt']);
    await snapshots.settle('turn-1', 'kept', [place('b.txt')]);
    const { changes, settled } = await snapshots.changes('turn-1');
    expect(changes.map((change) => [change.label, change.settled])).toEqual([
      ['a.txt', 'undone'],
      ['b.txt', 'kept'],
      ['c.txt → d/c.txt', undefined],
    ]);
    expect(settled).toBeUndefined();
    expect((await snapshots.undo('turn-1', { paths: [place('d/c.txt')] })).restored).toHaveLength(1);
    expect((await snapshots.changes('turn-1')).settled).toBe('kept');
    expect(Object.keys(stateOf(project))).toEqual(['app/a.txt', 'app/b.txt', 'app/c.txt']);
    expect([project.text('app/a.txt'), project.text('app/b.txt')]).toEqual(['a\n', 'B\n']);
  });

  it('are merged back where a person changed other lines since, and left where they changed the same', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': '1\r\n2\r\n3\r\n4\r\n', 'b.txt': '1\n2\n' });
    await bench.edit('a.txt', '1', 'one');
    await bench.edit('b.txt', '1', 'one');
    await snapshots.finish('turn-1');
    await project.workspace.write(project.path('app/a.txt'), Buffer.from('one\r\n2\r\n3\r\nfour\r\n'));
    await project.workspace.write(project.path('app/b.txt'), Buffer.from('ONE\n2\n'));
    const { restored, conflicts, undoId } = await snapshots.undo('turn-1');
    expect([restored, conflicts]).toEqual([['a.txt'], ['b.txt']]);
    expect((await snapshots.changes('turn-1')).changes.map(({ settled }) => settled)).toEqual(['undone', undefined]);
    expect(project.text('app/a.txt')).toBe('1\r\n2\r\n3\r\nfour\r\n');
    expect(project.text('app/b.txt')).toBe('ONE\n2\n');
    await snapshots.undo(undoId);
    expect(project.text('app/a.txt')).toBe('one\r\n2\r\n3\r\nfour\r\n');
  });
});

describe('what a person changed after a turn', () => {
  it('is told once, as a diff from what the agent left', async () => {
    const { project, snapshots, ...bench } = makeBench({ 'a.txt': 'a\nb\n', 'b.txt': 'b\n', 'c.txt': 'c\n' });
    await bench.edit('a.txt', 'a', 'A');
    await bench.edit('b.txt', 'b', 'B');
    await bench.edit('c.txt', 'c', 'C');
    expect(await snapshots.later('turn-1')).toEqual([]);
    await snapshots.finish('turn-1');
    expect(await snapshots.later('turn-1')).toEqual([]);
    await project.workspace.write(project.path('app/a.txt'), Buffer.from('A\nmine\n'));
    await project.workspace.remove(project.path('app/b.txt'));
    const later = await snapshots.later('turn-1');
    expect(later.map(({ label }) => label)).toEqual(['a.txt', 'b.txt']);
    expect(later[0]?.diff).toContain('-b\n+mine');
    expect(later[1]?.kind).toBe('deleted');
    await snapshots.noteLater(
      'turn-1',
      later.map(({ path }) => path),
    );
    expect(await snapshots.later('turn-1')).toEqual([]);
    await project.workspace.write(project.path('app/c.txt'), Buffer.from('C\nsecret\n'));
    const read: string[] = [];
    const { workspace } = project;
    const watching = new Snapshots({
      files: { ...nodeFiles(), read: (path) => (read.push(path), nodeFiles().read(path)) },
      workspace,
      clock: { now: () => Date.now() } as Clock,
      folder: project.path('home/snapshots'),
    });
    const unshown = await watching.later('turn-1', { mayShow: () => false });
    expect(read.filter((path) => path.includes('blobs'))).toEqual([]);
    expect(unshown.map(({ label, kind, diff }) => [label, kind, diff])).toEqual([['c.txt', 'changed', undefined]]);
    expect(await snapshots.later('turn-1', { skip: new Set([project.path('app/c.txt')]) })).toEqual([]);
    await project.workspace.write(project.path('app/a.txt'), Buffer.from('A\nours\n'));
    expect((await snapshots.later('turn-1'))[0]?.diff).toContain('-mine\n+ours');
  });

  it('is found from what a turn left, which is kept as long as what was before', async () => {
    const { project, snapshots, later, ...bench } = makeBench({ 'a.txt': 'a\n' });
    await bench.edit('a.txt', 'a', 'A');
    await snapshots.finish('turn-1');
    const made = await snapshots.made('turn-1', project.path('app/a.txt'));
    expect(Buffer.from(made ?? []).toString()).toBe('A\n');
    later(6 * day);
    await snapshots.prune();
    expect(await snapshots.made('turn-1', project.path('app/a.txt'))).toBeDefined();
    later(9 * day);
    await snapshots.prune();
    expect(bench.blobs()).toEqual([]);
  });
});

describe('turns that worked at the same time', () => {
  /** Runs steps of the turns p and s, one after the other in time, and ends both; p begins. */
  async function interleaved(
    files: Record<string, string>,
    steps: (bench: Bench) => [string, () => Promise<unknown>][],
  ) {
    const bench = makeBench({ 'g.txt': 'g\n', ...files });
    const before = stateOf(bench.project);
    for (const [turn, step] of [['p', () => bench.edit('g.txt', 'g', 'G')] as const, ...steps(bench)]) {
      bench.later(10);
      bench.turn(turn);
      await step();
    }
    await bench.snapshots.finish('s');
    await bench.snapshots.finish('p');
    return { ...bench, before, after: stateOf(bench.project) };
  }

  it.each<[string, Record<string, string>, (bench: Bench) => [string, () => Promise<unknown>][]]>([
    [
      'a file that both changed',
      { 'f.txt': 'one\n' },
      ({ edit }) => [
        ['s', () => edit('f.txt', 'one', 'two')],
        ['p', () => edit('f.txt', 'two', 'three')],
      ],
    ],
    [
      'a file that one created and the other changed',
      {},
      ({ write, edit }) => [
        ['s', () => write('new/f.txt', 'one\n')],
        ['p', () => edit('new/f.txt', 'one', 'two')],
      ],
    ],
    [
      'a file that one moved on from where the other had moved it',
      { 'a.txt': 'one\n' },
      ({ edit, rename }) => [
        ['s', () => rename('a.txt', 'b.txt')],
        ['p', () => edit('b.txt', 'one', 'two')],
        ['p', () => rename('b.txt', 'c.txt')],
      ],
    ],
    [
      'a file in a folder that the other moved, and changed there',
      { 'd/x.txt': 'one\n', 'd/y.txt': 'y\n' },
      ({ edit, rename }) => [
        ['s', () => edit('d/x.txt', 'one', 'two')],
        ['p', () => rename('d', 'e')],
        ['p', () => edit('e/x.txt', 'two', 'three')],
        ['s', () => edit('e/y.txt', 'y', 'Y')],
      ],
    ],
    [
      'a folder that one was about to move when the other changed a file',
      { 'd/x.txt': 'one\n', 'f.txt': 'f\n' },
      ({ project, snapshots, edit, rename }) => [
        ['p', () => snapshots.before('p', project.path('app/d'))],
        ['s', () => edit('f.txt', 'f', 'F')],
        ['p', () => rename('d', 'e')],
      ],
    ],
  ])('are put back together: %s', async (_, files, steps) => {
    const { project, snapshots, before, after } = await interleaved(files, steps);
    const groups = await snapshots.groups(['s', 'p']);
    expect(groups).toEqual([['p', 's']]);
    for (const group of groups) {
      const { conflicts } = await snapshots.undo(group, { overwrite: true, undoId: 'back' });
      expect(conflicts).toEqual([]);
    }
    expect(stateOf(project)).toEqual(before);
    for (const turn of ['p', 's']) expect((await snapshots.changes(turn)).settled).toBe('undone');
    await snapshots.undo('back');
    expect(stateOf(project)).toEqual(after);
  });

  it('are told apart from those that followed one another, and by who touched a file first', async () => {
    const { project, snapshots, later, turn, edit } = await interleaved({ 'f.txt': 'one\n' }, (bench) => [
      ['s', () => bench.edit('f.txt', 'one', 'two')],
      ['p', () => bench.edit('f.txt', 'two', 'three')],
    ]);
    const way = await snapshots.wayBack(['p', 's']);
    expect(way.map(({ label, turnId, changedSince }) => [label, turnId, changedSince])).toEqual([
      ['g.txt', 'p', false],
      ['f.txt', 's', false],
    ]);
    expect(Buffer.from((await snapshots.original('s', project.path('app/f.txt'))) ?? []).toString()).toBe('one\n');
    later(1_000);
    turn('next');
    await edit('f.txt', 'three', 'four');
    expect(await snapshots.groups(['next', 's', 'nothing', 'p'])).toEqual([['nothing'], ['p', 's'], ['next']]);
  });
});
