import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Prints one line that says what a script is about to do. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * An error whose message is all a person needs: `main` prints it without a stack.
 */
export class PlainError extends Error {}

/**
 * Runs a command, prints it first, and resolves when it ends with status 0. Rejects with a `PlainError` otherwise.
 * With `quiet`, the output is kept and shown only if the command fails.
 */
export async function run(command, args, options = {}) {
  const { cwd, env, quiet = false } = options;
  say(`  $ ${shown(command, args)}`);
  const kept = [];
  const status = await new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    child.stdout?.on('data', (chunk) => kept.push(chunk));
    child.stderr?.on('data', (chunk) => kept.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? signal));
  }).catch((error) => {
    throw new PlainError(`Could not start ${command}: ${error.message}`);
  });
  if (status !== 0) {
    process.stderr.write(Buffer.concat(kept));
    throw new PlainError(`${shown(command, args)} ended with ${status}.`);
  }
}

/** Runs npm with the Node given (by default the one that runs this script). Takes the options of `run`. */
export async function runNpm(args, options = {}) {
  const { node = process.execPath, env = process.env, ...rest } = options;
  const cli = npmCli();
  const separator = process.platform === 'win32' ? ';' : ':';
  const path = [dirname(node), env.PATH].filter(Boolean).join(separator);
  const npmEnv = { ...env, PATH: path };
  if (cli) await run(node, [cli, ...args], { ...rest, env: npmEnv });
  else await run('npm', args, { ...rest, env: npmEnv });
}

/** True if the command can be started and ends with status 0. */
export function works(command, args) {
  // Windows finds `code.cmd` and the like only through a shell.
  const result = spawnSync(command, args, { stdio: 'ignore', timeout: 20_000, shell: process.platform === 'win32' });
  return result.status === 0;
}

/** Runs a script's main function; a failure ends the process with status 1 and, if it is plain, without a stack. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    process.stderr.write(`\n${error instanceof PlainError ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

function npmCli() {
  const bin = dirname(process.execPath);
  const places = [
    process.env.npm_execpath,
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  return places.find((place) => place?.endsWith('npm-cli.js') && existsSync(place));
}

function shown(command, args) {
  const words = [command, ...args].map((word) => (/\s/.test(word) ? JSON.stringify(word) : word));
  const first = /npm-cli\.js$/.test(args[0] ?? '') ? ['npm', ...words.slice(2)] : words;
  return first.join(' ');
}
