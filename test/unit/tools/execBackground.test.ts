import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/until.js';
import {
  FakeClock,
  FakeMirror,
  lives,
  openBench,
  pidsIn,
  SESSION,
  type Bench,
  type BenchOptions,
} from './execBench.js';

let bench: Bench;

async function open(options?: BenchOptions): Promise<Bench> {
  return (bench = await openBench(options));
}

afterEach(() => bench.close());

const SERVER = `node -e "require('http').createServer((q, r) => r.end('pong')).listen(0, '127.0.0.1', function () { console.log('port ' + this.address().port) })"`;
const GREETER = 'while read -r name; do echo "hello $name"; done; echo "no more names"';

describe.skipIf(process.platform === 'win32')('commands in the background', () => {
  it('run a server that a later poll sees and kill_exec ends', async () => {
    const { exec, poll, kill } = await open();
    const first = await exec({ command: `echo $$ >pids; ${SERVER}`, background: true });
    expect(first.text).toMatch(/^Still running after .*, in the background as c1/);
    const told = first.text.includes('port ') ? first.text : (await poll('c1', 30)).text;
    const port = /port (\d+)/.exec(told)?.[1] ?? '';
    expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('pong');
    const ended = await kill('c1');
    expect(ended.text).toMatch(/^Killed as asked\. /);
    expect(ended.failed).toBeUndefined();
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    expect(pidsIn(join(bench.folder, 'pids'), 1)?.filter(lives)).toEqual([]);
  });

  it('that fail at once say so in their own call', async () => {
    const { exec } = await open();
    const result = await exec({ command: 'no-such-program', background: true });
    expect(result).toMatchObject({ failed: true, text: expect.stringContaining('Exit status 127') as string });
    expect(bench.commands.hadBackground(SESSION)).toBe(false);
  });

  it('bring their tools with them, which then stay', async () => {
    const { tools, exec, kill } = await open();
    const offered = () => [tools.poll, tools.write, tools.kill].map((tool) => tool.available?.(SESSION));
    expect(offered()).toEqual([false, false, false]);
    await exec({ command: 'true' });
    expect(offered()).toEqual([false, false, false]);
    await exec({ command: 'sleep 300', background: true });
    await kill('c1');
    expect(offered()).toEqual([true, true, true]);
    expect(tools.poll.available?.('vscode:2')).toBe(false);
  });

  it('answer what write_stdin sends, until their input ends', async () => {
    const { exec, write, poll } = await open();
    await exec({ command: GREETER, background: true });
    expect((await write('c1', 'Ada')).text).toMatch(/Still running .*\n\nhello Ada$/s);
    expect((await write('c1', 'Bob\n')).text).toMatch(/hello Bob$/);
    const last = await write('c1', '\u0004');
    const text = last.text.startsWith('Exit') ? last.text : last.text + (await poll('c1', 30)).text;
    expect(text).toContain('no more names');
    expect(text).toContain('Exit status 0');
    await expect(write('c1', 'Eve')).rejects.toThrow(/c1 has ended/);
    await expect(bench.tools.write.access({ handle: 'c1', text: 'Eve' }, { sessionKey: SESSION })).rejects.toThrow(
      /has ended/,
    );
  });

  it('are interrupted by write_stdin with Ctrl-C', async () => {
    const { exec, write } = await open();
    await exec({ command: 'trap "echo bye; exit 3" INT; echo ready; while :; do sleep 0.05; done', background: true });
    const { text } = await write('c1', '\u0003');
    expect(text).toContain('bye');
  });

  it('show their input for approval', async () => {
    const { exec, tools } = await open();
    await exec({ command: GREETER, background: true });
    const access = await tools.write.access({ handle: 'c1', text: 'rm -rf x' }, { sessionKey: SESSION });
    expect(access).toEqual([{ kind: 'input', text: 'rm -rf x' }]);
    expect(await tools.poll.access({ handle: 'c1' }, { sessionKey: SESSION })).toEqual([]);
  });

  it('give each piece of output once, and their end to whoever asks late', async () => {
    const { exec, poll } = await open();
    await exec({ command: 'echo one; sleep 0.5; echo two', background: true });
    let text = '';
    while (!text.includes('Exit status')) text += (await poll('c1', 30)).text;
    expect(text.match(/two/g)).toHaveLength(1);
    expect(text).not.toContain('one');
    expect((await poll('c1')).text).toMatch(/^Exit status 0 .*\n\n\(nothing new\)$/);
  });

  it('are unknown to other sessions, and a wrong handle lists the right ones', async () => {
    const { exec, poll } = await open();
    await exec({ command: 'sleep 300', background: true });
    await expect(poll('c7')).rejects.toThrow(/no command with the handle "c7"; there are: c1 \(sleep 300\)/);
    await expect(poll('c1', 0, { sessionKey: 'vscode:2' })).rejects.toThrow(/no command with the handle/);
  });

  it('leave polling at once when the turn is stopped, and go on', async () => {
    const { exec, poll } = await open();
    await exec({ command: 'sleep 300', background: true });
    const stop = new AbortController();
    const polling = poll('c1', 60, { signal: stop.signal });
    stop.abort();
    expect((await polling).text).toContain('Still running');
  });

  it('are at most eight a session', async () => {
    const { commands, exec, kill } = await open();
    for (let n = 0; n < 8; n++) commands.keep(SESSION, await commands.start(SESSION, 'sleep 300', bench.folder));
    await expect(exec({ command: 'true' })).rejects.toThrow(
      /8 commands run already: c1 \(sleep 300\), .* End one with kill_exec/,
    );
    expect((await exec({ command: 'echo ok' }, { sessionKey: 'vscode:2' })).text).toContain('ok');
    await kill('c3');
    expect((await exec({ command: 'echo ok' })).text).toContain('ok');
  });

  it('are killed after 1,800 s without a poll; a poll gives them as long again', async () => {
    const clock = new FakeClock();
    const { commands, poll } = await open({ clock });
    const running = await commands.start(SESSION, 'echo $$ >pids; exec sleep 300', bench.folder);
    const [pid] = await until('its process', () => pidsIn(join(bench.folder, 'pids'), 1));
    commands.keep(SESSION, running);
    clock.pass(1_799_000);
    const stop = AbortSignal.abort();
    expect((await poll('c1', 60, { signal: stop })).text).toContain('Still running');
    clock.pass(1_799_000);
    expect(running.killedFor).toBeUndefined();
    clock.pass(1_000);
    await until('its end', () => running.ending);
    expect(lives(pid ?? 0)).toBe(false);
    expect(await poll('c1')).toMatchObject({
      failed: true,
      text: expect.stringMatching(/^Killed after 30 minutes without a poll\. Ended by signal SIGTERM/) as string,
    });
    await until('an idle clock', () => clock.waiting === 0);
  });

  it('are all gone after dispose, and nothing starts afterwards', async () => {
    const { commands, folder } = await open();
    for (const key of [SESSION, 'vscode:2']) {
      commands.keep(
        key,
        await commands.start(key, "trap '' TERM; sleep 300 & echo $! >>pids; echo $$ >>pids; wait", folder),
      );
    }
    const pids = await until('four processes', () => pidsIn(join(folder, 'pids'), 4));
    await commands.dispose();
    expect(pids.filter(lives)).toEqual([]);
    await expect(bench.exec({ command: 'true' })).rejects.toThrow(/shutting down/);
  });

  it('get what a person types while no call waits for them, the newest first', async () => {
    const mirror = new FakeMirror();
    const { exec, poll, kill } = await open({ mirror });
    await exec({ command: GREETER, background: true });
    await exec({ command: 'sleep 300', background: true });
    await kill('c2');
    mirror.type('Ada');
    expect((await poll('c1', 30)).text).toContain('hello Ada');
    await kill('c1');
    expect(mirror.inputs.size).toBe(0);
  });

  it('that are all the shell left running can still be polled', async () => {
    const { exec, poll } = await open();
    await exec({ command: '(sleep 0.4; echo late news; sleep 300) & echo up' });
    expect((await poll('c1', 30)).text).toMatch(/What it started still runs, as c1\.\n\nlate news$/);
  });
});
