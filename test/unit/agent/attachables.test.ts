import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Attachables, type EditorSources } from '../../../src/agent/attachables.js';
import { isFromOutside } from '../../../src/agent/attachmentStore.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import type { Diagnostic, Workspace } from '../../../src/platform/ports.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import type { AttachmentSource } from '../../../src/protocol/wire.js';
import { fetchPage } from '../../../src/tools/webFetch.js';
import { createPageReader } from '../../../src/tools/support/web/pageReader.js';
import { makeProject } from '../../support/project.js';
import { sends, webSite } from '../../support/webServer.js';
import { testWorkers } from '../../support/workers.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const never = new AbortController().signal;

interface Setup {
  files?: Record<string, string | Uint8Array>;
  workspace?: Partial<Workspace>;
  editor?: Partial<EditorSources>;
  messages?: StoredMessage[];
  pages?: Parameters<typeof webSite>[0];
}

async function setup({ files = {}, workspace = {}, editor, messages = [], pages = {} }: Setup = {}) {
  const project = makeProject(files);
  const home = project.path('home');
  const site = await webSite(pages);
  const reader = createPageReader({ workers: await testWorkers(), clock: nodeClock() });
  const attachables = new Attachables({
    files: nodeFiles(),
    clock: nodeClock(),
    home,
    workspace: { ...project.workspace, ...workspace },
    sessions: { tail: () => Promise.resolve({ messages, first: 0, total: messages.length }) },
    fetchPage: (url, signal) => fetchPage({ web: site.web, pages: reader }, url, signal),
    editor: editor as EditorSources | undefined,
  });
  const take = (kind: AttachmentSource['kind'], value = '', label: string = kind) =>
    attachables.take({ kind, value, label }, never);
  return { project, home, site, attachables, take };
}

describe('what has to be had first', () => {
  it('is kept as a file: a pasted text, once for the same words, which can be had back', async () => {
    const { take, attachables, home, project } = await setup({ files: { 'secret.txt': 'mine' } });
    const one = await take('text', 'long '.repeat(500), '“long”, 1 line');
    expect(one).toMatchObject({ kind: 'text', label: '“long”, 1 line' });
    expect(one.tokens).toBeGreaterThan(500);
    expect(one.path.startsWith(join(home, '.nanobot/attachments/'))).toBe(true);
    expect((await take('text', 'long '.repeat(500))).path).toBe(one.path);
    expect(await attachables.text(one.path)).toBe('long '.repeat(500));
    await expect(attachables.text(project.path('secret.txt'))).rejects.toThrow('Only a pasted text');
    expect(await attachables.measure(one)).toEqual(one);
    unlinkSync(one.path);
    expect((await attachables.measure(one)).error).toBe('It is not there.');
  });

  it('is an image by its bytes, and of no other type', async () => {
    const { take } = await setup();
    const image = await take('image', PNG.toString('base64'), 'Pasted image 1');
    expect(image).toMatchObject({ kind: 'image', label: 'Pasted image 1', tokens: 1_600 });
    expect(readFileSync(image.path).equals(PNG)).toBe(true);
    await expect(take('image', Buffer.from('GIF').toString('base64'))).rejects.toThrow('no PNG, JPEG, GIF or WebP');
  });

  it('is a page as its text, marked as from outside, or an image; an address that fails says why', async () => {
    const { take, site } = await setup({
      pages: {
        '/a': sends('text/html', '<title>Tides</title><p>The moon draws the sea.</p>'),
        '/p': sends('image/png', PNG),
      },
    });
    const page = await take('url', site.url('/a'));
    expect(page).toMatchObject({ kind: 'url', label: site.url('/a') });
    expect(readFileSync(page.path, 'utf8')).toContain('The moon draws the sea.');
    const image = await take('url', site.url('/p'));
    expect(image.kind).toBe('image');
    expect([page, image].map(isFromOutside)).toEqual([true, true]);
    // Whatever the page calls it: the name of the file says where it comes from.
    expect(isFromOutside({ path: page.path, kind: 'text' })).toBe(true);
    await expect(take('url', site.url('/gone'))).rejects.toThrow('404');
    await expect(take('url', 'http://127.0.0.1:1/')).rejects.toThrow(/127\.0\.0\.1/);
    await expect(take('url', 'ftp://example.com')).rejects.toThrow();
  });

  it('is what was said in another chat, the newest of it, from outside where that was read there', async () => {
    const say = (role: 'user' | 'assistant', content: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
      role,
      content,
      timestamp: '2026-04-03T10:00:00Z',
      ...more,
    });
    const messages = [
      say('user', 'first '.repeat(4_000)),
      say('user', 'Fix the test'),
      say('assistant', 'Done.'),
      { ...say('user', 'ignored'), role: 'tool' as const },
    ];
    const { take } = await setup({ messages });
    const chat = await take('session', 'vscode:1', 'Tests');
    const text = readFileSync(chat.path, 'utf8');
    expect(text).toContain('**You**\n\nFix the test\n\n**Nanobot**\n\nDone.');
    expect(text).not.toContain('ignored');
    expect(text.length).toBeLessThan(21_000);
    expect(isFromOutside(chat)).toBe(false);
    const read = await setup({ messages: [...messages, say('user', 'x', { untrusted: true })] });
    expect(isFromOutside(await read.take('session'))).toBe(true);
    await expect((await setup()).take('session', 'k', 'Empty')).rejects.toThrow('Nothing was said in Empty yet');
  });

  it('is the list of problems, or word that there are none', async () => {
    const problem: Diagnostic = { path: '/p/a.ts', line: 3, column: 1, severity: 'error', message: 'No such name' };
    const known = { hasDiagnostics: () => true, diagnostics: () => Promise.resolve([problem]) };
    const { take } = await setup({ workspace: known });
    const problems = await take('problems');
    expect(problems.label).toBe('Problems (1)');
    expect(readFileSync(problems.path, 'utf8')).toMatch(/^\(as of .*\)\n1 error\n\/p\/a\.ts\n3:1 error: No such name$/);
    const none = await setup({ workspace: { ...known, diagnostics: () => Promise.resolve([]) } });
    await expect(none.take('problems')).rejects.toThrow('knows no problems now');
    await expect((await setup()).take('problems')).rejects.toThrow('in VS Code only');
  });

  it('is what the editor gives: terminal output without its secrets, changes, the lines of a symbol', async () => {
    const key = `sk-ant-api03-${'aB3'.repeat(30)}`;
    const { take, project, attachables } = await setup({
      files: { 'a.ts': 'one\ntwo\nthree\nfour\n' },
      editor: {
        terminal: () => Promise.resolve({ label: 'bash', text: `$ env\nKEY=${key}\n` }),
        changes: () => Promise.resolve({ label: 'Changes (2 files)', text: '### a.ts\n+two' }),
        symbolLines: () => Promise.resolve({ startLine: 2, endLine: 3 }),
      },
    });
    const output = readFileSync((await take('terminal')).path, 'utf8');
    expect(output).toContain('$ env\nKEY=');
    expect(output).not.toContain(key);
    expect(await take('changes')).toMatchObject({ kind: 'changes', label: 'Changes (2 files)' });
    const symbol = await attachables.take(
      { kind: 'symbol', value: project.path('a.ts'), label: 'two', line: 2 },
      never,
    );
    expect(symbol).toMatchObject({ kind: 'symbol', label: 'two', startLine: 2, endLine: 3, tokens: 3 });
    await expect((await setup()).take('terminal')).rejects.toThrow('in VS Code only');
  });
});

describe('what is there already', () => {
  it('is measured whole or by its lines, under the name that its folder gives it', async () => {
    const { project, attachables } = await setup({
      files: { 'src/a.ts': 'word '.repeat(1_000), 'big.txt': 'x'.repeat(3_000_000), 'b.bin': '\0\0', 'p.png': PNG },
    });
    const measure = (name: string, more = {}) =>
      attachables.measure({ path: project.path(name), label: 'odd', ...more });
    expect(await measure('src/a.ts')).toMatchObject({ label: 'src/a.ts', tokens: 1_389 });
    expect(await attachables.measure({ path: `file://${project.path('src/a.ts')}`, label: 'a.ts' })).toMatchObject({
      path: project.path('src/a.ts'),
      label: 'src/a.ts',
    });
    expect((await measure('src/a.ts', { startLine: 2, endLine: 2 })).tokens).toBe(0);
    expect((await measure('big.txt')).tokens).toBeGreaterThan(800_000);
    expect(await measure('src')).toMatchObject({ kind: 'folder', label: 'src' });
    expect(await measure('p.png')).toMatchObject({ kind: 'image', tokens: 1_600 });
    expect((await measure('b.bin')).error).toMatch(/binary file/);
    expect((await measure('gone.txt')).error).toBe('It is not there.');
    expect(await measure('src/a.ts', { kind: 'memory', label: 'MEMORY.md' })).toMatchObject({ label: 'MEMORY.md' });
  });

  it('of an image tells when a model would not take it as it is', async () => {
    const wide = Buffer.from(PNG);
    wide.writeUInt32BE(3_000, 16);
    const heavy = Buffer.concat([PNG, Buffer.alloc(6 * 1024 * 1024)]);
    const { project, attachables } = await setup({ files: { 'a.png': PNG, 'wide.png': wide, 'heavy.png': heavy } });
    const tooLarge = (path: string) => attachables.tooLarge({ kind: 'image', path: project.path(path), label: path });
    expect(await tooLarge('a.png')).toBeUndefined();
    expect((await tooLarge('wide.png'))?.length).toBe(PNG.length);
    expect((await tooLarge('heavy.png'))?.length).toBe(heavy.length);
    expect(existsSync(project.path('home'))).toBe(false);
  });
});
