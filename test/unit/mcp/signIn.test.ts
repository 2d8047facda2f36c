import { describe, expect, it } from 'vitest';
import { listenForCallback } from '../../../src/platform/nodeCallback.js';
import { mcpLab } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { startSignInServer, type SignInServer } from '../../support/signInServer.js';

const never = () => new AbortController().signal;

describe('a server that wants a sign-in', () => {
  it('says so, and is used after the person signed in with their browser', async () => {
    const server = await startSignInServer();
    const { lab, kept } = await labWith(server);
    await lab.ready();
    expect(lab.manager.status()[0]?.state).toMatchObject({
      kind: 'failed',
      signIn: true,
      reason: saying('wants a sign-in'),
    });
    await lab.manager.signIn('far', never());
    expect((await lab.call('mcp_far_whoami')).text).toBe('you are Ada');
    expect([...kept.keys()]).toEqual(['nanobot.mcp.far']);
    expect(lab.manager.status()[0]?.log).not.toContain('token-');
  });

  it('is used from then on without the browser, also when the token has to be renewed', async () => {
    const server = await startSignInServer();
    const first = await labWith(server);
    await first.lab.ready();
    await first.lab.manager.signIn('far', never());
    server.expire();
    const later = await labWith(server, first.kept);
    await later.lab.ready();
    expect((await later.lab.call('mcp_far_whoami')).text).toBe('you are Ada');
    expect(server.grants).toEqual(['authorization_code', 'refresh_token']);
    expect(later.opened).toEqual([]);
  });

  it('is not used after a no, and the reason is told', async () => {
    const server = await startSignInServer();
    const { lab, kept } = await labWith(server, new Map(), 'no');
    await lab.ready();
    await expect(lab.manager.signIn('far', never())).rejects.toThrow('It was refused: access_denied.');
    expect(kept.size).toBe(0);
  });

  it.each(['vscode://some.extension/run', 'file:///etc/passwd', 'http://127.0.0.1.example.com/authorize'])(
    'opens no browser where it names %s as its page',
    async (page) => {
      const { lab, opened } = await labWith(await startSignInServer(page));
      await lab.ready();
      await expect(lab.manager.signIn('far', never())).rejects.toThrow('only https:// is opened');
      expect(opened).toEqual([]);
    },
  );

  it('takes no answer to another question, and gives up when it is told to', async () => {
    const server = await startSignInServer();
    const { lab } = await labWith(server, new Map(), async (address) => {
      await fetch(`${new URL(address).searchParams.get('redirect_uri') ?? ''}?code=stolen&state=guessed`);
    });
    await lab.ready();
    await expect(lab.manager.signIn('far', never())).rejects.toThrow('another question');
    const quiet = await labWith(server, new Map(), () => Promise.resolve());
    await quiet.lab.ready();
    const stop = new AbortController();
    const waiting = quiet.lab.manager.signIn('far', stop.signal);
    stop.abort(new Error('It was cancelled.'));
    await expect(waiting).rejects.toThrow(/cancelled/);
  });
});

/** A person with a key store and a browser. */
async function labWith(
  server: SignInServer,
  kept = new Map<string, string>(),
  answer: 'yes' | 'no' | ((address: string) => Promise<void>) = 'yes',
) {
  const opened: string[] = [];
  const lab = await mcpLab(
    { far: { url: server.url } },
    {
      secrets: {
        get: (name) => Promise.resolve(kept.get(name)),
        set: (name, value) => Promise.resolve(void kept.set(name, value)),
        delete: (name) => Promise.resolve(void kept.delete(name)),
      },
      mcpShell: {
        editorTools: { list: () => [], call: () => Promise.resolve({}) },
        browser: {
          listen: listenForCallback,
          open: (address) => {
            opened.push(address);
            return typeof answer === 'function' ? answer(address) : server.browse(address, answer);
          },
        },
      },
    },
  );
  return { lab, kept, opened };
}
