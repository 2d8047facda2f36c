import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { plain } from '../platform/plainText.js';
import type { Job } from '../cron/job.js';
import { jobSession } from '../cron/jobSession.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import type { ChatController } from './chat/chatController.js';
import type { CronCommandId } from './commandIds.js';
import { addJob, editJob } from './cronEdit.js';
import type { CronApp } from './cronSurfaces.js';
import type { CronNode, CronTree } from './cronTree.js';
import { openChat } from './chat/openChat.js';
import { writeSetting } from './settings.js';
import { tellReason, told, type Run } from './told.js';

export interface CronCommandDeps {
  app: CronApp;
  tree: Pick<CronTree, 'refresh'>;
  view: Pick<vscode.TreeView<unknown>, 'selection'>;
  showChat(): Promise<ChatController>;
}

/** What each command of schedules does, on a row or, from the palette, on one that the person chooses. What goes wrong is said in words. */
export function createCronCommands(deps: CronCommandDeps): Record<CronCommandId, Run> {
  const { app, tree } = deps;
  const { service } = app.cron;
  const commands: Record<CronCommandId, Run> = {
    'cron.add': () => addJob(app),
    'cron.edit': withJob(deps, t('Which schedule should change?'), (job) => editJob(app, job)),
    'cron.remove': withJob(deps, t('Which schedule should be removed?'), (job) => remove(deps, job)),
    'cron.enable': toggle(deps, true),
    'cron.disable': toggle(deps, false),
    'cron.runNow': async ([row]) => {
      const node = nodeOf(row);
      if (node?.kind === 'system') return runSystem(app, node.id);
      await withJob(deps, t('Which schedule should run now?'), async ({ id }) => {
        await service.runNow(id);
      })([row]);
    },
    'cron.openRun': async ([row]) => {
      const node = nodeOf(row);
      if (node?.kind === 'run') return openSession(deps, node.run.session ?? jobSession(node.owner));
      await withJob(deps, t('Whose last run should be opened?'), (job) => openSession(deps, jobSession(job.id)))([row]);
    },
  };
  const safe = told(commands, (cause) => tellReason(app.log, 'schedules', cause));
  const refreshing = Object.entries<Run>(safe).map(([id, run]) => {
    const after = (args: unknown[]) => run(args).then(tree.refresh.bind(tree));
    return [id, after];
  });
  return Object.fromEntries(refreshing) as typeof commands;
}

function nodeOf(row: unknown): CronNode | undefined {
  return typeof row === 'object' && row !== null && 'kind' in row ? (row as CronNode) : undefined;
}

function withJob(deps: CronCommandDeps, question: string, work: (job: Job) => Promise<void>): Run {
  return async ([row]) => {
    const node = nodeOf(row);
    const job = node?.kind === 'job' ? node.job : await chooseJob(deps.app, question);
    // The row may be older than the file.
    if (job) await work(await deps.app.cron.service.jobs.find(job.id));
  };
}

async function chooseJob({ cron, clock }: CronApp, placeHolder: string): Promise<Job | undefined> {
  const jobs = await cron.service.jobs.list();
  if (jobs.length === 0) {
    const add = t('Add Schedule');
    if (await vscode.window.showInformationMessage(plain(t('Nanobot: there are no schedules yet.')), add))
      await vscode.commands.executeCommand('nanobot.cron.add');
    return undefined;
  }
  const items = jobs.map((job) => ({
    label: job.name,
    description: `${scheduleWords(job.schedule, clock.zone())}${job.enabled ? '' : ` · ${t('disabled')}`}`,
    detail: job.payload.message,
    job,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true, matchOnDetail: true }))
    ?.job;
}

async function remove({ app }: CronCommandDeps, job: Job): Promise<void> {
  const detail = t('Its run history goes with it. The conversation of its runs stays among the chats.');
  const question = t('Remove “{0}”?', job.name);
  if (await vscode.window.showWarningMessage(question, { modal: true, detail }, t('Remove')))
    await app.cron.service.jobs.remove(job.id);
}

function toggle(deps: CronCommandDeps, on: boolean): Run {
  return async ([row]) => {
    const node = nodeOf(row);
    if (node?.kind === 'system') {
      await writeSetting(`${node.id}.enabled`, on);
      return;
    }
    const question = on ? t('Which schedule should be enabled?') : t('Which schedule should be disabled?');
    await withJob(deps, question, async ({ id }) => {
      await deps.app.cron.service.jobs.setEnabled(id, on);
    })([row]);
  };
}

async function runSystem({ cron }: CronApp, id: 'dream' | 'heartbeat'): Promise<void> {
  if (id === 'dream') await vscode.commands.executeCommand('nanobot.dream');
  else await cron.heartbeat.runNow();
}

async function openSession({ app, showChat }: CronCommandDeps, key: string): Promise<void> {
  await openChat({ app, showChat }, key);
}
