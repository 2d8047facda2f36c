import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../../../src/platform/environment.js';

describe('the environment of commands', () => {
  it('leaves out keys of providers, however their names are written', () => {
    const env = childEnvironment(
      { ANTHROPIC_API_KEY: 'k1', OpenAI_Api_Key: 'k2', STRIPE_API_KEY: 'the project needs it', PATH: '/bin' },
      ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
    );
    expect(Object.values(env)).not.toContain('k1');
    expect(Object.values(env)).not.toContain('k2');
    expect(env).toMatchObject({ STRIPE_API_KEY: 'the project needs it', PATH: '/bin' });
  });

  it("leaves out the editor's own variables", () => {
    const env = childEnvironment(
      { ELECTRON_RUN_AS_NODE: '1', VSCODE_IPC_HOOK_CLI: '/run/x', VSCODE_GIT_ASKPASS_NODE: 'node', HOME: '/home/a' },
      [],
    );
    expect(Object.keys(env).filter((name) => /VSCODE|ELECTRON/.test(name))).toEqual([]);
    expect(env['HOME']).toBe('/home/a');
  });

  it('says that there is no terminal, no pager, no colour and nobody to ask', () => {
    const env = childEnvironment(
      { TERM: 'xterm-256color', FORCE_COLOR: '1', COLORTERM: 'truecolor', Pager: 'less', GIT_ASKPASS: '/askpass.sh' },
      [],
    );
    expect(env).toMatchObject({
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
    });
    expect(env).not.toHaveProperty('FORCE_COLOR');
    expect(env).not.toHaveProperty('COLORTERM');
    expect(env).not.toHaveProperty('Pager');
  });

  it('neither sets CI nor removes it, and does not touch what it was given', () => {
    expect(childEnvironment({}, [])).not.toHaveProperty('CI');
    const base = { CI: 'true', OPENAI_API_KEY: 'k' };
    expect(childEnvironment(base, ['OPENAI_API_KEY'])['CI']).toBe('true');
    expect(base).toEqual({ CI: 'true', OPENAI_API_KEY: 'k' });
  });
});
