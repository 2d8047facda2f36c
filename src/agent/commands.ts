import type { MemoryStore } from '../memory/store.js';
import { closest } from '../platform/closest.js';
import type { Clock } from '../platform/ports.js';
import type { CommandItem } from '../protocol/wire.js';
import type { Conversation } from './conversation.js';
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

interface Command extends CommandItem {
  /** Answers also while a turn runs. */
  run(host: CommandHost, conversation: Conversation, argument: string): Promise<void> | void;
}

const COMMANDS: Command[] = [
  {
    name: 'new',
    description: 'Start a new chat',
    run: (host, conversation) => host.startNew(conversation),
  },
  {
    name: 'stop',
    description: 'Stop the running turn and its subagents',
    run: (host, conversation) => {
      const { running, queued } = host.subagents.count(conversation.key);
      if (!conversation.running && running + queued === 0) answer(conversation, 'Nothing is running.');
      host.stop(conversation.key);
    },
  },
  { name: 'status', description: 'Model, context, session and home', run: showStatus },
  { name: 'model', description: 'Show the model, or switch: /model provider/model', run: showOrSetModel },
  { name: 'help', description: 'What you can type after /', run: showHelp },
  { name: 'history', description: 'The newest summaries: /history 10', run: showHistory },
  {
    name: 'compact',
    description: 'Summarise the conversation so far',
    run: (host, conversation) => host.compact(conversation),
  },
  {
    name: 'dream',
    description: 'Read what is new and learn from it',
    run: (host, conversation) => {
      host.dreaming.dream(conversation);
    },
  },
  {
    name: 'dream-log',
    description: 'What a Dream changed: /dream-log, or /dream-log abc1234',
    run: (host, conversation, sha) => {
      host.dreaming.log(conversation, sha);
    },
  },
  {
    name: 'dream-restore',
    description: 'Take back what a Dream changed: /dream-restore abc1234',
    run: (host, conversation, sha) => {
      host.dreaming.restore(conversation, sha);
    },
  },
  {
    name: 'skill',
    description: 'The skills there are: /skill, or /skill name',
    run: async (host, conversation, name) => {
      answer(conversation, skillLines(await host.skills.current(), name));
    },
  },
  {
    name: 'export',
    description: 'Save this chat as a file: /export, or /export chat.md',
    run: (host, conversation, argument) => host.exportChat(conversation, argument),
  },
  {
    name: 'undo',
    description: 'Undo the file changes of the last turn',
    run: (host, conversation) => host.undo(conversation.key),
  },
];

/** Commands for a completion list. */
export function commandItems(): CommandItem[] {
  return COMMANDS.map(({ name, description }) => ({ name, description }));
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
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((other) => `/${other}`).join(' or ')}?`
      : 'Type /help for what there is.';
  conversation.notice('command', 'warning', `There is no command /${name}. ${hint}`);
  return true;
}

function answer(conversation: Conversation, text: string): void {
  conversation.notice('command', 'info', text);
}

function showHelp(_host: CommandHost, conversation: Conversation): void {
  const commands = COMMANDS.map(({ name, description }) => `/${name} – ${description}`);
  answer(conversation, [...commands, '/ with the name of a skill – Use that skill; /skill lists them'].join('\n'));
}

function showStatus(host: CommandHost, conversation: Conversation): void {
  const { state } = conversation;
  const context = state.context;
  const { running, queued } = host.subagents.count(conversation.key);
  const lines = [
    `Model: ${state.model ? `${state.model.label} (${state.model.id})` : host.currentModel()}`,
    context ? `Context: ${String(context.used)} of ${String(context.window)} tokens` : 'Context: nothing sent yet',
    `Session: ${state.session.title} (${conversation.key}), ${String(state.total)} messages`,
    state.turn
      ? `Running: step ${String(state.turn.steps)}, ${String(Math.round((host.clock.now() - state.turn.startedAt) / 1000))} s, ${String(state.queue.length)} queued`
      : 'Running: nothing',
    ...(running + queued > 0 ? [`Subagents: ${String(running)} running, ${String(queued)} waiting`] : []),
    `Home: ${host.memory.home}`,
  ];
  conversation.notice('command', 'info', lines.join('\n'));
}

async function showOrSetModel(host: CommandHost, conversation: Conversation, argument: string): Promise<void> {
  if (argument === '') {
    conversation.notice('command', 'info', `Model: ${conversation.state.model?.id ?? host.currentModel()}`, [
      'switchModel',
    ]);
    return;
  }
  if (argument !== 'auto' && !/^[\w.-]+\/\S+$/.test(argument)) {
    conversation.notice(
      'command',
      'warning',
      `"${argument}" is not a model: write provider/model, such as anthropic/claude-opus-4-5, or auto.`,
      ['switchModel'],
    );
    return;
  }
  await host.setModel(argument);
  answer(conversation, `Model: ${argument}, from the next message on.`);
}

async function showHistory(host: CommandHost, conversation: Conversation, argument: string): Promise<void> {
  const count = argument === '' ? 10 : Number(argument);
  if (!Number.isInteger(count) || count < 1 || count > 50) {
    conversation.notice('command', 'warning', 'How many? /history takes a number from 1 to 50.');
    return;
  }
  const entries = await host.memory.latest(count);
  answer(
    conversation,
    entries.length === 0
      ? 'There are no summaries yet: history.jsonl is empty.'
      : entries.map((entry) => `${entry.timestamp}  ${entry.content}`).join('\n'),
  );
}
