import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_CHOICE, profileChoice } from '../../../src/agent/modelChoice.js';
import { tightened } from '../../../src/approval/verdict.js';
import { earlyChoicesOf } from '../../../src/vscode/chat/chatStorage.js';
import { modelWords } from '../../../src/vscode/modelWords.js';
import { appLab } from '../../support/appLab.js';
import { modelSettings } from '../../support/modelSettings.js';
import { served, toolEnds } from '../../support/served.js';

const wire = { wire: 'openai' as const };

it('a chat may have a model and an effort of its own, from its first message on and after a restart', async () => {
  const { lab, server } = await served(() => ({ text: 'Yes.' }), {
    ...wire,
    settings: { thinking: 'low', temperature: 0.3 },
  });
  const settled = lab.app.settings().model;
  const own = settled.replace(/[^/]+$/, 'gpt-5-own');
  await lab.app.chooseModel(lab.session, { model: own, thinking: 'high' });
  expect(await lab.app.listSessions('')).toEqual([]);
  await lab.say('One');
  expect(server.requests[0]?.body).toMatchObject({ model: 'gpt-5-own', reasoning_effort: 'high' });
  const conversation = await lab.app.loop.conversation(lab.session);
  expect(conversation.state.model).toMatchObject({ id: own, own: true, thinking: 'high' });
  expect(conversation.session.metadata.metadata).toMatchObject({ model: own, thinking: 'high' });
  await lab.app.chooseModel(lab.session, { model: undefined, thinking: undefined });
  await lab.say('Two');
  expect(server.requests[1]?.body).toMatchObject({ model: settled.split('/')[1], temperature: 0.3 });
  expect(server.requests[1]?.body).not.toHaveProperty('reasoning_effort');
  expect(conversation.state.model).not.toHaveProperty('own');
});

it('what was chosen before the first message is there after a reload, and kept no longer than the chat needs it', async () => {
  const kept = new Map<string, unknown>();
  const workspaceState = {
    get: (name: string) => kept.get(name),
    update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, value)),
  };
  const ports = { earlyChoices: earlyChoicesOf({ workspaceState: workspaceState as never }) };
  const { lab, server } = await served(() => ({ text: 'Yes.' }), { ...wire, ports });
  const own = lab.app.settings().model.replace(/[^/]+$/, 'gpt-5-own');
  await lab.app.chooseModel(lab.session, { model: own, thinking: 'high' });
  await lab.app.chooseModel('vscode:other', { thinking: 'low' });
  await lab.app.chooseModel('vscode:other', { thinking: undefined });
  await lab.close();

  const { settings, env } = modelSettings(server, 'openai');
  const again = await appLab({ root: lab.root, settings, env, ports });
  const conversation = await again.app.loop.conversation(again.session);
  expect(conversation.choice).toEqual({ model: own, thinking: 'high' });
  expect((await again.app.loop.conversation('vscode:other')).choice).toEqual({});
  await again.say('One');
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'gpt-5-own', reasoning_effort: 'high' });
  expect(conversation.session.metadata.metadata).toMatchObject({ model: own, thinking: 'high' });
  expect([...kept.values()]).toEqual([{}]);
  for (let at = 0; at < 25; at++) await again.app.chooseModel(`vscode:${String(at)}`, { thinking: 'low' });
  expect(Object.keys(kept.get('nanobot.earlyChoices') ?? {})).toHaveLength(20);
});

it('what was chosen before the first message of a chat that has a name already stays, too', async () => {
  const { lab } = await served(() => ({ text: 'Yes.' }), wire);
  const conversation = await lab.app.loop.conversation(lab.session);
  await conversation.session.setMetadata({ title: 'A fork' });
  await lab.app.chooseModel(lab.session, { thinking: 'high' });
  await lab.say('One');
  expect(conversation.session.metadata.metadata).toMatchObject({ title: 'A fork', thinking: 'high' });
});

it('a profile sets a chat, can only tighten what is asked, and holds for its subagents', async () => {
  const write = { toolCalls: [{ name: 'write_file', args: { path: 'new.txt', content: 'x' } }] };
  const { lab, server } = await served(
    (request) => {
      const last = JSON.stringify(request.body.messages.findLast(({ role }) => role === 'user')?.content);
      if (request.body.messages.at(-1)?.role !== 'user') return { text: 'Done.' };
      if (last.includes('hand it on'))
        return { toolCalls: [{ name: 'spawn', args: { task: 'write it', label: 'w', wait: true } }] };
      return write;
    },
    { ...wire, settings: { approval: 'auto' } },
  );
  const profile = { thinking: 'low', temperature: 1, approval: 'readonly' } as const;
  await lab.app.chooseModel(lab.session, profileChoice('Careful', profile));
  await lab.say('write it');
  expect(existsSync(join(lab.project, 'new.txt'))).toBe(false);
  expect(toolEnds(lab).at(-1)?.status).toBe('denied');
  expect(server.requests[0]?.body).toMatchObject({ temperature: 1 });
  expect((await lab.app.loop.conversation(lab.session)).state.model).toMatchObject({ profile: 'Careful' });
  await lab.say('hand it on');
  expect(existsSync(join(lab.project, 'new.txt'))).toBe(false);
  await lab.app.chooseModel(lab.session, NO_CHOICE);
  await lab.say('write it');
  expect(existsSync(join(lab.project, 'new.txt'))).toBe(true);
});

it('a mode of a chat that is looser than what is set for all counts for nothing', () => {
  const settings = {
    mode: 'readonly' as const,
    approveEdits: 'after' as const,
    execAllow: [],
    execDeny: [],
    restrictToWorkspace: false,
  };
  expect(tightened(settings, 'ask').mode).toBe('readonly');
  expect(tightened({ ...settings, mode: 'all' }, 'ask').mode).toBe('ask');
  expect(tightened(settings, undefined)).toBe(settings);
});

it('tries a connection and says how long it took, or why it failed with the next step', async () => {
  const { lab, server } = await served(
    [{ text: 'OK' }, { status: 401, body: { error: { message: 'bad key' } } }],
    wire,
  );
  const { model } = lab.app.settings();
  expect(await lab.app.testModel(model)).toMatchObject({ model, ms: expect.any(Number) as number });
  expect(server.requests[0]?.body.tools ?? []).toEqual([]);
  expect(await lab.app.testModel(model)).toMatchObject({ error: { code: 'auth', next: ['setKey', 'switchModel'] } });
  expect(await lab.app.testModel('nobody/x')).toMatchObject({ error: { message: expect.any(String) as string } });
  server.setScript([{ text: 'OK' }]);
  expect((await lab.app.diagnose()).find(({ what }) => what === 'Connection')).toMatchObject({ ok: true });
});

it('a model in words: window, price, what it can', () => {
  const facts = { contextWindow: 1_050_000, images: true, price: { input: 0.05, output: 2.5 }, thinking: true };
  expect(modelWords(facts)).toBe('1.1M window · $0.05 in, $2.5 out per million · images · thinking · tools');
  expect(modelWords({ contextWindow: 65_536, images: false, thinking: false })).toBe('65.5k window · tools');
});
