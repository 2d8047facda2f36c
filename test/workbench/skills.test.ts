import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryPage } from '../support/memoryPage.js';
import { type ModelWorkbench, openWithModel, textbox, wordsOf } from '../support/modelWorkbench.js';
import { type SkillsPage, skillsPage } from '../support/skillsPage.js';
import { until } from '../support/until.js';
import { openWorkbench, type Workbench } from '../support/workbench.js';

const skill = (name: string, more = '', body = 'Do it.\n') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n${body}`;

describe('the Skills view', () => {
  let workbench: ModelWorkbench;
  let skills: SkillsPage;

  beforeAll(async () => {
    workbench = await openWithModel({
      workspace: {
        'README.md': '# Hi\n',
        '.claude/skills/brew/SKILL.md': skill('brew', 'allowed-tools: Read\n', 'Boil the kettle three times.\n'),
        '.nanobot/skills/broken/SKILL.md': '---\nname: broken\ndescription: x\nmetadata: {a: [\n---\n',
        'skills/weather/SKILL.md': skill('weather'),
        'skills/needy/SKILL.md': skill('needy', 'metadata: {"nanobot":{"requires":{"bins":["no-such-program"]}}}\n'),
      },
      size: { width: 1400, height: 1000 },
    });
    skills = skillsPage(workbench.page);
    await skills.open();
    await skills.row('brew').waitFor();
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('shows the groups, where each skill comes from, what is missing and what overrides what', async () => {
    await workbench.screenshot('skills');
    expect(await skills.group('Always on')).toEqual(['memory | built-in']);
    const available = await skills.group('Available');
    expect(available).toContain('brew | workspace (.claude/skills)');
    expect(available).toContain('weather | workspace (skills) · overrides built-in');
    expect(available).toContain('commit | built-in');
    const unavailable = await skills.group('Unavailable');
    expect(unavailable).toContain('needy | missing: no-such-program · workspace (skills)');
    expect(unavailable.some((row) => /^broken \| Its YAML head cannot be read/.test(row))).toBe(true);
  });

  it('opens a broken one at its line, and lists it among the problems', async () => {
    const { page } = workbench;
    await skills.row('broken').first().click();
    await page.locator('.editor-instance .monaco-editor[data-uri$="/broken/SKILL.md"]').waitFor();
    await page.getByText('Ln 5, Col 1').waitFor();
    await page.locator('.editor-instance .squiggly-error').first().waitFor();
  });

  it('sees that it was put right', async () => {
    const path = join(workbench.workspacePath ?? '', '.nanobot/skills/broken/SKILL.md');
    writeFileSync(path, skill('broken'));
    await until('broken to be available', async () =>
      (await skills.group('Available')).includes('broken | workspace (.nanobot/skills)'),
    );
  });

  it('disables and enables by a click, in the person’s settings', async () => {
    await skills.rowAction(skills.row('brew'), /^Disable/);
    await until('the group Disabled', async () => (await skills.rows()).includes('Disabled | 1'));
    const settings = () => readFileSync(join(workbench.files.userDataDir, 'User/settings.json'), 'utf8');
    await until('the setting', () => /"nanobot.disabledSkills": \[\s*"brew"\s*\]/.test(settings()));
    await skills.row('Disabled').click();
    await skills.row('brew').waitFor();
    await workbench.screenshot('skills-disabled');
    await skills.rowAction(skills.row('brew'), /^Enable/);
    await until('brew to be available', async () =>
      (await skills.group('Available')).some((row) => row.startsWith('brew |')),
    );
    expect(settings()).not.toMatch(/"brew"/);
  });

  it('makes a new one from the template, opens it and shows it', async () => {
    const { page } = workbench;
    const memory = memoryPage(page);
    await skills.viewAction('New Skill');
    await memory.type('Not A Name');
    await page.getByText('Use small letters a-z').waitFor();
    await memory.type('release-notes');
    await page.keyboard.press('Enter');
    await memory.picks().filter({ hasText: 'For me, in every project' }).click();
    await memory.type('gathers "what" changed: since the last tag');
    await page.keyboard.press('Enter');
    await page.locator('.editor-instance .monaco-editor[data-uri$="/release-notes/SKILL.md"]').waitFor();
    const path = join(workbench.home, 'skills/release-notes/SKILL.md');
    expect(readFileSync(path, 'utf8')).toContain('name: release-notes\n');
    await until('the new row', async () => (await skills.group('Available')).includes('release-notes | personal'));
    await workbench.screenshot('skills-new');
  });

  it('notices a skill that another program writes, and looks again when asked', async () => {
    const path = join(workbench.workspacePath ?? '', '.agents/skills/late/SKILL.md');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, skill('late'));
    await skills.row('late').waitFor();
    await skills.viewAction('Refresh Skills');
    await skills.row('late').waitFor();
  });

  it('puts a skill into the chat, and its text into the turn', async () => {
    await skills.rowAction(skills.row('brew'), /^Use/);
    const chat = await workbench.openChat();
    await until('its name in the box', async () => (await textbox(chat).inputValue()) === '/brew ');
    workbench.model.setScript([{ text: 'Boiled.' }]);
    await workbench.send('/brew for two');
    await workbench.lastAnswer();
    const words = wordsOf(workbench.model.requests.at(-1));
    expect(words).toContain('/brew for two');
    expect(words).toContain('Boil the kettle three times.');
    expect(words).toContain('<name>weather</name>');
    expect(await chat.getByText('Boil the kettle').count()).toBe(0);
  });

  it('completes skills behind the slash', async () => {
    const chat = await workbench.chat();
    await textbox(chat).fill('');
    await textbox(chat).pressSequentially('/release');
    await chat.getByRole('option').filter({ hasText: '/release-notes' }).waitFor();
    await workbench.screenshot('skills-slash');
  });
});

describe('500 skills in a home', () => {
  let workbench: Workbench;

  beforeAll(async () => {
    workbench = await openWorkbench({ workspace: { 'README.md': '# Hi\n' } });
    for (let n = 0; n < 500; n++) {
      const folder = join(workbench.home, `skills/s${String(n).padStart(3, '0')}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'SKILL.md'), skill(`s${String(n).padStart(3, '0')}`));
    }
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('are shown, and the chat answers', async () => {
    await workbench.reloadWindow();
    const skills = skillsPage(workbench.page);
    await skills.open();
    await skills.row('s000').waitFor();
    await until('all of them counted', async () =>
      (await skills.rows()).some((row) => /^Available \| 50\d$/.test(row)),
    );
    expect(existsSync(await workbench.screenshot('skills-500'))).toBe(true);
    await workbench.runCommand('Nanobot: Open Chat');
    expect(await workbench.ask('hello')).toContain('practice');
  });
});

describe('Restricted Mode', () => {
  let workbench: Workbench;

  beforeAll(async () => {
    workbench = await openWorkbench({
      trust: false,
      workspace: { '.nanobot/skills/theirs/SKILL.md': skill('theirs') },
    });
  });

  afterAll(async () => {
    await workbench?.close();
  });

  it('leaves the skills of the workspace out', async () => {
    const skills = skillsPage(workbench.page);
    await skills.open();
    await skills.row('commit').waitFor();
    expect((await skills.rows()).join()).not.toContain('theirs');
  });
});
