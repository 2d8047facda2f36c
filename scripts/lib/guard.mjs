// Runs the command in its arguments and ends it, with everything below it, as soon as the process that started this
// one is gone, however that ended: its end closes our standard input. A test worker that is killed leaves no server.
import { spawn } from 'node:child_process';
import { killTree } from './processes.mjs';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

child.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));

process.stdin.on('end', () => {
  killTree(child.pid);
  process.exit(1);
});
process.stdin.resume();

// Ctrl-C reaches every process of the terminal; whoever started us decides when the server ends.
process.on('SIGINT', () => {});
process.on('SIGHUP', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
