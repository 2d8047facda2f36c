import { describe, expect, it } from 'vitest';
import type { MemoryCommit } from '../../../src/memory/memoryCommit.js';
import {
  changesTitle,
  commitView,
  conflictWords,
  listed,
  restoredWords,
  restoreQuestion,
  undoneIn,
} from '../../../src/vscode/commitWords.js';
import { DreamList } from '../../../src/vscode/dreamsTree.js';
import { gitLab, HOME_FILES, type GitLab } from '../memory/gitKit.js';

const MEMORY = 'memory/MEMORY.md';

async function labWithDreams(...facts: string[]): Promise<{ lab: GitLab; dreams: MemoryCommit[] }> {
  const lab = await gitLab();
  for (const [path, text] of Object.entries(HOME_FILES)) lab.write(path, text);
  await lab.store.ensure();
  const dreams: MemoryCommit[] = [];
  for (const [n, fact] of facts.entries()) {
    dreams.push(await lab.dream({ [MEMORY]: `${lab.read(MEMORY)}- ${fact}\n` }, [n + 3]));
  }
  return { lab, dreams };
}

const drawn = async (list: DreamList) =>
  (await list.rows()).map((row) => {
    if (row.kind !== 'commit') return row.kind;
    const { icon, description, canRestore } = commitView(row.commit, row.undone);
    return `${icon}: ${description}${canRestore ? '' : ' (fixed)'}`;
  });

describe('the list of Dreams', () => {
  it('shows Dreams, edits by hand and what was undone and brought back, and offers each to be taken back once', async () => {
    const { lab, dreams } = await labWithDreams('likes coffee', 'has a cat');
    const list = new DreamList(lab.store);
    expect(await drawn(list)).toEqual(['sparkle: 1 change', 'sparkle: 1 change', 'git-commit: the beginning (fixed)']);

    lab.write('USER.md', '# User\n\n- name: Ada Lovelace\n');
    const undone = await lab.store.restore(dreams[0]?.sha ?? '');
    list.invalidate();
    expect(await drawn(list)).toEqual([
      'discard: taken back · 1 change',
      'edit: edited by hand · 1 change',
      'sparkle: 1 change',
      'sparkle: 1 change · undone (fixed)',
      'git-commit: the beginning (fixed)',
    ]);

    await lab.store.restore(undone.commit?.sha ?? '');
    list.invalidate();
    expect((await drawn(list)).slice(0, 2)).toEqual([
      'redo: brought back · 1 change',
      'discard: taken back · 1 change · undone (fixed)',
    ]);
    expect((await drawn(list))[4]).toBe('sparkle: 1 change');
  });

  it('says so before there is any, and makes no repository by looking', async () => {
    const lab = await gitLab();
    expect(await drawn(new DreamList(lab.store))).toEqual(['noDreams']);
    expect(lab.exists('.git')).toBe(false);
  });

  it('shows 50 and offers more', async () => {
    const commits = Array.from({ length: 120 }, (_, n) => commit({ sha: String(n).padStart(40, '0') }));
    const list = new DreamList({ log: async (limit) => commits.slice(0, limit) });
    expect(await list.rows()).toHaveLength(51);
    list.more();
    expect((await list.rows()).at(-1)?.kind).toBe('moreDreams');
    list.more();
    expect(await list.rows()).toHaveLength(120);
  });

  it('reads again after it could not', async () => {
    let broken = true;
    const list = new DreamList({ log: async () => (broken ? Promise.reject(new Error('no disk')) : [commit({})]) });
    await expect(list.rows()).rejects.toThrow('no disk');
    broken = false;
    expect(await list.rows()).toHaveLength(1);
  });
});

function commit(more: Partial<MemoryCommit>): MemoryCommit {
  const facts = {
    time: present.now,
    message: 'dream: 2026-04-15 15:23, 1 change(s)',
    kind: 'dream',
    changes: 1,
  } as const;
  return { sha: 'a'.repeat(40), files: [MEMORY], ...facts, ...more };
}

const present = { now: Date.UTC(2026, 3, 15, 15, 23), zone: 'UTC' };

describe('the words of a restore', () => {
  it('ask with the very lines that go and come back', async () => {
    const { lab } = await labWithDreams('likes coffee');
    const dream = await lab.dream({
      [MEMORY]: lab.read(MEMORY).replace('- likes tea\n', ''),
      'USER.md': `${lab.read('USER.md')}- speaks French\n`,
      'skills/tidy/SKILL.md': '---\nname: tidy\n---\n',
    });
    const shown = await lab.store.show(dream.sha);
    const moment = { now: dream.time, zone: 'UTC' };
    const { message, detail } = restoreQuestion(shown, { unsaved: ['USER.md'], present: moment });
    expect(message).toMatch(/^Undo the Dream of today \d\d:\d\d\?$/);
    expect(detail.split('\n\n')).toEqual([
      `USER.md:\n− speaks French\n${MEMORY}:\n+ likes tea\nskills/tidy/SKILL.md:\nthe file goes`,
      'What was changed later stays as it is. This can be undone in turn.',
      'Dream does not learn these things again unless newer entries say so.',
      'USER.md has unsaved changes, which are saved first and kept as yours.',
    ]);
  });

  it('cut long lists and long lines', () => {
    const after = Array.from({ length: 40 }, (_, n) => `- fact ${String(n)} ${'x'.repeat(200)}\n`).join('');
    const { detail } = restoreQuestion(
      { commit: commit({}), files: [{ path: MEMORY, before: '', after }] },
      { unsaved: [], present },
    );
    const lines = (detail.split('\n\n')[0] ?? '').split('\n');
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toBe('… and 33 more lines');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(100);
  });

  it('tell what came of it', () => {
    const restore = commit({
      kind: 'restore',
      message: 'restore: undo "dream: x"',
      changes: 2,
      files: ['USER.md', MEMORY],
    });
    expect(restoredWords({ commit: restore })).toBe('Took back 2 changes in USER.md and memory/MEMORY.md.');
    expect(restoredWords({ commit: restore, cursor: 4 })).toContain('The entries it had read count as new.');
    expect(restoredWords({ commit: { ...restore, message: 'restore: redo "dream: x"' } })).toMatch(
      /^Brought back 2 changes/,
    );
    expect(restoredWords({ commit: undefined })).toContain('nothing to take back');
    const conflicts = [{ path: MEMORY, base: '', current: '', wanted: '' }];
    expect(conflictWords(conflicts, 'merge')).toContain('Choose in the merge editor');
    expect(conflictWords(conflicts, 'diff')).toContain('On the left is what was there before');
  });

  it('name a diff after its file and its moment', () => {
    expect(changesTitle(commit({}), present, MEMORY)).toBe('MEMORY.md (Dream, today 15:23)');
    expect(changesTitle(commit({ kind: 'hand', message: 'edit: by hand' }), present)).toBe(
      'Edited by hand, today 15:23',
    );
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual(['', 'a', 'a and b', 'a, b and c']);
    expect(commitView(commit({ practice: true }), false).description).toBe('1 change · practice');
    expect(undoneIn([])).toEqual(new Set());
  });
});
