import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { OTHER_AGENTS_PARAMS } from '../../src/tools/forOtherAgents.js';
import { sourceFiles } from '../support/sourceFiles.js';
import { manifestIn } from '../support/manifest.js';
import { configurationManifest, settingsSchema } from '../../src/config/schema.js';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Manifest {
  contributes: {
    commands: { command: string; title: string; category: string }[];
    views: Record<string, { id: string }[]>;
    menus: Record<string, { command: string; when?: string }[]>;
    viewsWelcome: { view: string; contents: string }[];
    walkthroughs: { id: string; steps: { id: string; description: string; media: { svg: string } }[] }[];
    keybindings: { command: string }[];
    chatParticipants: { id: string; name: string; isSticky: boolean }[];
    languageModelTools: { name: string; inputSchema: unknown }[];
    configuration: unknown;
  };
}
const { contributes } = manifestIn('package.nls.json') as Manifest;

/** Every source file below a folder, as one text each. */
function sources(folder: string): { path: string; text: string }[] {
  return sourceFiles(folder).map((path) => ({ path, text: read(path) }));
}

describe('package.json', () => {
  const registered = [...read('src/vscode/commandIds.ts').matchAll(/^ {2}'([\w.]+)',$/gm)].map(
    (match) => `nanobot.${match[1] ?? ''}`,
  );

  it('contributes the commands that are registered, and no other', () => {
    const contributed = contributes.commands.map((command) => command.command);
    expect([...contributed].sort()).toEqual([...registered, 'nanobot.openLog'].sort());
  });

  it('names every command "Nanobot: …" and offers each by mouse', () => {
    expect(contributes.commands.filter((command) => command.category !== 'Nanobot')).toEqual([]);
    const { commandPalette: _palette, ...menus } = contributes.menus;
    const inMenus = new Set(Object.values(menus).flatMap((items) => items.map((item) => item.command)));
    // The chat itself is opened by its icon in the activity bar, more of the history by a row of its own.
    expect(contributes.commands.map((command) => command.command).filter((id) => !inMenus.has(id))).toEqual([
      'nanobot.openChat',
      'nanobot.history.showMore',
    ]);
  });

  it('binds keys and menus to commands that exist', () => {
    const ids = new Set(contributes.commands.map((command) => command.command));
    const used = [...contributes.keybindings, ...Object.values(contributes.menus).flat()].map((entry) => entry.command);
    expect(used.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('contributes the views that are registered', () => {
    const views = Object.values(contributes.views).flatMap((list) => list.map((view) => view.id));
    expect(views).toEqual(['nanobot.chat', 'nanobot.skills', 'nanobot.history', 'nanobot.cron']);
    expect(read('src/vscode/chat/chatView.ts')).toContain("CHAT_VIEW = 'nanobot.chat'");
    expect(read('src/vscode/skillsView.ts')).toContain("SKILLS_VIEW = 'nanobot.skills'");
    expect(read('src/vscode/memoryIds.ts')).toContain("HISTORY_VIEW = 'nanobot.history'");
    expect(read('src/vscode/lazyCron.ts')).toContain("CRON_VIEW = 'nanobot.cron'");
  });

  it('offers only commands, views and pictures that exist to a new person and in empty views', () => {
    const ids = new Set(contributes.commands.map((command) => command.command));
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    const texts = [
      ...steps.map((step) => step.description),
      ...contributes.viewsWelcome.map((welcome) => welcome.contents),
      ...steps.map((step) => JSON.stringify(step).replaceAll('onCommand:', 'command:')),
    ];
    const linked = texts.flatMap((text) => [...text.matchAll(/command:([\w.]+)/g)].map((match) => match[1] ?? ''));
    expect(linked.length).toBeGreaterThan(10);
    expect(linked.filter((id) => !ids.has(id))).toEqual([]);
    expect(contributes.walkthroughs.map(({ id }) => id)).toEqual(['nanobot.start']);
    for (const step of steps) expect(read(step.media.svg)).toMatch(/^<svg [^>]*viewBox/);
    expect(contributes.viewsWelcome.map(({ view }) => view)).toEqual([
      'nanobot.history',
      'nanobot.history',
      'nanobot.skills',
      'nanobot.cron',
    ]);
  });

  it('keeps commands that need a row out of the palette', () => {
    const ofRows = (contributes.menus['view/item/context'] ?? []).map((item) => item.command);
    const hidden = (contributes.menus['commandPalette'] ?? []).filter(({ when }) => when === 'false');
    const hiddenIds = new Set(hidden.map((item) => item.command));
    // These ask which one is meant where no row says so.
    const asking = (id: string) => id === 'nanobot.dream' || /^nanobot\.(skills|cron)\./.test(id);
    expect(ofRows.filter((id) => !asking(id) && !hiddenIds.has(id))).toEqual([]);
  });

  it('contributes the participant and the tools for other agents that are registered, with the schemas that are checked', () => {
    expect(contributes.chatParticipants.map(({ id, name, isSticky }) => [id, name, isSticky])).toEqual([
      ['nanobot.nanobot', 'nanobot', true],
    ]);
    expect(read('src/vscode/participant.ts')).toContain("PARTICIPANT = 'nanobot.nanobot'");
    const schemas = Object.entries(OTHER_AGENTS_PARAMS).map(([name, params]) => {
      const { $schema: _schema, ...schema } = z.toJSONSchema(params, { io: 'input' }) as Record<string, unknown>;
      return [name, schema];
    });
    expect(contributes.languageModelTools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual(schemas);
  });

  it('has its settings from the schema', () => {
    expect(contributes.configuration).toEqual(JSON.parse(JSON.stringify(configurationManifest())));
  });

  it('has no setting that nothing reads', () => {
    const code = sources('src').filter(({ path }) => !path.startsWith('src/config/'));
    const unread = Object.keys(settingsSchema.shape).filter(
      (name) => !code.some(({ text }) => new RegExp(`\\.${name}\\b|\\['${name.replace('.', '\\.')}'\\]`).test(text)),
    );
    expect(unread).toEqual([]);
  });
});

describe('the practice model', () => {
  it('is named only where models are chosen and a new person is welcomed: loop, tools and cards have no path of its own', () => {
    const mayNameIt = [
      /^src\/providers\/(practice\w*|registry)\.ts$/,
      /^src\/config\/schema\.ts$/,
      /^src\/protocol\/event\.ts$/,
      /^src\/app(Ports)?\.ts$/,
      /^src\/agent\/(diagnose|modelShelf)\.ts$/,
      /^src\/vscode\/(modelPicker|chat\/chatActions)\.ts$/,
      // A commit says so where that model made it.
      /^src\/(memory\/memoryCommit|vscode\/(commitWords|dreamWords))\.ts$/,
      /^webview\/(strings\.ts|transcript\/emptyState\.tsx)$/,
    ];
    const naming = [...sources('src'), ...sources('webview')]
      .filter(({ text }) => /practice/i.test(text))
      .map(({ path }) => path);
    expect(naming.filter((path) => !mayNameIt.some((pattern) => pattern.test(path)))).toEqual([]);
  });
});
