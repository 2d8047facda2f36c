import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffText, fileList, readDiff, withUnread, type FileDiff } from '../../../src/vscode/commitDiff.js';
import { tempHome } from '../../support/tempHome.js';

/** What git itself says of changes made by `change` in a fresh repository. */
async function realDiff(
  before: Record<string, string | Buffer>,
  change: (folder: string) => void,
  settings: readonly string[] = [],
): Promise<string> {
  const { root } = await tempHome();
  const folder = join(root, 'repository');
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', env: gitEnv });
  git('init', '-q');
  for (const [name, content] of Object.entries(before)) writeFileSync(join(folder, name), content);
  git('add', '-A');
  git('commit', '-qm', 'first', '--allow-empty');
  change(folder);
  git('add', '-A');
  return git(...settings.flatMap((one) => ['-c', one]), 'diff', '--cached');
}

const gitEnv = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  HOME: '/nonexistent',
  ...Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((who) => [
      [`GIT_${who}_NAME`, 'A Person'],
      [`GIT_${who}_EMAIL`, 'person@example.com'],
    ]),
  ),
};

const file = (path: string, hunks: string, more: Partial<FileDiff> = {}): FileDiff => ({
  ...{ path, hunks, kind: 'modified', added: hunks.match(/^\+/gm)?.length ?? 0, removed: 0, binary: false },
  ...more,
});

describe('what git says of changes', () => {
  it('is read file by file: changed, new, gone, moved, binary, and odd names', async () => {
    const long = Array.from({ length: 30 }, (_, at) => `line ${String(at)}`).join('\n');
    const diff = await realDiff(
      { 'a.txt': 'one\n', 'gone.txt': 'x\n', 'old name.txt': long, 'p.bin': Buffer.from([0, 1, 2]) },
      (folder) => {
        writeFileSync(join(folder, 'a.txt'), 'two\n--- a heading\n+++ another\n');
        rmSync(join(folder, 'gone.txt'));
        rmSync(join(folder, 'old name.txt'));
        writeFileSync(join(folder, 'new name.txt'), `${long}\nmore`);
        writeFileSync(join(folder, 'p.bin'), Buffer.from([0, 1, 3]));
        writeFileSync(join(folder, 'grün "x".txt'), 'new\n');
        writeFileSync(join(folder, 'empty.txt'), '');
      },
    );
    const files = readDiff(diff);
    const told = files.map(({ path, from, kind, added, removed, binary }) => ({
      path,
      from,
      kind,
      added,
      removed,
      binary,
    }));
    const base = { from: undefined, binary: false, added: 0, removed: 0 };
    expect(told).toEqual([
      { ...base, path: 'a.txt', kind: 'modified', added: 3, removed: 1 },
      { ...base, path: 'empty.txt', kind: 'added' },
      { ...base, path: 'gone.txt', kind: 'deleted', removed: 1 },
      { ...base, path: 'grün "x".txt', kind: 'added', added: 1 },
      { ...base, path: 'new name.txt', from: 'old name.txt', kind: 'renamed', added: 2, removed: 1 },
      { ...base, path: 'p.bin', kind: 'modified', binary: true },
    ]);
    expect(fileList(files)).toContain('renamed old name.txt → new name.txt (+2 −1)');
    expect(fileList(files)).toContain('modified p.bin (binary)');
    expect(readDiff('')).toEqual([]);
  });

  it('is read in colors too, and what another program writes is listed by name', async () => {
    const change = (folder: string) => {
      writeFileSync(join(folder, 'a.txt'), 'two\n');
      writeFileSync(join(folder, 'b.txt'), 'new\n');
      rmSync(join(folder, 'c.txt'));
    };
    const before = { 'a.txt': 'one\n', 'c.txt': 'c\n' };
    const plain = readDiff(await realDiff(before, change));
    expect(readDiff(await realDiff(before, change, ['color.ui=always']))).toEqual(plain);
    const foreign = readDiff(await realDiff(before, change, ['diff.external=echo changed:']));
    const changes = [
      { path: 'a.txt', status: 0 },
      { path: 'b.txt', status: 1 },
      { path: 'c.txt', status: 2 },
    ];
    const named = withUnread(foreign, changes);
    expect(fileList(named)).toBe('modified a.txt\nadded b.txt\ndeleted c.txt');
    expect(diffText(named, 9_000)).toContain('### a.txt\n(its lines are not known)');
    expect(withUnread(plain, changes)).toEqual(plain);
    expect(fileList(withUnread(plain.slice(1), changes))).toBe(
      'added b.txt (+1 −0)\ndeleted c.txt (+0 −1)\nmodified a.txt',
    );
  });

  it('counts a line of a file that looks like the head of another as a line', async () => {
    const diff = await realDiff({ 'notes.md': 'x\n' }, (folder) => {
      writeFileSync(join(folder, 'notes.md'), 'x\ndiff --git a/fake b/fake\n');
    });
    expect(readDiff(diff).map(({ path, added }) => [path, added])).toEqual([['notes.md', 1]]);
  });
});

describe('the diff for the model', () => {
  it('keeps what is small whole, and of what is large both ends, within its room', () => {
    const small = file('small.ts', '@@ -1 +1 @@\n+small');
    const large = file('large.ts', Array.from({ length: 5_000 }, (_, at) => `+line ${String(at)}`).join('\n'));
    const text = diffText([large, small], 4_000);
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text).toContain('### small.ts\n@@ -1 +1 @@\n+small');
    expect(text).toContain('+line 0\n');
    expect(text).toContain('+line 4999');
    expect(text).toContain('… lines left out …');
    expect(text).not.toContain('+line 2500');
  });

  it('names more files than fit, and never grows over its room', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => file(`f${String(at)}.ts`, `+${'x'.repeat(300)}\n+end`));
    const text = diffText(many, 5_000);
    expect(text.length).toBeLessThanOrEqual(5_100);
    expect(text).toMatch(/… and \d+ more files, only named above$/);
    expect(fileList(many).split('\n')).toHaveLength(301);
    expect(diffText(many, 0)).toBe('… and 2000 more files, only named above');
  });

  it('says of lock files, binaries and files of keys what they are, and shows nothing of them', () => {
    const text = diffText(
      [
        file('web/package-lock.json', '+"lodash": "4"'),
        file('.env', '+TOKEN=very-secret-thing'),
        file('logo.png', '', { binary: true }),
      ],
      10_000,
    );
    expect(text).toContain('### web/package-lock.json\n(generated: +1 −0 lines, not shown)');
    expect(text).toContain('### .env\n(+1 −0 lines, not shown: environment files hold keys)');
    expect(text).toContain('### logo.png\n(binary)');
    expect(text).not.toMatch(/lodash|very-secret/);
  });

  it('shows nothing of a file of keys that is moved to another name', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `NAME_${String(at)}=orchard`).join('\n');
    const diff = await realDiff({ '.env': lines }, (folder) => {
      rmSync(join(folder, '.env'));
      writeFileSync(join(folder, 'conf.txt'), `${lines}\nLAST=meadow`);
    });
    const text = diffText(readDiff(diff), 9_000);
    expect(text).toBe('### conf.txt\n(+2 −1 lines, not shown: environment files hold keys)');
  });

  it('masks secrets, also where the text is cut', () => {
    const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const lines = Array.from({ length: 3_000 }, () => `+const token = "${key}";`).join('\n');
    const text = diffText([file('a.ts', lines)], 3_000);
    expect(text).toContain('***');
    expect(text).not.toContain('ghp_');
    expect(text).not.toContain('c3D4');
  });

  it('masks bare secrets on added, removed and context lines', () => {
    const bare = 'q7Zk2Lw9Xc4Vb8Nm1Rt5Yp3Hs6Jd0Gf2';
    const bot = `123456789:${'Aa1-'.repeat(8)}xyz`;
    const azure = `abc8Q~${'aB3d-'.repeat(6)}1234`;
    for (const secret of [bare, bot, azure]) {
      const hunks = `@@ -1,3 +1,3 @@\n ${secret}\n-${secret}\n+${secret}\n+x ${secret}\n+last`;
      const text = diffText([file('notes.txt', hunks)], 3_000);
      expect(text).toBe('### notes.txt\n@@ -1,3 +1,3 @@\n ***\n-***\n+***\n+x ***\n+last');
    }
    const merged = diffText([file('a.txt', `@@@ -1,2 -1,2 +1,3 @@@\n++${bare}\n +${bare}\n- ${bare}\n  kept`)], 3_000);
    expect(merged).toBe('### a.txt\n@@@ -1,2 -1,2 +1,3 @@@\n++***\n +***\n- ***\n  kept');
  });

  it('masks a private key that is new, changed in its midst, or shown in part', async () => {
    const lineOf = (at: number) =>
      `${String(at)}vK9x/Tq2Lm+Wz8Rb4Yc7Nd1Pf5Hg3Js6Ka0Zx9Cv2Bn8Mq4We7Rt1Yu5Io3Pa6Sd`.slice(0, 64);
    const key = (changed: string) =>
      [
        '-----BEGIN RSA PRIVATE KEY-----',
        ...Array.from({ length: 20 }, (_, at) => (at === 10 ? changed : lineOf(at % 10))),
        'aB3d==',
        '-----END RSA PRIVATE KEY-----',
        'after',
      ].join('\n');
    const old = key(lineOf(3));
    const mid = readDiff(
      await realDiff({ 'deploy.txt': old }, (folder) => {
        writeFileSync(join(folder, 'deploy.txt'), key(lineOf(7)));
        writeFileSync(join(folder, 'fresh.txt'), old);
      }),
    );
    const text = diffText(mid, 20_000);
    expect(text).not.toMatch(/Tq2Lm|9Cv2Bn/);
    expect(text).toContain('+***\n+after');
    const lastPart = readDiff(
      await realDiff({ 'deploy.txt': old }, (folder) => writeFileSync(join(folder, 'deploy.txt'), `${old}\nmore`)),
    );
    expect(diffText(lastPart, 20_000)).not.toMatch(/Tq2Lm|aB3d/);
  });

  it('leaves what is no secret as git writes it', async () => {
    const diff = await realDiff({ 'a.ts': 'const a = 1;\nconst b = 2;' }, (folder) => {
      writeFileSync(
        join(folder, 'a.ts'),
        'const a = 1;\n// +++ 2f1c9e0b7a6d5c4b3a29181706f5e4d3c2b1a090\n\n\nconst b = 3;\n',
      );
    });
    const [only] = readDiff(diff);
    expect(diffText([only as FileDiff], 9_000)).toBe(`### a.ts\n${(only?.hunks ?? '').trimEnd()}`);
  });
});
