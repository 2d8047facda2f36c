import { describe, expect, it } from 'vitest';
import { asked, dreamLab, edits, remembered, type DreamReply } from '../../../support/dreamLab.js';
import { saying } from '../../../support/saying.js';
import { tempHome } from '../../../support/tempHome.js';
import { until } from '../../../support/until.js';

/** A model that always finds and writes the same, whatever it is told: the worst case for what was undone. */
const stubborn: DreamReply[] = Array.from({ length: 12 }, (_, n) =>
  n % 3 === 0
    ? '[MEMORY] The person likes green tea'
    : n % 3 === 1
      ? edits('memory/MEMORY.md', ['', '- The person likes green tea'])
      : 'Written.',
);

async function learned() {
  const { home } = await tempHome();
  const lab = { home, ...dreamLab({ home, replies: stubborn }) };
  await remembered(lab, '- Green tea came up', '- The person drank some');
  const outcome = await lab.ask();
  const sha = outcome.kind === 'learned' ? outcome.commit.sha : '';
  expect(lab.read('memory/MEMORY.md')).toContain('likes green tea');
  return { lab, sha };
}

describe('what a person undid', () => {
  it('stays undone: dream, undo, two scheduled Dreams, still undone', async () => {
    const { lab, sha } = await learned();
    const { cursor } = await lab.dream.restore(sha);
    expect(cursor).toBe(0);
    expect(await lab.byItself()).toEqual({ kind: 'nothing', entries: 2 });
    expect(await lab.byItself()).toEqual({ kind: 'nothing', entries: 2 });
    expect(lab.requests).toHaveLength(3);
    expect(lab.read('memory/MEMORY.md')).not.toContain('green tea');
  });

  it('stays undone also where the person asks, though the model brings it back', async () => {
    const { lab, sha } = await learned();
    await lab.dream.restore(sha);
    expect(await lab.ask()).toEqual({ kind: 'skipped', entries: 2 });
    const words = asked(lab.requests[3]);
    expect(words).toContain('The person rejected these; bring them back only if newer entries say so.');
    expect(words).toContain(
      'must not come back to memory/MEMORY.md: "- The person likes green tea", made of entries up to 2',
    );
    expect(lab.read('memory/MEMORY.md')).not.toContain('green tea');
  });

  it('stays undone when other news come', async () => {
    const { lab, sha } = await learned();
    await lab.dream.restore(sha);
    await remembered(lab, '- The build takes four minutes');
    expect(await lab.byItself()).toEqual({ kind: 'skipped', entries: 3 });
    expect(lab.read('memory/MEMORY.md')).not.toContain('green tea');
  });

  it('comes back where newer entries say so', async () => {
    const { lab, sha } = await learned();
    await lab.dream.restore(sha);
    await remembered(lab, '- The person said that they do like green tea');
    lab.replies.splice(0, lab.replies.length, ...lab.requests.map(() => ''), ...stubborn);
    expect(await lab.byItself()).toMatchObject({ kind: 'learned', entries: 3 });
    expect(lab.read('memory/MEMORY.md')).toContain('green tea');
  });

  it('may be brought back by undoing the undo, and is then no longer rejected', async () => {
    const { lab, sha } = await learned();
    const undone = await lab.dream.restore(sha);
    await lab.dream.restore(undone.commit?.sha ?? '');
    expect(lab.read('memory/MEMORY.md')).toContain('green tea');
    expect(await lab.git.rejections()).toEqual([]);
    expect(await lab.history.dreamCursor()).toBe(2);
    expect(await lab.byItself()).toEqual({ kind: 'nothing', entries: 0 });
  });

  it('does not stop what a Dream in between learned', async () => {
    const { lab, sha } = await learned();
    await remembered(lab, '- The build takes four minutes');
    lab.replies.splice(
      0,
      lab.replies.length,
      ...lab.requests.map(() => ''),
      '[MEMORY] The build takes four minutes',
      edits('memory/MEMORY.md', ['', '- The build takes four minutes']),
      'Written.',
    );
    expect(await lab.byItself()).toMatchObject({ kind: 'learned' });
    const { conflicts, cursor } = await lab.dream.restore(sha);
    expect(conflicts).toEqual([]);
    expect(cursor).toBeUndefined();
    expect(lab.read('memory/MEMORY.md')).toContain('four minutes');
    expect(lab.read('memory/MEMORY.md')).not.toContain('green tea');
    expect(await lab.byItself()).toEqual({ kind: 'nothing', entries: 0 });
  });
});

describe('undoing a Dream', () => {
  it('waits for one that runs, and saves what is unsaved first', async () => {
    const { lab, sha } = await learned();
    let unsaved = true;
    const editors = {
      unsaved: (paths: string[]) => Promise.resolve(unsaved ? paths.slice(2) : []),
      save: () => {
        unsaved = false;
        lab.write('memory/MEMORY.md', `# Mine\n${lab.read('memory/MEMORY.md')}`);
        return Promise.resolve();
      },
    };
    const other = dreamLab({ home: lab.home, replies: [() => new Promise(() => undefined)], deps: { editors } });
    await remembered(lab, '- three');
    const running = other.ask();
    await until('request 1', () => other.requests.length === 1);
    await expect(lab.dream.restore(sha)).rejects.toThrow('A Dream is running. Wait until it has ended');
    await expect(other.dream.restore(sha)).rejects.toThrow('A Dream is running.');
    await other.dream.dispose();
    await running;
    unsaved = true;
    const idle = dreamLab({ home: lab.home, deps: { editors } });
    await idle.dream.restore(sha);
    expect(lab.read('memory/MEMORY.md')).toMatch(/^# Mine\n/);
    expect(lab.read('memory/MEMORY.md')).not.toContain('green tea');
  });

  it('while one works on another batch ends that one, since it stands on what was undone', async () => {
    const { lab, sha } = await learned();
    await remembered(lab, '- The build takes four minutes');
    lab.replies.splice(
      0,
      lab.replies.length,
      '',
      '',
      '',
      '[MEMORY] The build takes four minutes',
      async () => {
        await lab.git.restore(sha);
        return edits('memory/MEMORY.md', ['', '- The build takes four minutes']);
      },
      'ok',
    );
    expect(await lab.ask()).toMatchObject({
      kind: 'failed',
      reason: saying('A Dream was undone while this one worked'),
    });
    expect(lab.read('memory/MEMORY.md')).not.toContain('four minutes');
    expect(lab.read('.nanobot/dream.json')).not.toContain('strikes');
  });
});
