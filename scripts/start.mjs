// npm start: opens VS Code with this extension and a small example project in it.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensurePackaged } from './lib/extension.mjs';
import { ensureBuilt, ensureDependencies, ensureNode } from './lib/needs.mjs';
import { codeServerEntry, root, workbenchDir } from './lib/paths.mjs';
import { main, PlainError, run, say, works } from './lib/run.mjs';
import { freePort, startServer, workbenchAddress } from './lib/server.mjs';
import { ensureWorkbench, workbenchNode } from './lib/workbench.mjs';

const help = `Opens VS Code with the Nanobot extension, built from this folder.

  npm start                      the desktop VS Code if its "code" command is installed, else one in the browser
  npm start -- --web             VS Code in the browser; its server runs on this machine until Ctrl-C
  npm start -- --port 9000       the port of that server (else 8137, or any free one)
  npm start -- ~/some/project    opens this folder instead of the example project
`;

const userDataDir = join(workbenchDir, 'user');
const extensionsDir = join(workbenchDir, 'extensions');

/** VS Code's own assistant needs a sign-in that this server does not offer, so its pane would only be in the way. */
const calmSettings = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
};

await main(async () => {
  const { values, positionals } = readArguments();
  if (values.help) {
    say(help);
    return;
  }
  ensureNode();
  say('Getting VS Code with the Nanobot extension ready. The first time takes about a minute.');
  const workspace = positionals[0] ? existing(resolve(positionals[0])) : exampleWorkspace();
  await ensureDependencies();
  await ensureBuilt();
  const isWeb = values.web || values.port !== undefined || !works('code', ['--version']);
  await (isWeb ? openInBrowser(workspace, values.port) : openOnDesktop(workspace));
});

function readArguments() {
  const options = { web: { type: 'boolean' }, port: { type: 'string' }, help: { type: 'boolean', short: 'h' } };
  try {
    const parsed = parseArgs({ options, allowPositionals: true });
    const { port } = parsed.values;
    if (port !== undefined && !(/^\d+$/.test(port) && Number(port) < 65_536)) {
      throw new PlainError(`--port wants a number up to 65535, not "${port}".`);
    }
    return parsed;
  } catch (error) {
    throw new PlainError(`${error.message}\n\n${help}`);
  }
}

async function openOnDesktop(workspace) {
  say(`Opening VS Code with the extension from ${root} …`);
  await run('code', ['--new-window', `--extensionDevelopmentPath=${root}`, workspace]);
}

async function openInBrowser(workspace, wantedPort) {
  await ensureWorkbench();
  const config = writeServerFiles();
  await installExtension(await ensurePackaged(), config);
  const port = await freePort(Number(wantedPort ?? 8137));
  if (wantedPort !== undefined && port !== Number(wantedPort)) throw new PlainError(`Port ${wantedPort} is in use.`);
  const server = await startServer({ port, userDataDir, extensionsDir, config, env: process.env });
  say(`\nVS Code with Nanobot is running. Open this address in a browser:\n`);
  say(`    ${workbenchAddress(server.origin, workspace)}\n`);
  say('The Nanobot icon is in the bar on the left. Ctrl-C ends it.');
  await untilStopped(server);
}

/** Waits for Ctrl-C, a terminal that closes, or the server's own end; the server's processes end with this one. */
async function untilStopped(server) {
  const asked = new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => done('asked'));
  });
  const why = await Promise.race([asked, server.exited.then(() => 'ended')]);
  if (why === 'ended') throw new PlainError(`VS Code's server ended by itself:\n${server.log()}`);
  say('\nStopping …');
  await server.stop(3000);
  process.exit(0);
}

/** The settings of a first start; later starts leave alone what a person has changed. */
function writeServerFiles() {
  const settings = join(userDataDir, 'User', 'settings.json');
  const config = join(workbenchDir, 'code-server.yaml');
  mkdirSync(join(userDataDir, 'User'), { recursive: true });
  mkdirSync(extensionsDir, { recursive: true });
  // Without a file of its own, the server would write one into the person's home folder.
  writeFileSync(config, 'auth: none\n');
  if (!existsSync(settings)) {
    writeFileSync(settings, `${JSON.stringify(calmSettings, undefined, 2)}\n`);
  }
  return config;
}

/** Installs the package unless this very file is the one installed last. */
async function installExtension(file, config) {
  const stamp = join(workbenchDir, 'installed-extension.txt');
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  say('Installing the extension into it …');
  const places = ['--user-data-dir', userDataDir, '--extensions-dir', extensionsDir, '--config', config];
  await run(workbenchNode(), [codeServerEntry, ...places, '--force', '--install-extension', file], { quiet: true });
  writeFileSync(stamp, hash);
}

function exampleWorkspace() {
  const target = join(workbenchDir, 'example');
  if (!existsSync(target)) cpSync(join(root, 'test', 'fixtures', 'example'), target, { recursive: true });
  return target;
}

function existing(path) {
  if (!existsSync(path)) throw new PlainError(`${path} does not exist.`);
  return path;
}
