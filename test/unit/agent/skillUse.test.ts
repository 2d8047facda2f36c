import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { appLab, type AppLab } from '../../support/appLab.js';
import { served } from '../../support/served.js';
import { skillText } from '../../support/skillShelf.js';

function put(lab: AppLab, name: string, text: string): void {
  const path = join(lab.root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const brew = skillText('brew', '', 'Boil the kettle three times.\n');
const words = (request: unknown) => JSON.stringify(request);

describe('calling for a skill', () => {
  it('loads it for the turn, stored beside the words, and leaves the beginning of the request as it was', async () => {
    const { lab, server } = await served([{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
    put(lab, 'workspace/skills/brew/SKILL.md', brew);
    await lab.say('hello');
    await lab.say('/brew for two');
    await lab.say('thanks');
    const bodies = server.requests.map(({ body }) => words(body.messages));
    expect(bodies.map((text) => text.includes('Boil the kettle'))).toEqual([false, true, true]);
    const message = lab.stored().find(({ content }) => content === '/brew for two');
    expect(message?.runtime_context).toContain(
      `[Skill brew: the person asked for it, so follow it in this turn. Its folder is ${join(lab.home, 'skills/brew')}]`,
    );
    expect(message?.runtime_context).toMatch(/\[End of skill brew\]\n\n\[Runtime Context/);
    const [, second, third] = server.requests.map(({ body }) => body.messages as unknown[]);
    expect(words(third?.slice(0, second?.length))).toBe(words(second));
  });

  it('works by $name anywhere, once for each, and takes nothing else for a skill', async () => {
    const { lab, server } = await served([{ text: 'a' }, { text: 'b' }]);
    put(lab, 'project/.agents/skills/brew/SKILL.md', brew);
    await lab.say('please use $brew, and $Brew again');
    await lab.say('it costs $brewery, echo $HOME, see a/brew and src/brew.ts');
    expect(words(server.requests[0]?.body).split('Boil the kettle')).toHaveLength(2);
    const [, second] = lab.stored().filter(({ role }) => role === 'user');
    expect(second?.runtime_context).not.toContain('Boil');
  });

  it('tells the person and the model where one cannot be used, and sends the words all the same', async () => {
    const { lab, server } = await served([{ text: 'a' }, { text: 'b' }], {
      settings: { disabledSkills: ['brew'] },
    });
    put(lab, 'workspace/skills/brew/SKILL.md', brew);
    put(lab, 'workspace/skills/needy/SKILL.md', skillText('needy', 'requires: {bins: [no-such-program]}\n'));
    const notice = lab.event('notice');
    await lab.say('/needy now');
    expect((await notice).notice.text).toMatch(/needy cannot be used now \(missing: no-such-program\)/);
    expect(words(server.requests[0]?.body)).toContain('cannot be used now (missing: no-such-program)');
    const off = lab.event('notice');
    await lab.say('/brew now');
    expect((await off).notice.text).toMatch(/brew cannot be used now \(disabled\)\. Enable it/);
    expect(words(server.requests[1]?.body)).not.toContain('Boil');
  });

  it('offers skills to those who mistype, and lists them with /skill', async () => {
    const lab = await appLab();
    put(lab, 'workspace/skills/brew/SKILL.md', brew);
    const answer = async (text: string) => {
      const notice = lab.event('notice');
      lab.publish(text);
      return (await notice).notice.text;
    };
    expect(await answer('/brwe')).toBe('There is no command /brwe. Did you mean /brew?');
    const list = await answer('/skill');
    expect(list).toMatch(/^Always on:\n\/memory – /);
    expect(list).toContain('\n/brew – Does brew.');
    expect(await answer('/skill brew')).toContain(`Available, personal: ${join(lab.home, 'skills/brew/SKILL.md')}`);
    expect(await answer('/skill brwe')).toBe('There is no skill brwe. Did you mean brew?');
  });

  it('reads the file of a built-in one without asking', async () => {
    const call = (path: string) => ({ toolCalls: [{ name: 'read_file', args: { path } }] });
    const skill = join(import.meta.dirname, '../../../skills/commit/SKILL.md');
    const { lab, server } = await served([call(skill), { text: 'Read.' }], { approve: () => ({ kind: 'deny' }) });
    await lab.say('read it');
    expect(words(server.requests[1]?.body)).toContain('Makes one commit of what belongs together');
    expect(lab.events.some(({ type }) => type === 'approval_start')).toBe(false);
  });

  it('lets config.json switch off what the settings do not', async () => {
    const { readConfig } = await import('../../../src/config/file.js');
    const config = readConfig('{"agents":{"defaults":{"disabled_skills":["weather"]}}}');
    const lab = await appLab({ settings: { disabledSkills: ['cron'] }, ports: { config: () => config } });
    const off = (await lab.app.skills.current()).filter(({ disabled }) => disabled).map(({ name }) => name);
    expect(off).toEqual(['cron', 'weather']);
  });
});

describe('200 skills', () => {
  it('are read once: a turn in which nothing changed reads none, and its prompt begins with the same bytes', async () => {
    const reads: string[] = [];
    const real = nodeFiles();
    const files = {
      ...real,
      readRange: (path: string, offset: number, length: number) => {
        if (path.endsWith('SKILL.md')) reads.push(path);
        return real.readRange(path, offset, length);
      },
    };
    const { lab, server } = await served([{ text: 'a' }, { text: 'b' }], { ports: { files } });
    for (let n = 0; n < 200; n++) put(lab, `workspace/skills/s${String(n)}/SKILL.md`, skillText(`s${String(n)}`));
    await lab.say('hello');
    const before = lab.app.skills.list();
    expect(before.length).toBeGreaterThanOrEqual(200);
    await lab.say('again');
    expect(lab.app.skills.list()).toBe(before);
    expect(reads.length).toBe(before.length);
    const [first, second] = server.requests.map(({ body }) => words(body.messages[0]));
    expect(first).toContain('<name>s199</name>');
    expect(second).toBe(first);
  });
});
