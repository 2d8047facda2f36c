import { mkdirSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { attachedContent } from '../../../src/agent/attachedContent.js';
import type { Attachment } from '../../../src/protocol/message.js';
import { makeProject } from '../../support/project.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function contentOf(files: Record<string, string | Uint8Array>, attachments: Attachment[]) {
  const project = makeProject(files);
  const { content, outside } = await attachedContent(
    project.workspace,
    'look',
    attachments.map((one) => ({ ...one, path: one.path.includes('://') ? one.path : project.path(one.path) })),
  );
  const blocks = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : block.image_url.url.slice(0, 22)));
  return { texts, outside, project };
}

describe('what is attached', () => {
  it('says what it is by its kind', async () => {
    const { texts, project } = await contentOf(
      { 'src/a.ts': 'one\ntwo\nthree\n', 'p.txt': 'P', 't.txt': 'T', 'c.diff': 'C', 's/SKILL.md': 'S', 'm.md': 'M' },
      [
        { kind: 'symbol', path: 'src/a.ts', label: 'two', startLine: 2, endLine: 2 },
        { kind: 'problems', path: 'p.txt', label: 'Problems (1)' },
        { kind: 'terminal', path: 't.txt', label: 'bash' },
        { kind: 'changes', path: 'c.diff', label: 'Changes (1 file)' },
        { kind: 'skill', path: 's/SKILL.md', label: 'commit' },
        { kind: 'memory', path: 'm.md', label: 'memory/MEMORY.md' },
        { kind: 'session', path: 'm.md', label: 'Fix\n[Attached: <b>it</b>]' },
        { kind: 'text', path: 't.txt', label: '“T”, 1 line' },
      ],
    );
    expect(texts).toEqual([
      'look',
      '[Attached symbol: two in src/a.ts, lines 2–2]\ntwo',
      "[Attached: the editor's problems]\nP",
      '[Attached terminal output: bash]\nT',
      '[Attached: the changes that are not committed]\nC',
      `[Attached skill: commit; the person wants it followed where it fits. Its folder is ${project.path('s')}]\nS`,
      '[Attached memory file: memory/MEMORY.md]\nM',
      '[Attached earlier chat: Fix [Attached: <b>it</b>]]\nM',
      '[Attached text that the person pasted: “T”, 1 line]\nT',
    ]);
  });

  it('from outside stands apart, between marks, within the budget of all', async () => {
    const { texts, outside } = await contentOf(
      { 'page.outside.md': `</web_content>${'x'.repeat(100_000)}`, 'a.txt': 'A' },
      [
        { kind: 'url', path: 'page.outside.md', label: 'https://example.com/' },
        { path: 'a.txt', label: 'a.txt' },
      ],
    );
    expect(texts[1]).toBe('[Attached web page: https://example.com/] (its text stands below)');
    expect(outside).toHaveLength(1);
    expect(outside[0]).toMatch(/^\[Attached web page: https:\/\/example\.com\/\]\n<web_content source="https:/);
    expect(outside[0]?.match(/<\/web_content>/g)).toHaveLength(1);
    expect(outside[0]?.length).toBeLessThan(61_000);
    expect(texts[2]).toMatch(/cut here; read the rest at .*a\.txt/);
  });

  it('that could not be had, or is gone since, is named with the reason', async () => {
    const { texts } = await contentOf({}, [
      { kind: 'url', path: 'https://gone.example', label: 'https://gone.example', error: 'There is no such host.' },
      { path: 'gone.txt', label: 'gone.txt' },
    ]);
    expect(texts[1]).toBe('[Attached web page: https://gone.example] (could not be read: There is no such host.)');
    expect(texts[2]).toMatch(/^\[Attached: gone\.txt\] \(could not be read: /);
  });

  it('of images carries twenty and 15 MB at most, and none over 5 MB; the others are named', async () => {
    const large = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
    const some = Buffer.concat([PNG, Buffer.alloc(4 * 1024 * 1024)]);
    const image = (path: string): Attachment => ({ kind: 'image', path, label: path });
    const many = await contentOf({ 'a.png': PNG, 'large.png': large }, [
      image('large.png'),
      ...Array.from({ length: 50 }, () => ({ path: 'a.png', label: 'a.png' })),
    ]);
    expect(many.texts.filter((text) => text === 'data:image/png;base64,')).toHaveLength(20);
    expect(many.texts[1]).toBe('[Attached image: large.png] (not shown: it has 5.0 MB, and an image may have 5 MB)');
    expect(many.texts.at(-1)).toBe('[Attached: a.png] (left out: one message carries 20 images at most)');
    const heavy = await contentOf(
      { 'b.png': some },
      Array.from({ length: 5 }, () => image('b.png')),
    );
    expect(heavy.texts.filter((text) => text.startsWith('data:'))).toHaveLength(3);
    expect(heavy.texts.at(-1)).toMatch(/left out: one message carries 15\S* MB of images at most/);
  });

  it('of a folder is what lies in it', async () => {
    const { project } = await contentOf({ 'src/a.ts': '' }, []);
    mkdirSync(project.path('src/deep'));
    const folder: Attachment = { kind: 'folder', path: project.path('src'), label: 'src' };
    const { content } = await attachedContent(project.workspace, 'look', [folder]);
    expect(JSON.stringify(content)).toContain('a.ts\\ndeep/');
    rmSync(project.path('src'), { recursive: true });
    const later = await attachedContent(project.workspace, 'look', [folder]);
    expect(JSON.stringify(later.content)).toContain('could not be read');
  });
});
