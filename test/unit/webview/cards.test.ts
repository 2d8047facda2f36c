import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/protocol/event.js';
import { AT, diff, userMessage } from '../../support/conversations.js';
import { openLab, type ChatPageUnderTest, type OpenOptions, type PageLab } from '../../support/pageHarness.js';
import { until } from '../../support/until.js';

let lab: PageLab;
let chat: ChatPageUnderTest;
beforeAll(async () => void (lab = await openLab()));
afterAll(() => lab.close());
afterEach(() => chat.close());

const open = async (options?: OpenOptions) => (chat = await lab.open(options));
const approval = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: 'p1',
  callId: 'c',
  tool: 'exec',
  title: 'Run a command',
  detail: 'npm test',
  reasons: [],
  rules: [
    { id: 'exact', label: '`npm test` exactly' },
    { id: 'prefix', label: 'commands that start with `npm`' },
  ],
  ...more,
});
const card = () => chat.page.getByRole('group', { name: 'Approval' });
const press = (name: string) => card().getByRole('button', { name, exact: true }).click();

describe('an approval', () => {
  it('shows the command whole, with the reasons, and marks the tool call as waiting', async () => {
    const detail = Array.from({ length: 200 }, (_, line) => `echo ${line}`).join('\n');
    await open();
    await chat.frame(
      { type: 'message_start', id: 'a', at: AT },
      { type: 'tool_start', callId: 'c', name: 'exec', summary: 'Run', args: '{}', at: AT },
      { type: 'approval_start', approval: approval({ detail, reasons: ['Deletes recursively'] }) },
    );
    expect(await card().locator('.detail').textContent()).toBe(detail);
    expect(
      await card()
        .locator('.detail')
        .evaluate((pre) => pre.scrollHeight > pre.clientHeight),
    ).toBe(true);
    expect(await card().innerText()).toContain('Deletes recursively');
    expect(await chat.page.locator('[data-tool="exec"][data-status="waiting"]').count()).toBe(1);
    expect(await card().getByRole('button', { name: 'Deny' }).isVisible()).toBe(true);
  });

  it('is allowed once, and a second press answers nothing else', async () => {
    await open({ state: { approvals: [approval()] } });
    await card().getByRole('button', { name: 'Allow', exact: true }).dblclick();
    expect(await chat.waitFor('approval')).toEqual([{ type: 'approval', id: 'p1', decision: { kind: 'allow' } }]);
    await chat.frame({ type: 'approval_end', id: 'p1', decision: 'allowed' });
    expect(await card().count()).toBe(0);
  });

  it('is denied', async () => {
    await open({ state: { approvals: [approval()] } });
    await press('Deny');
    expect(await chat.waitFor('approval')).toEqual([{ type: 'approval', id: 'p1', decision: { kind: 'deny' } }]);
  });

  it('is allowed always by a rule and a scope, the narrowest first', async () => {
    await open({ state: { approvals: [approval()] } });
    await press('Allow always…');
    expect(await card().getByRole('radio', { checked: true }).count()).toBe(2);
    expect(await card().getByLabel('`npm test` exactly').isChecked()).toBe(true);
    expect(await card().getByLabel('This session').isChecked()).toBe(true);
    await card().getByLabel('commands that start with `npm`').check();
    await card().getByLabel('This workspace').check();
    await press('Confirm');
    expect(await chat.waitFor('approval')).toEqual([
      { type: 'approval', id: 'p1', decision: { kind: 'always', ruleId: 'prefix', scope: 'workspace' } },
    ]);
  });

  it('offers no rule where there is none', async () => {
    await open({ state: { approvals: [approval({ rules: [] })] } });
    expect(await card().getByRole('button').count()).toBe(2);
  });

  it('leaves the focus where the person types and is reached by Alt+A', async () => {
    await open();
    const box = chat.page.getByRole('textbox', { name: 'Message Nanobot' });
    await box.pressSequentially('I am ty');
    await chat.frame({ type: 'approval_start', approval: approval() });
    await chat.page.keyboard.type('ping');
    expect(await box.inputValue()).toBe('I am typing');
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('approval')).toEqual([{ type: 'approval', id: 'p1', decision: { kind: 'allow' } }]);
  });

  it('comes before the composer in the tab order', async () => {
    await open({ state: { approvals: [approval()] } });
    await chat.page.getByRole('textbox', { name: 'Message Nanobot' }).focus();
    await chat.page.keyboard.press('Shift+Tab');
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('approval')).toEqual([{ type: 'approval', id: 'p1', decision: { kind: 'deny' } }]);
  });

  it('shows the diff of an edit', async () => {
    await open({ state: { approvals: [approval({ title: 'Edit a file', detail: 'src/duration.js', diff })] } });
    expect(await card().locator('.diff .added').count()).toBe(1);
  });

  it('waits its turn behind another', async () => {
    await open({ state: { approvals: [approval(), approval({ id: 'p2', detail: 'npm publish' })] } });
    expect(await card().innerText()).toContain('1 more waiting');
    await chat.frame({ type: 'approval_end', id: 'p1', decision: 'denied' });
    expect(await card().innerText()).toContain('npm publish');
    expect(await card().getByRole('button', { name: 'Allow', exact: true }).isEnabled()).toBe(true);
  });
});

describe('a question', () => {
  const question = { id: 'q', callId: 'c', text: 'Which runner?', options: ['node:test', 'vitest'] };
  const group = () => chat.page.getByRole('group', { name: 'Question' });

  it('is answered by an option', async () => {
    await open({ state: { questions: [question] } });
    await group().getByRole('button', { name: 'vitest' }).click();
    expect(await chat.waitFor('answer')).toEqual([{ type: 'answer', id: 'q', text: 'vitest' }]);
    await chat.frame({ type: 'question_end', id: 'q', answer: 'vitest' });
    expect(await group().count()).toBe(0);
  });

  it('is answered in one’s own words', async () => {
    await open({ state: { questions: [question] } });
    await group().getByRole('textbox', { name: 'Your own answer' }).fill('neither');
    await chat.page.keyboard.press('Enter');
    expect(await chat.waitFor('answer')).toEqual([{ type: 'answer', id: 'q', text: 'neither' }]);
  });
});

describe('the tasks', () => {
  it('update in place and stay folded or unfolded', async () => {
    await open();
    await chat.frame({
      type: 'todo',
      items: [
        { text: 'Read', status: 'in_progress' },
        { text: 'Write', status: 'pending' },
      ],
    });
    const todo = chat.page.locator('.todo');
    expect(await todo.innerText()).toMatch(/Tasks 0 of 2\s+Read/);
    await todo.locator('summary').click();
    await chat.frame({
      type: 'todo',
      items: [
        { text: 'Read', status: 'done' },
        { text: 'Write', status: 'in_progress' },
      ],
    });
    expect(await todo.evaluate((element) => (element as HTMLDetailsElement).open)).toBe(true);
    expect(
      await todo.locator('li').evaluateAll((items) => items.map((item) => item.getAttribute('data-status'))),
    ).toEqual(['done', 'in_progress']);
    await chat.frame({ type: 'todo', items: [] });
    expect(await todo.count()).toBe(0);
  });
});

describe('bars', () => {
  it('count down to a retry that can be cancelled', async () => {
    const retry = { until: Date.now() + 90_000, attempt: 2, reason: 'The provider is overloaded.' };
    await open({ state: { retry } });
    const bar = chat.page.locator('[data-retry]');
    const seconds = async () => {
      const words = /^The provider is overloaded\. Trying again in (\d+) s \(attempt 2\)\./.exec(await bar.innerText());
      return Number(words?.[1]);
    };
    const first = await seconds();
    expect(first).toBeGreaterThan(0);
    await until('the next second', async () => (await seconds()) < first);
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await chat.waitFor('cancelRetry');
    await chat.frame({ type: 'retry_end' });
    expect(await bar.count()).toBe(0);
  });

  it('offer to resume an interrupted turn', async () => {
    const session = { key: 'k', title: 'T', readOnly: false, interrupted: true };
    await open({ state: { session, messages: [userMessage('u', 'Go on')] } });
    expect(await chat.page.getByText('This turn was interrupted').count()).toBe(1);
    await chat.page.getByRole('button', { name: 'Resume' }).click();
    expect(await chat.waitFor('next')).toEqual([{ type: 'next', step: 'resume' }]);
    await chat.frame({ type: 'turn_start', turnId: 't', at: AT });
    expect(await chat.page.getByText('This turn was interrupted').count()).toBe(0);
  });
});
