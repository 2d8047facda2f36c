import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Job } from '../cron/job.js';
import type { Schedule } from '../cron/schedule.js';
import { scheduleWords } from '../cron/scheduleWords.js';
import { examples, readWhen } from '../cron/whenWords.js';
import { plain } from '../platform/plainText.js';
import type { Clock } from '../platform/ports.js';
import type { CronApp } from './cronSurfaces.js';
import { editableWords, whenHint, whenWords } from './cronWords.js';
import { capitalised, type Present } from './dates.js';

/** Asks what, when and how to tell it, shows the next three times, and saves. Escape at any step saves nothing. */
export async function addJob({ cron, clock }: CronApp): Promise<void> {
  const message = await askMessage(addTitle(1), '');
  if (message === undefined) return;
  const schedule = await askWhen(addTitle(2), '', clock);
  if (schedule === undefined) return;
  const deliver = await askDeliver(addTitle(3), schedule, clock);
  if (deliver === undefined) return;
  const job = await cron.service.jobs.add({ message, schedule, deliver });
  void vscode.window.showInformationMessage(
    plain(t('Nanobot: “{0}” is scheduled, {1}.', job.name, scheduleWords(job.schedule, clock.zone()))),
  );
}

function addTitle(step: number): string {
  return t('Nanobot: Add Schedule ({0} of 3)', step);
}

/** Changes one thing of a job. */
export async function editJob({ cron, clock }: CronApp, job: Job): Promise<void> {
  const zone = clock.zone();
  const items = [
    { id: 'when', label: t('When'), detail: capitalised(scheduleWords(job.schedule, zone)) },
    { id: 'message', label: t('What to do'), detail: job.payload.message },
    { id: 'name', label: t('Name'), detail: job.name },
    { id: 'deliver', label: t('Result'), detail: job.payload.deliver ? tell() : keep() },
  ] as const;
  const title = t('Nanobot: Edit “{0}”', job.name);
  const picked = await vscode.window.showQuickPick([...items], {
    title,
    placeHolder: t('What should change?'),
    ignoreFocusOut: true,
  });
  if (!picked) return;
  const change = await CHANGES[picked.id](title, job, clock);
  if (change) await cron.service.jobs.update(job.id, change);
}

type Change = Parameters<CronApp['cron']['service']['jobs']['update']>[1];

const CHANGES: Record<
  'when' | 'message' | 'name' | 'deliver',
  (title: string, job: Job, clock: Clock) => Promise<Change | undefined>
> = {
  when: async (title, job, clock) => {
    const words = job.problem === undefined ? editableWords(job.schedule, clock.zone()) : '';
    const schedule = await askWhen(title, words, clock);
    return schedule && { schedule };
  },
  message: async (title, job) => {
    const message = await askMessage(title, job.payload.message);
    return message === undefined ? undefined : { message };
  },
  name: async (title, job) => {
    const prompt = t('What should it be called?');
    const name = await vscode.window.showInputBox({ title, prompt, value: job.name });
    return name === undefined || name.trim() === '' ? undefined : { name };
  },
  deliver: async (title, job, clock) => {
    const deliver = await askDeliver(title, job.schedule, clock);
    return deliver === undefined ? undefined : { deliver };
  },
};

const tell = () => t('Tell me the result');
const keep = () => t('Only keep the result');

async function askMessage(title: string, value: string): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: t('What should Nanobot do then? Write it as you would in the chat.'),
    placeHolder: t('Run the tests and tell me what fails'),
    value,
    ignoreFocusOut: true,
    validateInput: (words) => (words.trim() === '' ? t('Say what is to be done.') : undefined),
  });
  return text?.trim();
}

/** Says below the box, while the person types, how the words are read and when it runs next. */
async function askWhen(title: string, value: string, clock: Clock): Promise<Schedule | undefined> {
  const present = (): Present => ({ now: clock.now(), zone: clock.zone() });
  const words = await vscode.window.showInputBox({
    title,
    prompt: t('When? Such as: {0}. A cron expression works too.', examples().join(', ')),
    placeHolder: examples()[0] ?? '',
    value,
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text.trim() === '') return t('Say when.');
      const { ok, message } = whenHint(text, present());
      const { Info, Error: Wrong } = vscode.InputBoxValidationSeverity;
      return { message, severity: ok ? Info : Wrong };
    },
  });
  if (words === undefined) return undefined;
  const read = readWhen(words, present());
  if ('problem' in read) throw new Error(read.problem);
  return read.schedule;
}

async function askDeliver(title: string, schedule: Schedule, clock: Clock): Promise<boolean | undefined> {
  const present = { now: clock.now(), zone: clock.zone() };
  const items = [
    { label: `$(bell) ${tell()}`, detail: t('A notification with the answer.'), deliver: true },
    { label: `$(bell-slash) ${keep()}`, detail: t('It waits in the Schedules view.'), deliver: false },
  ];
  const placeHolder = whenWords(schedule, present);
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
  return picked?.deliver;
}
