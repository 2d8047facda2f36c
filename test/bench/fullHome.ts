import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkbenchOptions } from '../support/workbenchFiles.js';

/** A home with 500 skills, and settings with 20 MCP servers that would run if a turn began. */
export function fullHome(): { options: WorkbenchOptions; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'nanobot-bench-full-'));
  const home = join(root, 'workspace');
  writeSkills(home, 500);
  const server = { command: process.execPath, args: ['--version'] };
  const servers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`server${String(n)}`, server]));
  return {
    options: { home, settings: { 'nanobot.mcpServers': servers } },
    remove: () => {
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Writes so many proper skills below a home. */
export function writeSkills(home: string, count: number): void {
  for (let n = 0; n < count; n++) {
    const folder = join(home, 'skills', `skill-${String(n)}`);
    mkdirSync(folder, { recursive: true });
    const head = `---\nname: skill-${String(n)}\ndescription: Does what number ${String(n)} is for.\n---\n`;
    writeFileSync(join(folder, 'SKILL.md'), `${head}Do it step by step.\n`);
  }
}
