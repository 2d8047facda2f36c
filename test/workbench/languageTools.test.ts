import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { button, type ModelWorkbench, openWithModel, toolCard, wordsOf } from '../support/modelWorkbench.js';
import { until } from '../support/until.js';

const workspace = {
  'tsconfig.json':
    '{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "paths": { "@lib/*": ["./lib/*"] } } }\n',
  'src/greet.ts': 'export function greet(name: string) {\n  return `Hi ${name}`;\n}\n',
  'src/main.ts': "import { greet } from './greet';\n\nexport const said = greet('you');\n",
  'src/other.ts': "import { greet } from './greet';\n\nexport const again = [greet('a'), greet('b')];\n",
  'notes.txt': 'greet\n',
  'lib/tool.ts': "import { said } from '../src/main';\n\nexport const tool = said;\n",
  'lib/user.ts': "import { tool } from './tool';\n\nexport const user = tool;\n",
  'lib/alias.ts': "import { tool } from '@lib/tool';\n\nexport const alias = tool;\n",
};

describe("the editor's own language services", () => {
  let workbench: ModelWorkbench;
  let chat: Frame;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace,
      settings: { 'files.autoSave': 'off', '[typescript]': { 'files.encoding': 'shiftjis' } },
    });
    chat = await workbench.openChat();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  const disk = (name: string) => readFileSync(join(workbench.workspacePath ?? '', name), 'utf8');
  const tab = (name: string) => workbench.page.locator(`.tab[data-resource-name="${name}"]`);
  /** What the model was told by the tools of one answer. */
  const call = async (name: string, args: Record<string, unknown>) => {
    workbench.model.setScript([{ toolCalls: [{ name, args }] }, { text: 'Done.' }]);
    await workbench.ask(`use ${name}`);
    const messages = workbench.model.requests.at(-1)?.body.messages as { role: string; content: unknown }[];
    return String(messages.findLast((message) => message.role === 'tool')?.content);
  };

  it('names the symbols of a file and of the project, with no file open', async () => {
    expect(await call('symbols', { path: 'src/greet.ts' })).toBe('src/greet.ts:1 function greet');
    expect(await call('symbols', { query: 'again' })).toContain('src/other.ts:3 variable again');
    expect(await call('symbols', { path: 'notes.txt' })).toContain('No language service here knows notes.txt');
  });

  it('renames nothing in a file that the editor reads in another encoding', async () => {
    const comment = Buffer.from([0x2f, 0x2a, 0x20, 0x93, 0xfa, 0x96, 0x7b, 0x20, 0x2a, 0x2f]);
    mkdirSync(join(workbench.workspacePath ?? '', 'jp'));
    writeFileSync(
      join(workbench.workspacePath ?? '', 'jp/kanji.ts'),
      Buffer.concat([comment, Buffer.from(' export let kanji = 1;\n')]),
    );
    const path = join(workbench.workspacePath ?? '', 'jp/kanji.ts');
    const before = readFileSync(path);
    const told = await call('rename_symbol', { path: 'jp/kanji.ts', line: 1, symbol: 'kanji', new_name: 'kana' });
    expect(told).toContain('jp/kanji.ts would change, and the editor has another text');
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('finds definition and uses', async () => {
    const text = await call('references', { path: 'src/main.ts', line: 3, symbol: 'greet' });
    expect(text).toContain('Defined:\nsrc/greet.ts:1  export function greet');
    expect(text).toContain('5 lines with it:\nsrc/greet.ts:1  export function greet(name: string) {\nsrc/main.ts:1');
    expect(await call('references', { symbol: 'said' })).toContain('src/main.ts:3');
  });

  it('renames everywhere: closed files saved, unsaved text of a person left unsaved; Undo takes all back', async () => {
    await workbench.openFile('other.ts');
    await workbench.page.keyboard.press('Control+End');
    await workbench.page.keyboard.type('// mine');
    await until('the tab to be dirty', async () => (await tab('other.ts').getAttribute('class'))?.includes('dirty'));
    const args = { path: 'src/greet.ts', line: 1, symbol: 'greet', new_name: 'welcome' };
    const text = await call('rename_symbol', args);
    expect(text).toContain('Renamed greet to welcome: 6 places in 3 files.');
    expect(text).toContain('src/other.ts +2 −2 (3 places)');
    expect(text).toContain('Unsaved changes of the person are in src/other.ts');
    expect(disk('src/greet.ts')).toContain('function welcome');
    expect(disk('src/main.ts')).toBe(
      workspace['src/main.ts'].replaceAll('greet(', 'welcome(').replace('{ greet', '{ welcome'),
    );
    expect(disk('src/other.ts')).toBe(workspace['src/other.ts']);
    expect(await tab('other.ts').getAttribute('class')).toContain('dirty');
    await toolCard(chat, 'rename_symbol', 'ok').waitFor();
    await workbench.screenshot('language-rename');
    await button(chat.getByRole('region', { name: '3 files changed' }).last(), 'Undo').click();
    const undone = (name: 'src/main.ts' | 'src/greet.ts') => disk(name) === workspace[name];
    await until('the undo', () => undone('src/main.ts') && undone('src/greet.ts'));
    const shown = async () =>
      (await workbench.page.locator('.editor-instance .view-lines').innerText()).includes('welcome');
    await until('the undo in the editor', async () => !(await shown()));
    await workbench.page.locator('.editor-instance .view-lines').click();
    await workbench.page.keyboard.press('Control+s');
    await until('the file', () => disk('src/other.ts') === `${workspace['src/other.ts']}// mine`);
  });

  it('moves a file with its imports, aliases too, and VS Code has nothing left to ask; Undo takes all back', async () => {
    const before = ['lib/tool.ts', 'lib/user.ts', 'lib/alias.ts'].map((name) => [name, disk(name)] as const);
    const text = await call('rename_file', { path: 'lib/tool.ts', to: 'lib/deep/better.ts' });
    expect(text).toContain('Renamed lib/tool.ts → lib/deep/better.ts.');
    expect(text).toContain('lib/user.ts +1 −1');
    expect(disk('lib/deep/better.ts')).toContain("from '../../src/main'");
    expect(disk('lib/user.ts')).toContain("from './deep/better'");
    expect(disk('lib/alias.ts')).toMatch(/from '(@lib|\.)\/deep\/better'/);
    // Whatever the TypeScript extension does about a renamed file it has done when it answers the next question about it.
    expect(await call('references', { path: 'lib/user.ts', line: 1, symbol: 'tool' })).toContain(
      'lib/deep/better.ts:3',
    );
    expect(await workbench.page.locator('.monaco-dialog-box').count()).toBe(0);
    await button(chat.getByRole('region', { name: '3 files changed' }).last(), 'Undo').click();
    await until('the undo', () =>
      before.every(
        ([name, content]) => existsSync(join(workbench.workspacePath ?? '', name)) && disk(name) === content,
      ),
    );
  });

  it('says what a rename broke, and what cannot be renamed', async () => {
    const args = { path: 'src/main.ts', line: 3, symbol: 'export', new_name: 'x' };
    expect(await call('rename_symbol', args)).toMatch(/Error: .*(not the name of a symbol|cannot rename)/);
    const told = wordsOf(workbench.model.requests.at(-1));
    expect(told).not.toContain('Renamed export');
  });
});
