import { describe, expect, it } from 'vitest';
import { dreamMessage, parseMessage, restoreMessage } from '../../../src/memory/memoryCommit.js';

describe('the message of a commit', () => {
  it('says of a Dream when, how much and from which entries, and is read again', () => {
    const text = dreamMessage({ at: '2026-04-15 15:23', changes: 3, cursors: [9, 3, 4, 5, 5], practice: true });
    expect(text).toBe('dream: 2026-04-15 15:23, 3 change(s)\n\nEntries: 3-5, 9\nPractice: yes\n');
    expect(parseMessage(text)).toEqual({
      message: 'dream: 2026-04-15 15:23, 3 change(s)',
      kind: 'dream',
      cursors: [3, 4, 5, 9],
      practice: true,
    });
    expect(dreamMessage({ at: 'now', changes: 1, cursors: [] })).toBe('dream: now, 1 change(s)\n');
  });

  it('turns undoing and bringing back into each other, however often', () => {
    const sha = 'a'.repeat(40);
    const dream = { sha, message: 'dream: now, 1 change(s)', kind: 'dream' as const };
    const undo = parseMessage(restoreMessage(dream));
    expect(undo).toEqual({ message: 'restore: undo "dream: now, 1 change(s)"', kind: 'restore', restores: sha });
    const redo = parseMessage(restoreMessage({ ...undo, sha }));
    expect(redo.message).toBe('restore: redo "dream: now, 1 change(s)"');
    expect(parseMessage(restoreMessage({ ...redo, sha })).message).toBe(undo.message);
  });

  it('knows the messages of nanobot, and takes what it does not know for other', () => {
    expect(parseMessage('dream: 2026-04-04 10:00, 2 change(s)\n\n- added a fact').kind).toBe('dream');
    expect(parseMessage('revert: undo abc1234').kind).toBe('restore');
    expect(parseMessage('init: nanobot memory store').kind).toBe('other');
    expect(parseMessage('edit: by hand\n').kind).toBe('hand');
    expect(parseMessage('edit: by handsome\n').kind).toBe('other');
    expect(parseMessage('')).toEqual({ message: '', kind: 'other' });
  });

  it('is not led astray by trailers that make no sense', () => {
    const text = (trailer: string) => `dream: now, 1 change(s)\n\n${trailer}\n`;
    expect(parseMessage(text('Entries: 0-99999999999')).cursors).toHaveLength(1_000);
    expect(parseMessage(text('Entries: 7-3, x, -2, 1e3, 4')).cursors).toEqual([4]);
    expect(parseMessage(text('Restores: HEAD')).restores).toBeUndefined();
    expect(parseMessage(text('Practice: no')).practice).toBeUndefined();
  });
});
