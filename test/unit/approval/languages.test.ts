import { config } from '@vscode/l10n';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeKit, newParser, type Kit } from './kit.js';

config({
  contents: {
    'Run a command': '运行命令',
    'Deletes recursively': '递归删除',
    'Names a sensitive file: {0} ({1})': '涉及敏感文件：{0}（{1}）',
    'environment files hold keys': '环境文件包含密钥',
    '`{0}` exactly': '`{0}`（完全一致）',
    'This line cannot be checked: {0}': '无法检查此命令行：{0}',
    'it does not follow the grammar of a shell': '不符合 shell 的语法',
  },
});

const parser = newParser();
let kit: Kit;
beforeEach(async () => void (kit = await makeKit(parser)));
afterEach(() => kit.dispose());

it('asks the person in their language', async () => {
  expect(await kit.exec('rm -r build .env')).toMatchObject({
    kind: 'ask',
    title: '运行命令',
    reasons: ['递归删除', '涉及敏感文件：.env（环境文件包含密钥）'],
    rules: [{ id: 'exact', label: '`rm -r build .env`（完全一致）' }],
  });
  const unclear = await kit.exec('echo a\\');
  expect(unclear.kind === 'ask' && unclear.reasons).toEqual(['无法检查此命令行：不符合 shell 的语法']);
});

it('tells the model the same in English', async () => {
  const unwatched = await kit.exec('rm -r build .env', { watched: false });
  const reasons = 'Deletes recursively; Names a sensitive file: .env (environment files hold keys)';
  expect(unwatched.kind === 'deny' && unwatched.reason).toContain(
    `Run a command: rm -r build .env needs a person's approval (${reasons})`,
  );
  kit.settings.mode = 'readonly';
  const refused = await kit.exec('ls');
  expect(refused.kind === 'deny' && refused.reason).toMatch(/^Run a command: refused/);
});
