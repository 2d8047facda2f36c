import { expect, it } from 'vitest';
import { startModelServer } from '../../support/modelServer.js';
import { appLab, filesBelow } from '../../support/appLab.js';

const question = (prompt = 'What is it?') => ({
  system: 'Be short.',
  prompt: () => prompt,
  maxTokens: 500,
  signal: new AbortController().signal,
});

async function labWithModel() {
  const model = await startModelServer();
  const lab = await appLab({
    settings: { model: 'openai/test-model', providers: { openai: { apiBase: `${model.url}/v1` } } },
    env: { OPENAI_API_KEY: 'sk-test' },
  });
  return { model, lab };
}

it('asks once, without tools or memory, tries again where that helps, and keeps nothing', async () => {
  const { model, lab } = await labWithModel();
  try {
    model.setScript([{ status: 503, headers: { 'retry-after': '0' }, body: 'busy' }, { text: 'A shelf.' }]);
    const waits: string[] = [];
    const answer = await lab.app.complete({ ...question(), onWait: (reason) => waits.push(reason) });
    expect(answer).toEqual({ text: 'A shelf.', model: 'openai/test-model', complete: true });
    expect(waits).toHaveLength(1);
    const { body } = model.requests.at(-1) ?? {};
    expect(body?.tools ?? []).toEqual([]);
    expect(body?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(filesBelow(lab.home).filter((path) => path.includes('sessions'))).toEqual([]);
  } finally {
    await lab.close();
    await model.close();
  }
});

it('ends with its signal, and says an error with what to do', async () => {
  const { model, lab } = await labWithModel();
  try {
    model.setScript([
      { text: 'never whole', stall: 1 },
      { status: 401, body: { error: { message: 'bad key' } } },
    ]);
    const controller = new AbortController();
    const asked = lab.app.complete({ ...question(), signal: controller.signal });
    await model.received(1);
    controller.abort();
    expect(await asked).toHaveProperty('error');
    const refused = await lab.app.complete(question());
    expect(refused).toMatchObject({ error: { code: 'auth', next: ['setKey', 'switchModel'] } });
  } finally {
    await lab.close();
    await model.close();
  }
});

it('tells how much room the question has: what the window leaves beside the answer', async () => {
  const lab = await appLab({ settings: { model: 'practice', contextWindowTokens: 10_000, maxTokens: 2_000 } });
  let room = 0;
  await lab.app.complete({ ...question(), prompt: (given) => String((room = given)) });
  expect(room).toBeGreaterThan(10_000);
  expect(room).toBeLessThan(2 * (10_000 - 500));
});

it('has the practice model name the files of a commit, and says that it did', async () => {
  const lab = await appLab({ settings: { model: 'practice' } });
  const ask = async (files: string) => {
    const prompt = `[Commit message] x\n\n<files>\n${files}\n</files>`;
    const answer = await lab.app.complete({ ...question(prompt), system: '# Commit message\n\nRules.' });
    return 'error' in answer ? answer.error.message : `${answer.byline ?? ''}: ${answer.text}`;
  };
  expect(await ask('modified src/a.ts (+1 −1)')).toBe('Practice: Change src/a.ts');
  expect(await ask('renamed a (1).ts → b (2).ts (+0 −0)')).toBe('Practice: Rename b (2).ts');
  expect(await ask('added a (+1 −0)\nadded b (+1 −0)\ndeleted c (binary)')).toBe(
    'Practice: Add 2 files, remove 1 file',
  );
  expect(await ask('')).toBe('Practice: Change files');
});
