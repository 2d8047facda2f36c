import { describe, expect, it } from 'vitest';
import type { DreamOutcome, DreamState } from '../../../src/memory/dream.js';
import type { MemoryCommit } from '../../../src/memory/memoryCommit.js';
import { outcomeWords, statusView } from '../../../src/vscode/dreamWords.js';

const present = { now: Date.UTC(2026, 3, 15, 12), zone: 'UTC' };
const commit: MemoryCommit = {
  sha: 'a'.repeat(40),
  time: present.now,
  message: 'dream: 2026-04-15 12:00, 3 change(s)',
  kind: 'dream',
  changes: 3,
  files: ['memory/MEMORY.md'],
};
const learned: DreamOutcome = { kind: 'learned', commit, entries: 12 };
const idle: DreamState = { phase: 'idle', unread: 0 };
const at = present.now - 3_600_000;
const failedWith = (reason: string): NonNullable<DreamState['lastRun']> => ({
  at,
  outcome: { kind: 'failed', reason, next: [] },
});

describe('what a Dream ended with', () => {
  it('is told with numbers that agree with their nouns', () => {
    expect(outcomeWords(learned)).toBe('Learned 3 things from 12 entries.');
    expect(outcomeWords({ ...learned, commit: { ...commit, changes: 1 }, entries: 1 })).toBe(
      'Learned 1 thing from 1 entry.',
    );
    expect(outcomeWords({ kind: 'skipped', entries: 1 })).toBe('Read 1 entry. Nothing in it is worth keeping.');
    expect(outcomeWords({ kind: 'skipped', entries: 5 })).toBe('Read 5 entries. Nothing in them is worth keeping.');
  });

  it('says by which model, where it was practice', () => {
    expect(outcomeWords({ ...learned, commit: { ...commit, practice: true } })).toContain('with the practice model');
  });

  it('says why there is nothing to do', () => {
    expect(outcomeWords({ kind: 'nothing', entries: 0 })).toMatch(/^There is nothing new to read\./);
    expect(outcomeWords({ kind: 'nothing', entries: 2 })).toContain('you undid what Dream made of 2 entries');
  });
});

describe('Dream in the status bar', () => {
  const text = (unread: number, state?: DreamState) => statusView(unread, state, present).text;

  it('counts what is new', () => {
    expect(text(0)).toBe('$(sparkle) Dream');
    expect(text(12, idle)).toBe('$(sparkle) Dream · 12 new');
    expect(text(9_988)).toBe('$(sparkle) Dream · 9,988 new');
  });

  it('shows what it is doing', () => {
    expect(text(12, { ...idle, phase: 'reading' })).toBe('$(loading~spin) Dream · reading');
    expect(text(12, { ...idle, phase: 'editing' })).toBe('$(loading~spin) Dream · editing');
  });

  it('warns after a failure until it runs again, and gives the reason', () => {
    const lastRun = failedWith('The key was refused.');
    const failed = statusView(2, { ...idle, lastRun }, present);
    expect(failed).toMatchObject({ text: '$(warning) Dream · 2 new', warning: true });
    expect(failed.tooltip).toContain('The key was refused');
    expect(failed.label).toBe('Dream, the last run failed, 2 new entries');
    expect(statusView(2, { ...idle, phase: 'reading', lastRun }, present).warning).toBe(false);
  });

  it('says what a click reads, the last run and the next one, with links', () => {
    const state: DreamState = { ...idle, lastRun: { at, outcome: learned }, nextRunAt: present.now + 3_600_000 };
    const { tooltip } = statusView(1, state, present);
    expect(tooltip).toContain('A click reads: 1 new entry');
    expect(tooltip).toContain('Last run: today 11:00. Learned 3 things from 12 entries');
    expect(tooltip).toContain('Next run by itself: today 13:00');
    expect(tooltip).toContain(`[Show changes](command:nanobot.dreamLog?${encodeURIComponent(`["${commit.sha}"]`)})`);
    expect(tooltip).toContain('(command:nanobot.openLog)');
    expect(tooltip).toContain('(command:workbench.action.openSettings?');
  });

  it('says where it does not run by itself, and nothing of it before the agent is loaded', () => {
    expect(statusView(0, idle, present).tooltip).toContain('It does not run by itself.');
    expect(statusView(0, undefined, present).tooltip).not.toContain('by itself');
  });

  it('takes no reason for Markdown: no link, no picture, no command', () => {
    const reason = '[click](command:evil) ![x](https://example.com/x.png) <b>bold</b> `code`\nnext';
    const lastRun = failedWith(reason);
    const { tooltip } = statusView(0, { ...idle, lastRun }, present);
    expect(tooltip).toContain('\\[click\\]\\(command:evil\\) \\!\\[x\\]\\(');
    expect(tooltip).toContain('\\<b\\>bold');
    expect(tooltip).not.toContain('`\nnext');
  });
});
