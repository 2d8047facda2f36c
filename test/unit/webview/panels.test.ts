import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionRow } from '../../../src/protocol/wire.js';
import { longConversation } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const button = (name: string) => chat.page.getByRole('button', { name, exact: true });

describe('the session switcher', () => {
  const row = (key: string, title: string): SessionRow => ({
    key,
    title,
    updatedAt: Date.now() - 7_200_000,
    messages: 4,
    busy: false,
    running: false,
  });
  const rows = [row('vscode:1', 'First'), row('vscode:2', 'Second'), row('cli:direct', 'Third')];
  const panel = () => chat.page.getByRole('dialog', { name: 'Sessions' });
  const openPanel = async () => {
    await open();
    await button('Switch session (now New chat)').click();
    expect(await chat.waitFor('listSessions')).toEqual([{ type: 'listSessions', query: '' }]);
    await chat.send({ type: 'sessions', query: '', rows });
    await panel().getByText('Third').waitFor();
    await until('the focus in the search box', () =>
      chat.page.evaluate(() => document.activeElement?.tagName === 'VSCODE-TEXT-FIELD'),
    );
  };

  it('opens a session by the keyboard', async () => {
    await openPanel();
    expect(await panel().locator('li').first().innerText()).toMatch(/First\s+2 h · 4 messages/);
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('openSession')).toEqual([{ type: 'openSession', key: 'vscode:2' }]);
    expect(await panel().count()).toBe(0);
  });

  it('searches and shows the newest answer only', async () => {
    await openPanel();
    await chat.page.keyboard.type('th');
    await until('the search', async () => (await chat.waitFor('listSessions', 2)).at(-1)?.query === 'th');
    await chat.send({
      type: 'sessions',
      query: 'th',
      rows: [{ ...row('cli:direct', 'Third'), match: '…the third way…' }],
    });
    await panel().getByText('…the third way…').waitFor();
    await chat.send({ type: 'sessions', query: 't', rows });
    expect(await panel().locator('li').count()).toBe(1);
  });

  it('sets off what matches, and says while texts are still looked through', async () => {
    await openPanel();
    await chat.page.keyboard.type('zzz');
    await until('the search', async () => (await chat.waitFor('listSessions', 2)).at(-1)?.query === 'zzz');
    await chat.send({ type: 'sessions', query: 'zzz', rows: [], isPart: true });
    await panel().getByText('Searching what was said…').waitFor();
    const found: SessionRow = {
      ...row('vscode:9', '<b>Zebra</b> zoo'),
      titleMarks: [
        [3, 4],
        [13, 14],
      ],
      match: 'so zzz it was',
      matchMarks: [[3, 6]],
    };
    await chat.send({ type: 'sessions', query: 'zzz', rows: [found] });
    await panel().getByText('<b>Zebra</b> zoo').waitFor();
    expect(await panel().locator('mark').allInnerTexts()).toEqual(['Z', 'z', 'zzz']);
    expect(await panel().locator('b:not(.state)').count()).toBe(0);
    await chat.send({ type: 'sessions', query: 'zzz', rows: [] });
    await panel().getByText('No session matches.').waitFor();
  });

  it('shows pinned ones first, then this workspace, and pins by the keyboard', async () => {
    await openPanel();
    const grouped: SessionRow[] = [
      { ...row('a', 'Elsewhere'), project: 'other-app' },
      { ...row('b', 'Here'), here: true },
      { ...row('c', 'Held'), pinned: true, here: true },
    ];
    await chat.send({ type: 'sessions', query: '', rows: grouped });
    const lines = async () => (await panel().locator('li').allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(await lines()).toEqual(['Pinned', 'Held', 'This workspace', 'Here', 'Other workspaces', 'Elsewhere']);
    await panel().getByText('other-app · 2 h · 4 messages').waitFor();
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Alt+p');
    expect(await chat.waitFor('pinSession')).toEqual([{ type: 'pinSession', key: 'b', pinned: true }]);
    expect(await lines()).toEqual(['Pinned', 'Here', 'Held', 'Other workspaces', 'Elsewhere']);
    expect(await panel().locator('[aria-current="true"]').getAttribute('data-session')).toBe('b');
    await chat.page.keyboard.press('Control+Enter');
    expect(await chat.waitFor('openInEditor')).toEqual([{ type: 'openInEditor', key: 'b' }]);
  });

  it('shows live what runs, waits and has ended elsewhere', async () => {
    await openPanel();
    await chat.send({
      type: 'activity',
      sessions: [
        { key: 'cli:direct', title: 'Third', state: 'waiting' },
        { key: 'vscode:2', title: 'Second, named', state: 'running' },
      ],
    });
    await panel().getByText('waiting for approval').waitFor();
    await panel().getByText('Second, named').waitFor();
    await chat.page
      .getByRole('status')
      .filter({ hasText: 'Third: waiting for approval' })
      .waitFor({ state: 'attached' });
    await button('1 other session: waiting for approval, 1 other session: running').waitFor();
    await chat.send({ type: 'activity', sessions: [{ key: 'vscode:2', title: 'Second, named', state: 'finished' }] });
    await panel().getByText('finished', { exact: true }).waitFor();
    expect(await panel().getByText('waiting for approval').count()).toBe(0);
    await chat.send({ type: 'activity', sessions: [{ key: 'vscode:7', title: 'New one', state: 'running' }] });
    // Once as it was opened, and once for each session in which something began.
    await chat.waitFor('listSessions', 3);
  });

  it('draws a thousand sessions as far as they are looked at', async () => {
    await openPanel();
    const thousand = Array.from({ length: 1000 }, (_, n) => row(`vscode:${String(n)}`, `Chat ${String(n)}`));
    await chat.send({ type: 'sessions', query: '', rows: thousand });
    await panel().getByText('Chat 50', { exact: true }).waitFor();
    expect(await panel().locator('li').count()).toBe(60);
    for (let n = 0; n < 100; n++) await chat.page.keyboard.press('ArrowDown');
    await panel().locator('[aria-current="true"]').getByText('Chat 100', { exact: true }).waitFor();
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('openSession')).toEqual([{ type: 'openSession', key: 'vscode:100' }]);
  });

  it('renames', async () => {
    await openPanel();
    await chat.page.keyboard.press('F2');
    const box = panel().getByRole('textbox', { name: 'Rename' });
    await box.fill('Better');
    await box.press('Enter');
    expect(await chat.waitFor('renameSession')).toEqual([{ type: 'renameSession', key: 'vscode:1', title: 'Better' }]);
    await panel().getByText('Better').waitFor();
  });

  it('deletes after a question', async () => {
    await openPanel();
    await panel().getByRole('button', { name: 'Delete Second' }).click();
    await panel().getByRole('button', { name: 'Cancel' }).click();
    expect((await chat.posted()).some(({ type }) => type === 'deleteSession')).toBe(false);
    await panel().getByRole('button', { name: 'Delete Second' }).click();
    await panel().getByRole('button', { name: 'Delete', exact: true }).click();
    expect(await chat.waitFor('deleteSession')).toEqual([{ type: 'deleteSession', key: 'vscode:2' }]);
    expect(await panel().getByText('Second').count()).toBe(0);
  });

  it('closes at Escape and gives the focus back to the composer', async () => {
    await openPanel();
    await chat.page.keyboard.press('Escape');
    expect(await panel().count()).toBe(0);
    await until('the focus', () => chat.page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA'));
  });
});

it('New chat asks the host', async () => {
  await open();
  await button('New chat').click();
  await chat.waitFor('newChat');
});

describe('finding', () => {
  const hit = (index: number) => ({ index, messageId: `m${index}`, excerpt: `number ${index}` });
  const find = async (query: string) => {
    await chat.page.keyboard.press('Control+f');
    await chat.page.getByRole('textbox', { name: 'Find in conversation' }).fill(query);
    const [asked] = await chat.waitFor('find');
    expect(asked?.query).toBe(query);
    return asked?.n ?? 0;
  };
  const found = () => chat.page.locator('[data-found]').getAttribute('data-message-id');

  it('steps through hits in loaded messages and marks them', async () => {
    await open({ height: 400, state: { messages: longConversation(0, 60) } });
    const n = await find('number');
    await chat.send({ type: 'found', n, query: 'number', hits: [hit(3), hit(30), hit(59)] });
    await chat.page.getByText('3 of 3').waitFor();
    expect(await found()).toBe('m59');
    await button('Previous match').click();
    await until('the former hit', async () => (await found()) === 'm30');
    expect(await chat.page.locator('[data-found]').evaluate((element) => element.getBoundingClientRect().top > 0)).toBe(
      true,
    );
    expect(await chat.page.evaluate(() => CSS.highlights.get('nanobot-find')?.size)).toBe(1);
    await chat.page.getByRole('textbox', { name: 'Find in conversation' }).press('Escape');
    expect(await chat.page.locator('[data-found]').count()).toBe(0);
    expect(await chat.page.evaluate(() => CSS.highlights.has('nanobot-find'))).toBe(false);
  });

  it('loads the conversation around a hit that is not loaded', async () => {
    await open({ height: 400, state: { messages: longConversation(120, 200), first: 120, total: 200 } });
    const n = await find('early');
    await chat.send({ type: 'found', n, query: 'early', hits: [hit(12)] });
    expect(await chat.waitFor('goTo')).toEqual([{ type: 'goTo', index: 12 }]);
    await chat.send({
      type: 'loaded',
      direction: 'around',
      first: 0,
      total: 200,
      messages: longConversation(0, 80),
      focus: 12,
    });
    await until('the hit', async () => (await found()) === 'm12');
    const box = await chat.page.locator('[data-found]').boundingBox();
    expect(box && box.y > 0 && box.y < 400).toBe(true);
  });

  it('says when there is nothing, and ignores late answers', async () => {
    await open({ state: { messages: longConversation(0, 4) } });
    const n = await find('nothing');
    await chat.send({ type: 'found', n: n - 1, query: 'old', hits: [hit(1)] });
    await chat.send({ type: 'found', n, query: 'nothing', hits: [] });
    await chat.page.getByText('No results').waitFor();
    expect(await chat.page.locator('[data-found]').count()).toBe(0);
  });
});
