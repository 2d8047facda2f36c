import * as vscode from 'vscode';
import { join } from 'node:path';
import { watchPath } from '../platform/nodeWatch.js';
import type { CronSurfaces } from './cronSurfaces.js';
import { firstDue, hasTasks, lastBeat } from './dueJobs.js';
import { homeOf } from './lazyMemory.js';
import { laidOutAtOnce, LazyTree } from './lazyTree.js';

export const CRON_VIEW = 'nanobot.cron';
/** Milliseconds after the start before due work loads the agent: a window has better things to do while it opens. */
const SETTLE_MS = 5_000;
/** Milliseconds after the start before HEARTBEAT.md is looked at, and from one heartbeat to the next. */
const HEARTBEAT_MS = 120_000;
const BEAT_EVERY_MS = 30 * 60_000;
/** The longest sleep: timers stand still while a machine sleeps. */
const LOOK_MS = 60_000;

/** The Schedules view as it stands before the agent is loaded. */
export interface EarlyCron {
  view: vscode.TreeView<unknown>;
  /** The agent is there: it looks after its schedules from now on. */
  loaded(): void;
}

/** Registers the Schedules view, and loads the agent when a schedule is due. Nothing is read before this returns. */
export function registerCronSurfaces(
  context: vscode.ExtensionContext,
  load: () => Promise<Pick<CronSurfaces, 'tree'>>,
): EarlyCron {
  const tree = new LazyTree(async () => (await load()).tree);
  const view = vscode.window.createTreeView(CRON_VIEW, { treeDataProvider: tree, showCollapseAll: true });
  const alarm = new Alarm(() => {
    // A person hears why at the first thing they do.
    load().catch(() => undefined);
  });
  context.subscriptions.push(tree, view, laidOutAtOnce(view), alarm);
  alarm.start(homeOf());
  return { view, loaded: () => alarm.dispose() };
}

/** Rings once, when a schedule is due or there may be something for the heartbeat. */
class Alarm {
  private readonly startedAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private watch: { dispose(): void } | undefined;
  private settings: { dispose(): void } | undefined;
  private over = false;

  constructor(private readonly ring: () => void) {}

  start(home: string): void {
    this.settings = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('nanobot.cron')) void this.plan(home);
    });
    this.watch = watchPath(join(home, 'cron', 'jobs.json'), () => void this.plan(home));
    this.heartbeat = setTimeout(() => void this.lookForTasks(home), HEARTBEAT_MS);
    void this.plan(home);
  }

  dispose(): void {
    this.over = true;
    clearTimeout(this.timer);
    clearTimeout(this.heartbeat);
    this.watch?.dispose();
    this.settings?.dispose();
  }

  private async plan(home: string): Promise<void> {
    const due = isOn('cron.enabled') ? await firstDue(home) : undefined;
    clearTimeout(this.timer);
    if (due === undefined || this.over) return;
    const left = Math.max(due, this.startedAt + SETTLE_MS) - Date.now();
    const look = () => {
      if (left <= LOOK_MS) this.done();
      else void this.plan(home);
    };
    this.timer = setTimeout(look, Math.max(0, Math.min(left, LOOK_MS)));
  }

  /** Again and again: tasks may be written, or the heartbeat be switched on, at any time; another window may just have looked at them. */
  private async lookForTasks(home: string): Promise<void> {
    const isWanted = isOn('heartbeat.enabled') && (await hasTasks(home));
    const left = isWanted ? (await lastBeat(home)) + BEAT_EVERY_MS - Date.now() : BEAT_EVERY_MS;
    if (this.over) return;
    if (left <= 0) this.done();
    else this.heartbeat = setTimeout(() => void this.lookForTasks(home), Math.min(left, BEAT_EVERY_MS));
  }

  private done(): void {
    this.dispose();
    this.ring();
  }
}

function isOn(setting: string): boolean {
  return vscode.workspace.getConfiguration('nanobot').get(setting, true);
}
