import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every process below `pid` (children, their children, …), without itself: `{ pid, command }`, parents first. */
export function descendantsOf(pid) {
  const all = listProcesses();
  const found = [];
  let parents = new Set([pid]);
  while (parents.size > 0) {
    const children = all.filter((entry) => parents.has(entry.parent));
    found.push(...children.map((entry) => ({ pid: entry.pid, command: entry.command })));
    parents = new Set(children.map((entry) => entry.pid));
  }
  return found;
}

/**
 * Ends a process and everything below it. A terminal's shell leads a process group of its own, so ending the group of
 * the server would leave it behind: the tree is collected first and each process gets the signal.
 */
export function killTree(pid, signal = 'SIGKILL') {
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    return;
  }
  for (const entry of [{ pid }, ...descendantsOf(pid)]) {
    try {
      process.kill(entry.pid, signal);
    } catch (error) {
      // It ended by itself in between, which is what was wanted.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

function listProcesses() {
  if (existsSync('/proc/self/stat')) return listFromProc();
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[3] }] : [];
  });
}

/** Linux without `ps`, as in many containers. */
function listFromProc() {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    try {
      const stat = readFileSync(join('/proc', id, 'stat'), 'utf8');
      const command = readFileSync(join('/proc', id, 'cmdline'), 'utf8')
        .replaceAll('\0', ' ')
        .trim();
      // The second field is a name in parentheses that may hold spaces, so count from behind it.
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return [{ pid: Number(id), parent, command }];
    } catch {
      // The process ended while we looked.
      return [];
    }
  });
}
