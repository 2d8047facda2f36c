import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startModelServer, type ModelServer } from '../support/modelServer.js';
import { repairModel } from '../support/repairModel.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

let workbench: Workbench | undefined;
let server: ModelServer | undefined;
let copy = '';

afterEach(async () => {
  await workbench?.close();
  await server?.close();
  if (copy) rmSync(copy, { recursive: true, force: true });
});

const python = {
  'shelf.py':
    'def fits(width, books):\n    """Whether all books, by their widths, fit on a shelf."""\n    return sum(books) < width\n',
  'test_shelf.py': [
    'import unittest',
    'from shelf import fits',
    '',
    'class Shelf(unittest.TestCase):',
    '    def test_takes_a_book_that_just_fits(self):',
    '        self.assertTrue(fits(30, [10, 20]))',
    '',
    '    def test_refuses_one_too_many(self):',
    '        self.assertFalse(fits(30, [10, 21]))',
    '',
  ].join('\n'),
};

async function repairIn(workspace: string | Record<string, string>): Promise<string> {
  const model = await startModelServer();
  server = model;
  model.setScript(repairModel());
  workbench = await openWorkbench({
    workspace,
    settings: {
      'nanobot.model': 'openai/test-model',
      'nanobot.sessionTitles': false,
      'nanobot.providers': { openai: { apiBase: `${model.url}/v1` } },
    },
    env: { OPENAI_API_KEY: 'test-key' },
  });
  const chat = await workbench.openChat();
  await workbench.send('One of the tests fails. Find out which and fix it.');
  const approval = chat.getByRole('group', { name: 'Approval' });
  await approval.getByRole('button', { name: 'Allow always…' }).click();
  await approval.getByRole('button', { name: 'Confirm' }).click();
  const answer = await workbench.lastAnswer({ timeout: 60_000 });
  return answer.innerText();
}

it('finds the failing test of the example project, fixes it, and undoes it on request', async () => {
  copy = mkdtempSync(join(tmpdir(), 'nanobot-example-'));
  cpSync(join(import.meta.dirname, '../fixtures/example'), copy, { recursive: true });
  const before = readFileSync(join(copy, 'src/duration.js'), 'utf8');
  expect(await repairIn(copy)).toContain('All tests pass');
  const source = () => readFileSync(join(copy, 'src/duration.js'), 'utf8');
  expect(source()).toContain('padStart');
  await workbench?.screenshot('first-task-example');
  const chat = await workbench!.chat();
  await chat.getByRole('button', { name: 'Undo' }).last().click();
  await expect.poll(source, { timeout: 10_000 }).toBe(before);
});

it('does the same in a Python project', async () => {
  expect(await repairIn(python)).toContain('All tests pass');
  expect(readFileSync(join(workbench?.workspacePath ?? '', 'shelf.py'), 'utf8')).toContain('<= width');
  await workbench?.screenshot('first-task-python');
});
