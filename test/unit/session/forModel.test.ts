import { describe, expect, it } from 'vitest';
import { tempHome } from '../../support/tempHome.js';
import { assistant, openStore, user } from './setup.js';

describe('what the model is sent of a session', () => {
  it('begins at the message that is named, and at what is not consolidated where that is later or gone', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    const stored = await session.append([
      user('a'),
      assistant('b'),
      user('c'),
      assistant('d'),
      user('e'),
      assistant('f'),
    ]);
    const id = (index: number) => stored[index]?.id;
    const sent = (from?: string) => session.forModel(from).map((message) => message.content);
    expect(sent(id(2))).toEqual(['c', 'd', 'e', 'f']);
    expect(sent('unknown')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await session.setMetadata({}, { lastConsolidated: 4 });
    expect(sent(id(2))).toEqual(['e', 'f']);
    await session.hide(4, 6);
    expect(sent(id(4))).toEqual([]);
  });
});

describe('how many articles a session has', () => {
  it('follows what is added, hidden and read anew, and leaves out results', async () => {
    const { home } = await tempHome();
    const session = await openStore(home).store.open('cli:direct');
    const counts = [session.articleCount()];
    const tool = { role: 'tool' as const, content: 'src', tool_call_id: 'call', timestamp: '2026-03-01T10:00:00Z' };
    await session.append([user('a'), assistant('b'), tool, assistant('c')]);
    counts.push(session.articleCount());
    await session.append([user('d')]);
    counts.push(session.articleCount());
    await session.hide(1, 3);
    counts.push(session.articleCount());
    expect(counts).toEqual([0, 3, 4, 3]);
    await session.release();
    const again = await openStore(home).store.open('cli:direct');
    expect(again.articleCount()).toBe(again.visible().filter((message) => message.role !== 'tool').length);
  });
});
