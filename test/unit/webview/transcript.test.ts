import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { answer, AT, diff, richState, richText, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const article = (id: string) => chat.page.locator(`[role="article"][data-message-id="${id}"]`);
const log = () => chat.page.getByRole('log', { name: 'Conversation' });

describe('messages', () => {
  it('are articles with the name of who speaks, an id and a status', async () => {
    await open({ state: richState });
    expect(
      await log()
        .getByRole('article')
        .evaluateAll((all) => all.map((a) => [a.ariaLabel, a.dataset['messageId'], a.dataset['status']])),
    ).toEqual([
      ['You', 'u1', 'done'],
      ['Nanobot', 'a1', 'done'],
    ]);
  });

  it('stream into the last article and end with its status', async () => {
    await open();
    await chat.frame({ type: 'turn_start', turnId: 't', at: AT }, { type: 'message_start', id: 'a', at: AT });
    await chat.frame({ type: 'text', text: 'Hel' });
    expect(await article('a').innerText()).toBe('Hel');
    expect(await article('a').getAttribute('data-status')).toBe('streaming');
    await chat.frame(
      { type: 'text', text: 'lo **you' },
      { type: 'text', text: '**' },
      { type: 'message_end', id: 'a', status: 'done' },
    );
    expect(await article('a').innerText()).toBe('Hello you');
    expect(await article('a').getAttribute('data-status')).toBe('done');
  });

  it('start anew after a broken stream', async () => {
    await open();
    await chat.frame({ type: 'message_start', id: 'a', at: AT }, { type: 'text', text: 'Half a' });
    await chat.frame(
      { type: 'message_reset', id: 'a' },
      { type: 'text', text: 'Whole.' },
      { type: 'message_end', id: 'a', status: 'done' },
    );
    expect(await article('a').innerText()).toBe('Whole.');
  });

  it('are not touched any more when they are finished', async () => {
    await open({ state: richState });
    await chat.page.evaluate(() => {
      const records = Object.assign(window, { touched: [] as MutationRecord[] }).touched;
      const finished = document.querySelector('[data-message-id="a1"]');
      if (finished)
        new MutationObserver((list) => records.push(...list)).observe(finished, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        });
    });
    await chat.frame({ type: 'user_message', id: 'u2', text: 'More', at: AT, attachments: [] });
    await chat.frame({ type: 'turn_start', turnId: 't2', at: AT }, { type: 'message_start', id: 'a2', at: AT });
    for (const text of ['One ', 'two ', 'three']) await chat.frame({ type: 'text', text });
    await chat.frame(
      { type: 'message_end', id: 'a2', status: 'done' },
      { type: 'turn_end', turnId: 't2', status: 'done', ms: 5 },
    );
    expect(await chat.page.evaluate(() => (window as unknown as { touched: unknown[] }).touched.length)).toBe(0);
  });

  it('show a stopped answer and keep what it said', async () => {
    await open({ state: { messages: [userMessage('u', 'Hi'), answer('a', 'I was', { status: 'aborted' })] } });
    expect(await article('a').innerText()).toMatch(/I was\s+Stopped/);
  });

  it('fold the thinking and hold its text only while it is open', async () => {
    await open({ state: richState });
    const thinking = article('a1').locator('details.thinking');
    expect(await thinking.evaluate((element) => element.textContent)).toBe('Thought');
    await thinking.locator('summary').click();
    await thinking.getByText('The regular expression wants a unit.').waitFor();
  });

  it('name the attached files, which open by a click', async () => {
    const attachments = [{ path: '/w/a.ts', label: 'a.ts', startLine: 3, endLine: 9 }];
    await open({ state: { messages: [{ ...userMessage('u', 'Look'), attachments }] } });
    await article('u').getByRole('button', { name: 'a.ts:3–9' }).click();
    expect(await chat.waitFor('openFile')).toEqual([{ type: 'openFile', path: '/w/a.ts', line: 3 }]);
  });

  it('cut a long name of an attached file with an ellipsis', async () => {
    const attachments = [{ path: '/w/long.ts', label: `${'a-long-name-'.repeat(10)}.ts` }];
    await open({ width: 300, state: { messages: [{ ...userMessage('u', 'Look'), attachments }] } });
    const name = article('u').getByRole('button').locator('bdi');
    expect(await name.evaluate((one) => getComputedStyle(one).textOverflow)).toBe('ellipsis');
    expect(await name.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true);
  });
});

describe('the buttons of a message', () => {
  it('appear under the pointer: Retry and Copy on answers, Edit and resend on prompts', async () => {
    await open({ state: richState });
    expect(await chat.page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
    await article('a1').hover();
    await article('a1').getByRole('button', { name: 'Retry' }).click();
    expect(await chat.waitFor('retry')).toEqual([{ type: 'retry', messageId: 'a1' }]);
    await article('u1').hover();
    await article('u1').getByRole('button', { name: 'Copy' }).click();
    expect(await chat.waitFor('copy')).toEqual([
      { type: 'copy', text: 'Why does "90" give a tea no time to steep? Please fix it.' },
    ]);
    await article('u1').getByRole('button', { name: 'Copied' }).waitFor();
  });

  it('are reached by the keyboard: ↑ goes through the messages, Tab into the buttons', async () => {
    await open({ state: richState });
    await log().focus();
    await chat.page.keyboard.press('ArrowUp');
    await chat.page.keyboard.press('ArrowUp');
    expect(await chat.page.evaluate(() => document.activeElement?.getAttribute('data-message-id'))).toBe('u1');
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    await chat.page.getByRole('textbox', { name: 'Edit message' }).waitFor();
  });

  it('edit a prompt in place and send it anew', async () => {
    await open({ state: richState });
    await article('u1').hover();
    await article('u1').getByRole('button', { name: 'Edit and resend' }).click();
    const box = article('u1').getByRole('textbox', { name: 'Edit message' });
    await box.fill('Fix the parser.');
    await article('u1').getByRole('button', { name: 'Resend' }).click();
    expect(await chat.waitFor('resend')).toEqual([
      { type: 'resend', messageId: 'u1', text: 'Fix the parser.', session: richState.session?.key },
    ]);
    expect(await box.count()).toBe(0);
  });

  it('offer no Retry while a turn runs', async () => {
    await open({ state: { ...richState, turn: { id: 't', startedAt: AT, steps: 0 } } });
    await article('a1').hover();
    await article('a1').getByRole('button', { name: 'Copy', exact: true }).first().waitFor();
    expect(await article('a1').getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });
});

describe('Markdown in an answer', () => {
  it('opens addresses and files through the host', async () => {
    await open({ state: richState });
    await article('a1').getByRole('link', { name: 'https://nodejs.org/api/test.html' }).click();
    expect(await chat.waitFor('openLink')).toEqual([{ type: 'openLink', href: 'https://nodejs.org/api/test.html' }]);
    await article('a1').getByRole('link', { name: 'src/duration.js:5' }).click();
    await article('a1').getByRole('link', { name: 'the notes' }).focus();
    await chat.page.keyboard.press('Enter');
    await article('a1').getByRole('link', { name: 'src/teas.js:14' }).click();
    expect(await chat.waitFor('openFile', 3)).toEqual([
      { type: 'openFile', path: 'src/duration.js', line: 5 },
      { type: 'openFile', path: 'docs/notes.md' },
      { type: 'openFile', path: 'src/teas.js', line: 14 },
    ]);
  });

  it('copies a code block by a button that pointer and keyboard reach', async () => {
    await open({ state: richState });
    const block = article('a1').locator('figure.code');
    expect(await block.getAttribute('data-lang')).toBe('js');
    expect(await block.getByRole('button').count()).toBe(0);
    await block.locator('pre').focus();
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    const code = /```js\n([\s\S]*?)\n```/.exec(richText)?.[1];
    expect(await chat.waitFor('copy')).toEqual([{ type: 'copy', text: code }]);
  });

  it('leaves diagrams and formulas as source with a way to the preview', async () => {
    await open({ state: { messages: [answer('a', '```mermaid\ngraph LR\n  A --> B\n```\n\n$$\na^2\n$$\n')] } });
    for (const link of await article('a').getByRole('link', { name: 'Open in preview' }).all()) await link.click();
    expect((await chat.waitFor('openPreview', 2)).map(({ markdown }) => markdown)).toEqual([
      '```mermaid\ngraph LR\n  A --> B\n```\n',
      '$$\na^2\n$$\n',
    ]);
  });

  it('scrolls wide tables and code inside, never the page', async () => {
    const wide = `| ${'column '.repeat(30)}| b |\n|---|---|\n| ${'x'.repeat(300)} | y |\n\n\`\`\`\n${'z'.repeat(400)}\n\`\`\`\n`;
    await open({ width: 300, state: { messages: [answer('a', wide)] } });
    expect(await chat.page.evaluate(() => document.documentElement.scrollWidth)).toBe(300);
    expect(await log().evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
  });

  it('shows a remote picture as a link that names its host', async () => {
    await open({ state: { messages: [answer('a', '![a cat](https://pics.example/cat.png)')] } });
    await article('a').getByRole('link', { name: 'Load image from pics.example: a cat' }).click();
    expect(await chat.waitFor('openLink')).toEqual([{ type: 'openLink', href: 'https://pics.example/cat.png' }]);
    expect(chat.requests).toEqual([]);
  });
});

describe('tool calls', () => {
  it('are one line with name, status and time; the rest unfolds', async () => {
    await open({ state: richState });
    const edit = article('a1').locator('[data-tool="edit_file"]');
    expect(await edit.getAttribute('data-status')).toBe('ok');
    expect(await edit.locator('summary').innerText()).toMatch(/Edit src\/duration\.js, \+2 −1\s+0\.1 s/);
    expect(await edit.locator('pre').count()).toBe(0);
    await edit.locator('summary').click();
    await edit.getByText('"old_text": "return 0"').waitFor();
    expect(await edit.locator('.diff .added').innerText()).toContain('+  const factor');
    expect(await edit.locator('.diff .removed').innerText()).toBe('-  if (!match) return 0;\n');
    expect(await edit.locator('.diff .file').innerText()).toContain('--- a/src/duration.js');
  });

  it('open the file they touched at its line', async () => {
    await open({ state: richState });
    await article('a1').locator('[data-tool="read_file"]').getByRole('button', { name: 'duration.js:1' }).click();
    expect(await chat.waitFor('openFile')).toEqual([{ type: 'openFile', path: '/work/src/duration.js', line: 1 }]);
  });

  it('tell a screen reader how long they took once they are over, and no second before that', async () => {
    await open();
    await chat.page.clock.install({ time: AT });
    await chat.frame({ type: 'turn_start', turnId: 't', at: AT }, { type: 'message_start', id: 'a', at: AT });
    await chat.frame(
      { type: 'message_end', id: 'a', status: 'done' },
      { type: 'tool_start', callId: 'c', name: 'exec', summary: 'npm test', args: '{}', at: AT },
    );
    const call = article('a').locator('[data-tool="exec"] summary');
    await chat.page.clock.runFor(3_000);
    await call.getByText(/^\d+ s$/).waitFor();
    expect(await call.getAttribute('aria-label')).toBe('Run npm test, Running');
    const end = { type: 'tool_end', callId: 'c', status: 'ok', summary: 'npm test', ms: 61_000, output: '' } as const;
    await chat.send({ type: 'frame', n: 4, events: [end] });
    await chat.page.clock.runFor(100);
    expect(await call.getAttribute('aria-label')).toBe('Run npm test, 1 min 1 s, Done');
  });

  it('show the live tail while they run and the result when they end', async () => {
    await open();
    await chat.frame({ type: 'turn_start', turnId: 't', at: AT }, { type: 'message_start', id: 'a', at: AT });
    await chat.frame(
      { type: 'message_end', id: 'a', status: 'done' },
      { type: 'tool_start', callId: 'c', name: 'exec', summary: 'npm test', args: '{}', at: AT },
    );
    const call = article('a').locator('[data-tool="exec"]');
    expect(await call.getAttribute('data-status')).toBe('running');
    await chat.frame({ type: 'tool_update', callId: 'c', tail: 'ok 1\nok 2' });
    expect(await call.locator('.tail').innerText()).toBe('ok 1\nok 2');
    await chat.frame({
      type: 'tool_end',
      callId: 'c',
      status: 'error',
      summary: 'npm test: 1 failed',
      ms: 61_000,
      output: 'not ok',
      diff,
    });
    expect(await call.getAttribute('data-status')).toBe('error');
    expect(await call.locator('summary').innerText()).toMatch(/Run npm test: 1 failed\s+1 min 1 s/);
    expect(await call.locator('.tail').count()).toBe(0);
  });
});

describe('what a turn changed', () => {
  it('is a list with + and −, opens by a click, and can be kept or undone', async () => {
    await open({ state: richState });
    const list = article('a1').getByRole('region', { name: '2 files changed' });
    expect(await list.innerText()).toMatch(/src\/duration\.js\s+\+2\s+−1/);
    await list.getByText('test/duration.test.js').click();
    await list.getByRole('button', { name: 'Review', exact: true }).click();
    await list.getByRole('button', { name: 'Keep', exact: true }).click();
    await list.getByRole('button', { name: 'Undo', exact: true }).click();
    expect(await chat.waitFor('openFile')).toEqual([{ type: 'openFile', path: '/work/test/duration.test.js' }]);
    expect(await chat.waitFor('reviewTurn')).toEqual([{ type: 'reviewTurn', turnId: 't1' }]);
    expect(await chat.waitFor('keepTurn')).toEqual([{ type: 'keepTurn', turnId: 't1' }]);
    expect(await chat.waitFor('undoTurn')).toEqual([{ type: 'undoTurn', turnId: 't1' }]);
    await chat.frame({ type: 'changes_settled', turnId: 't1', outcome: 'undone' });
    expect(await list.innerText()).toContain('Undone');
    expect(await list.getByRole('button', { name: 'Keep' }).count()).toBe(0);
  });

  it('is decided on file by file, and over when the last one is', async () => {
    await open({ state: richState });
    const list = article('a1').getByRole('region', { name: '2 files changed' });
    const [one, other] = ['/work/src/duration.js', '/work/test/duration.test.js'];
    await list.getByRole('button', { name: 'Undo src/duration.js' }).click();
    await list.getByRole('button', { name: 'Review changes of src/duration.js' }).click();
    expect(await chat.waitFor('undoTurn')).toEqual([{ type: 'undoTurn', turnId: 't1', paths: [one] }]);
    expect(await chat.waitFor('reviewTurn')).toEqual([{ type: 'reviewTurn', turnId: 't1', path: one }]);
    await chat.frame({ type: 'changes_settled', turnId: 't1', outcome: 'undone', paths: [one] });
    expect(await list.getByText('Undone').count()).toBe(1);
    await list.getByRole('button', { name: 'Keep test/duration.test.js' }).click();
    expect(await chat.waitFor('keepTurn')).toEqual([{ type: 'keepTurn', turnId: 't1', paths: [other] }]);
    await chat.frame({ type: 'changes_settled', turnId: 't1', outcome: 'kept', paths: [other] });
    expect(await list.getByRole('button', { name: /Keep|Undo/ }).count()).toBe(0);
    expect(await list.locator('header').innerText()).toContain('Kept');
  });

  it('lists ten files at first and the rest on demand', async () => {
    const changes = Array.from({ length: 12 }, (_, n) => {
      const label = `f${String(n)}.txt`;
      return { path: `/work/${label}`, label, added: 1, removed: 0, kind: 'changed' as const };
    });
    await open({ state: { messages: [answer('a', 'Done.', { turn: { id: 't', ms: 1, changes } })] } });
    const list = article('a').getByRole('region', { name: '12 files changed' });
    expect(await list.getByRole('group').count()).toBe(10);
    await list.getByRole('button', { name: 'Show 2 more files' }).click();
    expect(await list.getByRole('group').count()).toBe(12);
  });
});

describe('going back to before a message', () => {
  const plan = {
    messageId: 'u1',
    messages: 3,
    files: [
      { path: '/work/a.txt', label: 'a.txt', kind: 'put back' as const, changedSince: true },
      { path: '/work/new.txt', label: 'new.txt', kind: 'removed' as const, changedSince: false },
    ],
  };
  const state = { messages: richState.messages ?? [] };
  const ask = async () => {
    await article('u1').hover();
    await article('u1').getByRole('button', { name: 'Restore to before this message' }).click();
    expect(await chat.waitFor('planRestore')).toEqual([{ type: 'planRestore', messageId: 'u1', for: 'restore' }]);
    await chat.send({ type: 'restorePlan', plan, for: 'restore' });
    return chat.page.getByRole('group', { name: 'Restore', exact: true });
  };

  it('says what would change, shows it, and does what is chosen', async () => {
    await open({ state });
    const card = await ask();
    expect(await card.innerText()).toMatch(/3 messages would leave the conversation; 2 files would change/);
    expect(await card.innerText()).toMatch(/a\.txt put back\s+changed since by others/);
    await card.getByRole('button', { name: 'Show changes' }).click();
    expect(await chat.waitFor('reviewRestore')).toEqual([{ type: 'reviewRestore', messageId: 'u1' }]);
    await card.getByRole('button', { name: 'Restore files' }).click();
    expect(await chat.waitFor('restore')).toEqual([{ type: 'restore', messageId: 'u1', what: 'files' }]);
    expect(await card.count()).toBe(0);
  });

  it('is left by Escape, and the focus goes back to the composer', async () => {
    await open({ state });
    const card = await ask();
    await chat.page.keyboard.press('Escape');
    expect(await card.count()).toBe(0);
    expect(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message Nanobot');
  });

  it('is offered for the files when a message is edited', async () => {
    await open({ state });
    await article('u1').hover();
    await article('u1').getByRole('button', { name: 'Edit and resend' }).click();
    expect(await chat.waitFor('planRestore')).toEqual([{ type: 'planRestore', messageId: 'u1', for: 'edit' }]);
    await chat.send({ type: 'restorePlan', plan, for: 'edit' });
    await article('u1').getByRole('checkbox', { name: 'Put 2 files back first' }).check();
    await article('u1').getByRole('button', { name: 'Resend' }).click();
    expect(await chat.waitFor('resend')).toMatchObject([{ type: 'resend', messageId: 'u1', files: true }]);
  });

  it('stays away when the edit that asked is over before the answer comes', async () => {
    await open({ state });
    await article('u1').hover();
    await article('u1').getByRole('button', { name: 'Edit and resend' }).click();
    const { for: use = 'restore' } = (await chat.waitFor('planRestore'))[0] ?? {};
    const field = article('u1').getByRole('textbox');
    await field.and(chat.page.locator(':focus')).waitFor();
    await chat.page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await chat.send({ type: 'restorePlan', plan, for: use });
    await chat.frame({ type: 'message_start', id: 'later', at: AT });
    expect(await chat.page.getByRole('group', { name: 'Restore', exact: true }).count()).toBe(0);
  });

  it('forks from a message', async () => {
    await open({ state });
    await article('a1').hover();
    await article('a1').getByRole('button', { name: 'Fork from here' }).click();
    expect(await chat.waitFor('fork')).toEqual([{ type: 'fork', messageId: 'a1' }]);
  });
});

describe('errors and notices', () => {
  it('say what failed and offer the next step', async () => {
    const error = { code: 'auth', message: 'The key was refused.', next: ['setKey', 'retry', 'openLog'] as const };
    await open({
      state: {
        messages: [answer('a', '', { parts: [], status: 'error', error: { ...error, next: [...error.next] } })],
      },
    });
    await article('a').getByRole('button', { name: 'Set key' }).click();
    await article('a').getByRole('button', { name: 'Retry' }).first().click();
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'setKey' }]);
    expect(await chat.waitFor('retry')).toEqual([{ type: 'retry', messageId: 'a' }]);
  });

  it('show a notice until it ends or is dismissed', async () => {
    await open();
    await chat.frame({
      type: 'notice',
      notice: { id: 'n', level: 'warning', text: 'No ripgrep.', next: ['openSettings'] },
    });
    const notice = chat.page.locator('[data-notice="n"]');
    await notice.getByRole('button', { name: 'Open settings' }).click();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'openSettings', noticeId: 'n' }]);
    expect(await chat.waitFor('dismissNotice')).toEqual([{ type: 'dismissNotice', id: 'n' }]);
    await chat.frame({ type: 'notice_end', id: 'n' });
    expect(await notice.count()).toBe(0);
  });
});
