import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './run.mjs';

/**
 * Runs `body` while no other process on this machine runs one under the same lock file, and waits for its turn. A lock
 * whose process is gone is taken over, so a script that was killed does not block the next one.
 */
export async function withLock(file, body) {
  mkdirSync(dirname(file), { recursive: true });
  for (let tries = 0; !take(file); tries += 1) {
    if (tries === 10) say(`  waiting for process ${holder(file)}, which holds ${file}`);
    await sleep(200);
  }
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  // The name appears together with the content, so that nobody reads a lock without a process in it.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  if (!isAlive(holder(file))) rmSync(file, { force: true });
  return false;
}

function holder(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    // The holder removed its lock between our two looks: nobody holds it now.
    return 0;
  }
}

function isAlive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
