import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstDue, hasTasks, lastBeat } from '../../../src/vscode/dueJobs.js';
import { tempHome } from '../../support/tempHome.js';

async function homeWith(files: Record<string, string>): Promise<string> {
  const { home } = await tempHome();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

const jobs = (...list: unknown[]) => JSON.stringify({ version: 1, jobs: list });

describe('what a window looks at before the agent is loaded', () => {
  it('is the first time of an enabled job, or of its next try', async () => {
    const text = jobs(
      { enabled: true, state: { nextRunAtMs: 3_000 } },
      { enabled: false, state: { nextRunAtMs: 1_000 } },
      { enabled: true, state: { next_run_at_ms: 9_000, retryAtMs: 2_000 } },
    );
    expect(await firstDue(await homeWith({ 'cron/jobs.json': text }))).toBe(2_000);
    expect(await firstDue(await homeWith({ 'cron.json': text }))).toBe(2_000);
  });

  it('leaves to the agent what it cannot tell, and finds nothing where there is nothing', async () => {
    expect(await firstDue(await homeWith({ 'cron/jobs.json': '{ torn' }))).toBe(0);
    expect(await firstDue(await homeWith({ 'cron/jobs.json': jobs({ enabled: true }) }))).toBe(0);
    expect(await firstDue(await homeWith({ 'cron/jobs.json': jobs() }))).toBeUndefined();
    expect(await firstDue(await homeWith({}))).toBeUndefined();
  });

  it('is whether there are tasks, and when they were looked at last', async () => {
    const written = await homeWith({ 'HEARTBEAT.md': '# H\n\n## Active Tasks\n\n- Watch the build\n' });
    expect(await hasTasks(written)).toBe(true);
    expect(
      await hasTasks(await homeWith({ 'HEARTBEAT.md': '## Active Tasks\n<!-- one a line -->\n\n## Done\n- x' })),
    ).toBe(false);
    expect(await lastBeat(written)).toBe(0);
    expect(await lastBeat(await homeWith({ '.nanobot/cron.json': '{"heartbeatAt":5000}' }))).toBe(5_000);
    const ahead = JSON.stringify({ heartbeatAt: Date.now() + 3_600_000 });
    expect(await lastBeat(await homeWith({ '.nanobot/cron.json': ahead }))).toBe(0);
    expect(await lastBeat(await homeWith({ '.nanobot/cron.json': 'torn' }))).toBe(0);
  });
});
