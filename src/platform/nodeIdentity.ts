import { hostname, platform } from 'node:os';
import { exists } from './nodeProcesses.js';
import type { Processes } from './ports.js';

/** This process among the processes of this machine. */
export function nodeIdentity(): Processes {
  return { pid: process.pid, host: hostname(), alive: exists };
}

/** The operating system's name for people and models. */
export function operatingSystem(): string {
  const names: Partial<Record<NodeJS.Platform, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };
  return names[platform()] ?? platform();
}

/** Whether this system's disks usually take `A` and `a` for the same name. */
export function ignoresCase(): boolean {
  return platform() === 'win32' || platform() === 'darwin';
}
