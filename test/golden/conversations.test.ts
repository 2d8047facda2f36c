import { describe, expect, it } from 'vitest';
import { appLab, type LabOptions } from '../support/appLab.js';
import { expectGolden, transcriptOf } from '../support/golden.js';
import { startModelServer, type ModelServer, type Script } from '../support/modelServer.js';
import { onTestFinished } from 'vitest';

const FILES = {
  'README.md': '# Tea\n\nA timer for tea.\n',
  'src/tea.js': 'export const minutes = 3;\n// TODO: green tea\n',
};

type Wire = 'openai' | 'anthropic';

/** A lab whose model is a server that speaks one of the two wire protocols. */
async function served(wire: Wire, script: Script, options: LabOptions = {}) {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const lab = await appLab({
    files: FILES,
    ...options,
    settings: { ...modelSettings(wire, server), ...options.settings },
    env: { OPENAI_API_KEY: 'test-key-1', ANTHROPIC_API_KEY: 'test-key-2' },
  });
  return { lab, server };
}

function modelSettings(wire: Wire, server: ModelServer) {
  const apiBase = wire === 'openai' ? `${server.url}/v1` : server.url;
  return { model: `${wire}/test-model`, providers: { [wire]: { apiBase } } };
}

describe('on the practice model', () => {
  it('reads, finds and says what it is', async () => {
    const lab = await appLab({ files: FILES });
    await lab.say('what are you?');
    await lab.say('read README.md');
    await lab.say('find TODO');
    await lab.app.loop.idle(lab.session);
    expectGolden('practice-reads', transcriptOf(lab));
  });

  it('edits a file, runs a command it was allowed, and undoes the turn', async () => {
    const lab = await appLab({ files: FILES });
    await lab.say('replace timer with clock in README.md');
    expect(lab.text('README.md')).toBe('# Tea\n\nA clock for tea.\n');
    await lab.say('run `echo hello`');
    await lab.app.changes.undo(lab.session);
    expect(lab.text('README.md')).toBe(FILES['README.md']);
    expectGolden('practice-acts', transcriptOf(lab));
  });

  it('goes on without what was denied', async () => {
    const lab = await appLab({ files: FILES, approve: () => ({ kind: 'deny' }) });
    await lab.say('run `echo hello`');
    expectGolden('practice-denied', transcriptOf(lab));
  });

  it('answers in Chinese what was asked in Chinese', async () => {
    const lab = await appLab({ files: FILES });
    await lab.say('读取 README.md');
    expectGolden('practice-chinese', transcriptOf(lab));
  });
});

for (const wire of ['openai', 'anthropic'] as const) {
  describe(`on the ${wire} wire`, () => {
    it('finds a failing test, fixes it, and runs it again', async () => {
      const files = {
        'sum.mjs': 'export const sum = (a, b) => a - b;\n',
        'check.mjs':
          "import { sum } from './sum.mjs';\nif (sum(1, 2) !== 3) { console.log('FAIL sum'); process.exit(1); }\nconsole.log('ok');\n",
      };
      const { lab, server } = await served(
        wire,
        [
          { text: 'I run the check.', toolCalls: [{ name: 'exec', args: { command: 'node check.mjs' }, id: 'c1' }] },
          {
            toolCalls: [
              { name: 'grep', args: { pattern: 'sum = ', output_mode: 'content' }, id: 'c2' },
              { name: 'read_file', args: { path: 'sum.mjs' }, id: 'c3' },
            ],
          },
          {
            toolCalls: [
              {
                name: 'edit_file',
                args: { path: 'sum.mjs', edits: [{ old_text: 'a - b', new_text: 'a + b' }] },
                id: 'c4',
              },
            ],
          },
          { toolCalls: [{ name: 'exec', args: { command: 'node check.mjs' }, id: 'c5' }] },
          { text: 'Fixed: `sum` subtracted. The check passes now.' },
        ],
        { files },
      );
      const end = await lab.say('fix the failing check');
      expect(end.status).toBe('done');
      expect(lab.text('sum.mjs')).toContain('a + b');
      expectGolden(`${wire}-fix`, transcriptOf(lab, server));
    });

    it('recovers from a bad call, a blank answer and a cut-off one', async () => {
      const { lab, server } = await served(wire, [
        { toolCalls: [{ name: 'reed_file', args: { path: 'README.md' }, id: 'c1' }] },
        { toolCalls: [{ name: 'read_file', args: '{"path": 3', id: 'c2' }] },
        { text: '' },
        { text: 'It is about ', stopReason: wire === 'openai' ? 'length' : 'max_tokens' },
        { text: 'tea.' },
      ]);
      await lab.say('what is this?');
      expectGolden(`${wire}-recovers`, transcriptOf(lab, server));
    });

    it('shows a refused key with its next step, keeps it from the model, and answers the next turn', async () => {
      const { lab, server } = await served(wire, [
        { status: 401, body: { error: { message: 'invalid key', type: 'authentication_error' } } },
        { text: 'Now it works.' },
      ]);
      expect((await lab.say('hello')).status).toBe('error');
      expect((await lab.say('hello again')).status).toBe('done');
      expectGolden(`${wire}-refused-key`, transcriptOf(lab, server));
    });
  });
}
