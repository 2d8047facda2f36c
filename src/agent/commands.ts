import { t } from '@vscode/l10n';
import type { MemoryStore } from '../memory/store.js';
import { closest } from '../platform/closest.js';
import type { Clock } from '../platform/ports.js';
import type { CommandItem } from '../protocol/wire.js';
import type { Conversation } from './conversation.js';
import { shownTitle } from '../protocol/chatTitle.js';
import type { Dreaming } from './dreaming.js';
import { noteUnusable, skillLines, type SkillShelf } from './skillUse.js';

/** What commands need of the loop and of the shells around it. */
export interface CommandHost {
  memory: MemoryStore;
  clock: Clock;
  stop(key: string): void;
  undo(key: string): Promise<void>;
  /** Summarises the conversation so far; resolves when that has begun. */
  compact(conversation: Conversation): Promise<void>;
  dreaming: Dreaming;
  skills: SkillShelf;
  /** Subagents of a session that have not ended. */
  subagents: { count(key: string): { running: number; queued: number } };
  /** Begins a new conversation for the channel of this one. */
  startNew(conversation: Conversation): Promise<void>;
  /** Takes the chat out to a file. */
  exportChat(conversation: Conversation, argument: string): Promise<void>;
  setModel(id: string): Promise<void>;
  currentModel(): string;
}

interface Command {
  name: string;
  /** In the person's language, which is not known yet when this is loaded. */
  description(): string;
  /** Answers also while a turn runs. */
  run(host: CommandHost, conversation: Conversation, argument: string): Promise<void> | void;
}

const COMMANDS: Command[] = [
  {
    name: 'new',
    description: () => t('Start a new chat'),
    run: (host, conversation) => host.startNew(conversation),
  },
  {
    name: 'stop',
    description: () => t('Stop the running turn and its subagents'),
    run: (host, conversation) => {
      const { running, queued } = host.subagents.count(conversation.key);
      if (!conversation.running && running + queued === 0) answer(conversation, t('Nothing is running.'));
      host.stop(conversation.key);
    },
  },
  { name: 'status', description: () => t('Model, context, session and home'), run: showStatus },
  { name: 'model', description: () => t('Show the model, or switch: /model provider/model'), run: showOrSetModel },
  { name: 'help', description: () => t('What you can type after /'), run: showHelp },
  { name: 'history', description: () => t('The newest summaries: /history 10'), run: showHistory },
  {
    name: 'compact',
    description: () => t('Summarise the conversation so far'),
    run: (host, conversation) => host.compact(conversation),
  },
  {
    name: 'dream',
    description: () => t('Read what is new and learn from it'),
    run: (host, conversation) => {
      host.dreaming.dream(conversation);
    },
  },
  {
    name: 'dream-log',
    description: () => t('What a Dream changed: /dream-log, or /dream-log abc1234'),
    run: (host, conversation, sha) => {
      host.dreaming.log(conversation, sha);
    },
  },
  {
    name: 'dream-restore',
    description: () => t('Take back what a Dream changed: /dream-restore abc1234'),
    run: (host, conversation, sha) => {
      host.dreaming.restore(conversation, sha);
    },
  },
  {
    name: 'skill',
    description: () => t('The skills there are: /skill, or /skill name'),
    run: async (host, conversation, name) => {
      answer(conversation, skillLines(await host.skills.current(), name));
    },
  },
  {
    name: 'export',
    description: () => t('Save this chat as a file: /export, or /export chat.md'),
    run: (host, conversation, argument) => host.exportChat(conversation, argument),
  },
  {
    name: 'undo',
    description: () => t('Undo the file changes of the last turn'),
    run: (host, conversation) => host.undo(conversation.key),
  },
];

/** Commands for a completion list. */
export function commandItems(): CommandItem[] {
  return COMMANDS.map(({ name, description }) => ({ name, description: description() }));
}

/**
 * Runs a message that is a slash command. False where it is none: only `/word` at the start counts, so a path such as `/etc/hosts` is a message.
 * An unknown command is answered with the nearest ones and never sent to a model. The name of a skill is none: such a message is one for the model.
 */
export async function runCommand(text: string, conversation: Conversation, host: CommandHost): Promise<boolean> {
  const match = /^\/([a-z][a-z0-9-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (!match) return false;
  const name = (match[1] ?? '').toLowerCase();
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command) {
    await command.run(host, conversation, (match[2] ?? '').trim());
    return true;
  }
  const skill = await host.skills.find(name);
  if (skill) {
    // A message that calls for a skill is a message: what the skill says goes with it.
    noteUnusable(skill, conversation);
    return false;
  }
  const skills = host.skills.list().map((other) => other.name);
  const near = closest(name, new Set([...COMMANDS.map((candidate) => candidate.name), ...skills]));
  const words =
    near.length > 0
      ? t('There is no command /{0}. Did you mean {1}?', name, near.map((other) => `/${other}`).join(t(' or ')))
      : t('There is no command /{0}. Type /help for what there is.', name);
  conversation.notice('command', 'warning', words);
  return true;
}

function answer(conversation: Conversation, text: string): void {
  conversation.notice('command', 'info', text);
}

function showHelp(_host: CommandHost, conversation: Conversation): void {
  const commands = COMMANDS.map(({ name, description }) => `/${name} – ${description()}`);
  answer(conversation, [...commands, t('/ with the name of a skill – Use that skill; /skill lists them')].join('\n'));
}

function showStatus(host: CommandHost, conversation: Conversation): void {
  const { state } = conversation;
  const context = state.context;
  const { running, queued } = host.subagents.count(conversation.key);
  const seconds = (since: number) => Math.round((host.clock.now() - since) / 1000);
  const lines = [
    t('Model: {0}', state.model ? `${state.model.label} (${state.model.id})` : host.currentModel()),
    context ? t('Context: {0} of {1} tokens', context.used, context.window) : t('Context: nothing sent yet'),
    t('Session: {0} ({1}), {2} messages', shownTitle(state.session.title), conversation.key, state.total),
    state.turn
      ? t('Running: step {0}, {1} s, {2} queued', state.turn.steps, seconds(state.turn.startedAt), state.queue.length)
      : t('Running: nothing'),
    ...(running + queued > 0 ? [t('Subagents: {0} running, {1} waiting', running, queued)] : []),
    t('Home: {0}', host.memory.home),
  ];
  conversation.notice('command', 'info', lines.join('\n'));
}

async function showOrSetModel(host: CommandHost, conversation: Conversation, argument: string): Promise<void> {
  if (argument === '') {
    const id = conversation.state.model?.id ?? host.currentModel();
    conversation.notice('command', 'info', t('Model: {0}', id), ['switchModel']);
    return;
  }
  if (argument !== 'auto' && !/^[\w.-]+\/\S+$/.test(argument)) {
    conversation.notice(
      'command',
      'warning',
      t('"{0}" is not a model: write provider/model, such as anthropic/claude-opus-4-5, or auto.', argument),
      ['switchModel'],
    );
    return;
  }
  await host.setModel(argument);
  answer(conversation, t('Model: {0}, from the next message on.', argument));
}

async function showHistory(host: CommandHost, conversation: Conversation, argument: string): Promise<void> {
  const count = argument === '' ? 10 : Number(argument);
  if (!Number.isInteger(count) || count < 1 || count > 50) {
    conversation.notice('command', 'warning', t('How many? /history takes a number from 1 to 50.'));
    return;
  }
  const entries = await host.memory.latest(count);
  answer(
    conversation,
    entries.length === 0
      ? t('There are no summaries yet: history.jsonl is empty.')
      : entries.map((entry) => `${entry.timestamp}  ${entry.content}`).join('\n'),
  );
}
