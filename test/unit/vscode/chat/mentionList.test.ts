import { describe, expect, it } from 'vitest';
import type { LanguageSymbol } from '../../../../src/platform/languages.js';
import { nodeFiles } from '../../../../src/platform/nodeFiles.js';
import type { MentionItem, SessionRow } from '../../../../src/protocol/wire.js';
import type { Skill } from '../../../../src/skills/skill.js';
import { MentionList, type MentionDeps } from '../../../../src/vscode/chat/mentionList.js';
import { manualClock } from '../../providers/manualClock.js';
import { makeProject } from '../../../support/project.js';

function setup() {
  const project = makeProject({
    'src/loop.ts': '',
    'home/memory/MEMORY.md': '',
    'home/USER.md': '',
    'home/memory/2026-04-03.md': '',
  });
  const clock = manualClock();
  const asked: string[] = [];
  let answer = (_symbols: LanguageSymbol[]) => undefined as void;
  const deps: MentionDeps = {
    app: {
      home: project.path('home'),
      skills: {
        list: () => [
          {
            name: 'loop-guard',
            path: '/s/SKILL.md',
            description: 'Guards',
            missing: [],
            problems: [],
          } as unknown as Skill,
        ],
      },
      listSessions: () =>
        Promise.resolve([
          { key: 'vscode:1', title: 'Why does the <b>loop</b> end', updatedAt: 0, messages: 2 } as SessionRow,
          { key: 'vscode:2', title: 'loop, empty', updatedAt: 0, messages: 0 } as SessionRow,
        ]),
      log: { warn: (text: string) => void asked.push(text) },
    } as unknown as MentionDeps['app'],
    files: nodeFiles(),
    workspace: project.workspace,
    clock,
    languages: {
      workspaceSymbols: (query) => {
        asked.push(query);
        return new Promise((resolve) => void (answer = resolve));
      },
    },
    fileList: {
      find: (query) =>
        Promise.resolve(query === 'none' ? [] : [{ path: project.path('src/loop.ts'), label: 'src/loop.ts' }]),
    },
    openFiles: () => [project.path('README.md')],
  };
  const lists: MentionItem[][] = [];
  const list = new MentionList(deps);
  const controller = new AbortController();
  const find = (query: string) => list.find(query, (items) => void lists.push(items), controller.signal);
  const labels = () => lists.at(-1)?.map(({ label }) => label);
  return {
    project,
    clock,
    asked,
    lists,
    labels,
    find,
    controller,
    answer: (symbols: LanguageSymbol[]) => answer(symbols),
  };
}

describe('what @ offers', () => {
  it('is the open files where nothing is typed yet', async () => {
    const { find, labels } = setup();
    await find('');
    expect(labels()).toEqual(['README.md']);
  });

  it('is files at once, and below them what takes longer', async () => {
    const { find, lists, labels, clock, asked, answer, project } = setup();
    const done = find('loop');
    await expect.poll(() => lists.length).toBeGreaterThanOrEqual(3);
    expect(lists[0]?.map(({ label }) => label)).toEqual(['src/loop.ts']);
    expect(asked).toEqual([]);
    await clock.advance(200);
    await expect.poll(() => asked).toEqual(['loop']);
    const own = { name: 'loop', kind: 'function', path: project.path('src/loop.ts'), line: 3, column: 1 };
    answer([{ ...own, name: 'other' }, { ...own, path: '/lib/loop.d.ts' }, own]);
    await done;
    expect(labels()).toEqual(['src/loop.ts', 'loop-guard', 'Why does the <b>loop</b> end', 'loop']);
    expect(lists.at(-1)?.at(-1)).toMatchObject({ kind: 'symbol', line: 3, detail: 'function, src/loop.ts:3' });
  });

  it('asks no language service for what was typed over at once', async () => {
    const { find, lists, clock, asked, controller } = setup();
    const done = find('lo');
    await expect.poll(() => lists.length).toBeGreaterThan(0);
    controller.abort();
    const shown = lists.length;
    await clock.advance(1_000);
    await done;
    expect(asked).toEqual([]);
    expect(lists).toHaveLength(shown);
  });

  it('is narrowed by a kind, and empty where there is nothing of it', async () => {
    const { find, labels, lists } = setup();
    await find('memory:');
    expect(labels()).toEqual(['memory/MEMORY.md', 'USER.md', 'memory/2026-04-03.md']);
    await find('skill:guard');
    expect(lists.at(-1)).toEqual([{ kind: 'skill', path: '/s/SKILL.md', label: 'loop-guard', detail: 'Guards' }]);
    await find('session:zzz');
    expect(labels()).toEqual([]);
  });
});
