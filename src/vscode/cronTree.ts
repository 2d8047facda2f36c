import { t } from '@vscode/l10n';
import { reasonOf } from '../platform/reason.js';
import * as vscode from 'vscode';
import type { Job } from '../cron/job.js';
import type { RunRecord } from '../cron/runs.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import type { Disposable } from '../platform/ports.js';
import type { CronApp } from './cronSurfaces.js';
import { addedWords, jobDescription, nextWords, runWords } from './cronWords.js';
import { momentWords, type Present } from './dates.js';

/** Runs shown below a job. */
const SHOWN_RUNS = 20;
/** Milliseconds after which times that count down are shown anew. */
const TICK_MS = 60_000;

/** A row of the Schedules view. */
export type CronNode =
  | { kind: 'job'; job: Job }
  | {
      kind: 'system';
      id: 'dream' | 'heartbeat';
      label: string;
      description: string;
      enabled: boolean;
      running: boolean;
      error?: string;
    }
  | { kind: 'run'; owner: string; run: RunRecord }
  | { kind: 'problem'; reason: string };

/** The Schedules view: jobs by their next time, each with its last runs, and what runs by itself beside them. */
export class CronTree implements vscode.TreeDataProvider<CronNode> {
  readonly onDidChangeTreeData: vscode.Event<CronNode | undefined>;
  private readonly changed = new vscode.EventEmitter<CronNode | undefined>();
  private readonly subscriptions: Disposable[];
  private tick: Disposable | undefined;

  constructor(
    private readonly app: CronApp,
    private readonly view: Pick<vscode.TreeView<unknown>, 'visible' | 'onDidChangeVisibility'>,
  ) {
    this.onDidChangeTreeData = this.changed.event;
    const refresh = () => this.refresh();
    this.subscriptions = [
      this.changed,
      app.cron.service.onChange(refresh),
      app.cron.onOutcome(refresh),
      app.dream.onChange(refresh),
      view.onDidChangeVisibility(({ visible }) => {
        if (visible) refresh();
      }),
    ];
  }

  refresh(): void {
    this.changed.fire(undefined);
  }

  /** What cannot be read is a row that says why. */
  async getChildren(node?: CronNode): Promise<CronNode[]> {
    try {
      if (node) return await this.runsOf(node);
      this.sleep();
      return await this.roots();
    } catch (cause) {
      this.app.log.error('The Schedules view could not be filled.', cause);
      return [{ kind: 'problem', reason: reasonOf(cause) }];
    }
  }

  getTreeItem(node: CronNode): vscode.TreeItem {
    switch (node.kind) {
      case 'job':
        return this.jobItem(node.job);
      case 'system':
        return systemItem(node);
      case 'run':
        return runItem(node, this.present());
      case 'problem': {
        const item = new vscode.TreeItem(t('The schedules could not be read'));
        item.description = node.reason;
        item.tooltip = node.reason;
        item.iconPath = new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground'));
        return item;
      }
    }
  }

  dispose(): void {
    this.tick?.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private async roots(): Promise<CronNode[]> {
    const { service } = this.app.cron;
    const jobs = [...(await service.jobs.list())].sort((left, right) => orderOf(left) - orderOf(right));
    const system = await this.system();
    // Nothing at all leaves the view to its welcome.
    if (jobs.length === 0 && system.every(({ description }) => description === nothing())) return [];
    return [...jobs.map((job): CronNode => ({ kind: 'job', job })), ...system];
  }

  private async runsOf(node: CronNode): Promise<CronNode[]> {
    const owner =
      node.kind === 'job' ? node.job.id : node.kind === 'system' && node.id === 'heartbeat' ? node.id : undefined;
    if (owner === undefined) return [];
    const runs = await this.app.cron.service.jobs.runs(owner);
    return runs.slice(0, SHOWN_RUNS).map((run) => ({ kind: 'run', owner, run }));
  }

  private async system() {
    return [await this.dreamRow(), await this.heartbeatRow()];
  }

  private async dreamRow() {
    const { phase, lastRun, nextRunAt, unread } = await this.app.dream.state();
    const enabled = this.app.settings()['dream.enabled'];
    const present = this.present();
    const last = lastRun && t('last {0}', momentWords(lastRun.at, present));
    const idle = last ?? (unread === 0 ? nothing() : whenThereIsTime());
    const running = phase !== 'idle';
    const next = nextRunAt === undefined || unread === 0 ? idle : nextWords(nextRunAt, present);
    const error = lastRun?.outcome.kind === 'failed' ? lastRun.outcome.reason : undefined;
    return {
      ...{ kind: 'system' as const, id: 'dream' as const, label: 'Dream', enabled, running },
      description: running ? t('running now') : enabled ? next : t('disabled'),
      ...(error === undefined ? {} : { error }),
    };
  }

  private async heartbeatRow() {
    const { heartbeat } = this.app.cron;
    const enabled = this.app.settings()['heartbeat.enabled'];
    const hasTasks = (await heartbeat.tasks()) !== '';
    const next = heartbeat.nextAt === undefined ? whenThereIsTime() : nextWords(heartbeat.nextAt, this.present());
    return {
      ...{
        kind: 'system' as const,
        id: 'heartbeat' as const,
        label: t('Heartbeat'),
        enabled,
        running: heartbeat.running,
      },
      description: heartbeat.running ? t('running now') : !enabled ? t('disabled') : hasTasks ? next : nothing(),
    };
  }

  private jobItem(job: Job): vscode.TreeItem {
    const running = this.app.cron.service.isRunning(job.id) || job.state.runningSinceMs !== undefined;
    const item = new vscode.TreeItem(job.name, vscode.TreeItemCollapsibleState.Collapsed);
    item.id = job.id;
    item.description = jobDescription(job, running, this.present());
    item.tooltip = this.tooltip(job);
    item.iconPath = running ? icon('sync~spin') : iconOf(job);
    item.contextValue = `job ${job.enabled ? 'enabled' : 'disabled'}`;
    item.accessibilityInformation = { label: `${job.name}, ${item.description}, ${lastWords(job)}` };
    return item;
  }

  private tooltip(job: Job): string {
    const { zone } = this.present();
    const error = job.state.lastStatus === 'error' ? job.state.lastError : undefined;
    const added = addedWords(job);
    const facts = [
      job.payload.message,
      '',
      scheduleWords(job.schedule, zone),
      added,
      lastWords(job),
      error,
      job.problem,
    ];
    return facts.filter((fact) => fact !== undefined).join('\n');
  }

  /** One timer, while somebody looks. */
  private sleep(): void {
    this.tick?.dispose();
    this.tick = this.app.clock.after(TICK_MS, () => {
      if (this.view.visible) this.refresh();
    });
  }

  private present(): Present {
    return { now: this.app.clock.now(), zone: this.app.clock.zone() };
  }
}

const nothing = () => t('nothing to do');
const whenThereIsTime = () => t('when there is time');

/** By the next time; what does not run comes last. */
function orderOf({ enabled, problem, state }: Job): number {
  if (problem !== undefined) return Number.MAX_SAFE_INTEGER - 1;
  return enabled ? (state.retryAtMs ?? state.nextRunAtMs ?? Number.MAX_SAFE_INTEGER - 2) : Number.MAX_SAFE_INTEGER;
}

function iconOf({ enabled, problem, state }: Job): vscode.ThemeIcon {
  if (problem !== undefined) return icon('warning', 'list.warningForeground');
  if (state.lastStatus === 'error') return icon('error', 'list.errorForeground');
  if (!enabled) return icon(state.lastStatus === 'ok' ? 'pass' : 'circle-slash', 'disabledForeground');
  if (state.lastStatus === 'ok') return icon('pass', 'testing.iconPassed');
  return icon(state.lastStatus === 'skipped' ? 'debug-step-over' : 'clock');
}

function lastWords({ state }: Job): string {
  if (state.lastStatus === undefined) return t('It has not run yet.');
  const words = {
    ok: t('The last run went well.'),
    error: t('The last run failed.'),
    skipped: t('The last run was missed.'),
  };
  return words[state.lastStatus];
}

function systemItem({
  id,
  label,
  description,
  enabled,
  running,
  error,
}: Extract<CronNode, { kind: 'system' }>): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, id === 'heartbeat' ? Collapsed : None);
  item.id = `system ${id}`;
  item.description = description;
  const what =
    id === 'dream'
      ? t('Reads what is new in the history and keeps what is worth keeping.')
      : t('Looks at the active tasks of HEARTBEAT.md.');
  item.tooltip = error === undefined ? what : `${what}\n${error}`;
  const name = running ? 'sync~spin' : id === 'dream' ? 'sparkle' : 'pulse';
  item.iconPath = error === undefined ? icon(name, 'charts.purple') : icon('error', 'list.errorForeground');
  item.contextValue = `system ${enabled ? 'enabled' : 'disabled'} ${id}`;
  return item;
}

function runItem(node: Extract<CronNode, { kind: 'run' }>, present: Present): vscode.TreeItem {
  const { run } = node;
  const { label, description } = runWords(run, present);
  const item = new vscode.TreeItem(label);
  item.description = description;
  const denied = run.denied === undefined ? [] : [t('Not allowed: {0}', run.denied.join('; '))];
  item.tooltip = [run.error, run.text, ...denied].filter(Boolean).join('\n\n');
  const icons = {
    ok: icon(run.denied ? 'warning' : 'pass', run.denied ? 'list.warningForeground' : 'testing.iconPassed'),
    error: icon('error', 'list.errorForeground'),
    skipped: icon('debug-step-over'),
  };
  item.iconPath = icons[run.status];
  item.contextValue = run.session === undefined ? 'run' : 'run chat';
  if (run.session !== undefined)
    item.command = { title: t('Open Run'), command: 'nanobot.cron.openRun', arguments: [node] };
  item.accessibilityInformation = { label: t('Run {0}, {1}, {2}', label, statusWords(run), description) };
  return item;
}

function statusWords({ status }: RunRecord): string {
  if (status === 'ok') return t('ok');
  return status === 'error' ? t('error') : t('skipped');
}

function icon(name: string, color?: string): vscode.ThemeIcon {
  return new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color));
}
