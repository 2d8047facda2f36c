import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeServerEntry } from './paths.mjs';
import { descendantsOf, killTree } from './processes.mjs';
import { PlainError } from './run.mjs';
import { workbenchNode } from './workbench.mjs';

const guard = fileURLToPath(new URL('guard.mjs', import.meta.url));

/**
 * Starts code-server on 127.0.0.1 and resolves when it answers. `options` are `port`, `userDataDir`, `extensionsDir`,
 * `trust` (false: Restricted Mode is possible), `locale` (the language it shows, where there is a pack of it), `env` (the whole environment of the server and so of the extension
 * host) and `config` (the path of its own configuration file). Resolves to
 * `{ port, origin, pid, log(), stop(gentleMs?), exited }`. `stop()` ends the whole process tree: at once, or, given a
 * number of milliseconds, with a chance to end by itself in that time. Rejects with the server's output if it ends
 * before it answers.
 */
export async function startServer(options) {
  const { port, env } = options;
  const origin = `http://127.0.0.1:${port}`;
  const output = [];
  const command = [workbenchNode(), codeServerEntry, ...serverArguments(options)];
  const child = spawn(process.execPath, [guard, ...command], {
    // An empty gallery: the window must not ask the one on the network for updates.
    env: { ...env, EXTENSIONS_GALLERY: '{}' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk) => output.push(chunk.toString()));
  const exited = once(child, 'exit');
  const server = {
    port,
    origin,
    pid: child.pid,
    exited,
    log: () => output.join(''),
    stop: (gentleMs = 0) => stopTree(child, exited, gentleMs),
  };
  const isDown = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntilItAnswers(origin, isDown, server);
  return server;
}

/** A free port on 127.0.0.1: the preferred one if nothing listens there, else any. */
export async function freePort(preferred = 0) {
  const server = createServer();
  try {
    server.listen(preferred, '127.0.0.1');
    await once(server, 'listening');
    return server.address().port;
  } catch (error) {
    if (preferred === 0) throw error;
    return await freePort();
  } finally {
    server.close();
  }
}

/** The process ids of the extension hosts below a server, oldest first. */
export function extensionHostsOf(serverPid) {
  return descendantsOf(serverPid)
    .filter((entry) => entry.command.includes('--type=extensionHost'))
    .map((entry) => entry.pid);
}

/** The address that opens a folder, a `.code-workspace` file or, without a path, an empty window. */
export function workbenchAddress(origin, path) {
  if (!path) return `${origin}/?ew=true`;
  const key = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
  return `${origin}/?${key}=${encodeURIComponent(path).replaceAll('%2F', '/')}`;
}

function serverArguments({ port, userDataDir, extensionsDir, trust = true, locale, config }) {
  return [
    ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    ...['--user-data-dir', userDataDir, '--extensions-dir', extensionsDir, '--config', config],
    ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    ...(trust ? ['--disable-workspace-trust'] : []),
    ...(locale ? ['--locale', locale] : []),
  ];
}

async function waitUntilItAnswers(origin, isDown, server) {
  const deadline = Date.now() + 60_000;
  while (!(await answers(`${origin}/healthz`))) {
    if (isDown() || Date.now() > deadline) {
      await server.stop();
      throw new PlainError(`VS Code's server did not start:\n${server.log()}`);
    }
    await sleep(50);
  }
}

function answers(address) {
  return new Promise((resolve) => {
    const request = get(address, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

async function stopTree(child, exited, gentleMs) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (gentleMs > 0) {
    const tree = [child.pid, ...descendantsOf(child.pid).map((entry) => entry.pid)];
    child.kill('SIGTERM');
    await Promise.race([exited, sleep(gentleMs, undefined, { ref: false })]);
    for (const pid of tree.reverse()) killTree(pid);
  } else {
    killTree(child.pid);
  }
  await exited;
}
