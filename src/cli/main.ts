import { createInterface, type Interface } from 'node:readline/promises';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../app.js';
import { approvalText, terminalChannel } from '../channels/terminal.js';
import type { AgentEvent, SessionEvent } from '../protocol/event.js';
import { cronMain } from './cron.js';
import { gatewayMain } from './gateway.js';
import { readOptions, USAGE, type AgentOptions } from './options.js';
import { createCliApp } from './ports.js';
import { recallMain } from './recall.js';

/** Runs the command line; resolves with the exit status: 0 done, 1 the turn failed, 2 wrong usage. */
export async function main(args: string[]): Promise<number> {
  if (args[0] === 'recall') return recallMain(args.slice(1));
  if (args[0] === 'cron') return cronMain(args.slice(1));
  if (args[0] === 'gateway') return gatewayMain(args.slice(1));
  const read = readOptions(args);
  if ('help' in read) {
    process.stdout.write(USAGE);
    return 0;
  }
  if ('problem' in read) return wrongUsage(read.problem);
  const { options } = read;
  const workspace = resolve(options.workspace ?? '.');
  const found = await stat(workspace).catch(() => undefined);
  if (!found?.isDirectory()) return wrongUsage(`--workspace ${workspace} is not a folder.`);
  const app = await createCliApp({ ...options, workspace });
  const shell = new TerminalShell(app, options);
  process.once('SIGTERM', () => {
    shell.end();
  });
  // Whoever read the answer has gone, as `head` does: nothing can be said any more, and what was said is on disk.
  process.stdout.on('error', () => {
    shell.end();
  });
  try {
    return options.message === undefined ? await shell.converse() : await shell.send(options.message);
  } finally {
    shell.close();
    await app.close();
  }
}

function wrongUsage(problem: string): number {
  process.stderr.write(`${problem}\n\n${USAGE}`);
  return 2;
}

/** One session on a terminal. */
class TerminalShell {
  private readonly interactive = process.stdin.isTTY && process.stdout.isTTY;
  private readonly lines: Interface | undefined;
  private readonly draw: (event: AgentEvent) => void;
  private ended: ((status: number) => void) | undefined;
  private ending = false;
  /** Turns that have ended. */
  private turns = 0;

  constructor(
    private readonly app: App,
    private readonly options: AgentOptions,
  ) {
    const wantsLines = this.interactive || options.message === undefined;
    this.lines = wantsLines
      ? createInterface({ input: process.stdin, output: process.stderr, terminal: this.interactive })
      : undefined;
    this.draw = terminalChannel({
      answer: (text) => void process.stdout.write(text),
      progress: (text) => void process.stderr.write(text),
    });
    app.bus.subscribe((event) => {
      this.happened(event);
    });
    const interrupted = () => {
      this.interrupted();
    };
    // On a terminal readline takes Ctrl-C as a key; everywhere else it is a signal.
    if (this.interactive) this.lines?.on('SIGINT', interrupted);
    else process.on('SIGINT', interrupted);
  }

  /** Sends one message and waits for the end of its turn. */
  send(text: string): Promise<number> {
    const done = new Promise<number>((resolve) => (this.ended = resolve));
    const refused = this.app.bus.publish({
      id: this.app.newId(),
      channel: 'cli',
      sessionKey: this.options.session,
      text,
      attachments: [],
      watched: this.interactive,
    });
    return refused ? Promise.resolve(1) : done;
  }

  /** Reads lines until the input ends; the status is that of the last turn. */
  async converse(): Promise<number> {
    const { lines } = this;
    if (!lines) return 2;
    let status = 0;
    if (this.interactive)
      process.stderr.write('Nanobot. An empty line or Ctrl-D ends, Ctrl-C stops a turn, /help lists commands.\n');
    lines.setPrompt('> ');
    if (this.interactive) lines.prompt();
    for await (const line of lines) {
      if (line.trim() === '' && this.interactive) break;
      if (line.trim() !== '') status = await this.send(line);
      if (this.ending) break;
      if (this.interactive) lines.prompt();
    }
    return status;
  }

  /** Stops the running turn, and reads no more lines. */
  end(): void {
    this.ending = true;
    this.app.loop.stop(this.options.session);
    this.lines?.close();
  }

  close(): void {
    this.lines?.close();
  }

  private happened({ sessionKey, event }: SessionEvent): void {
    if (sessionKey !== this.options.session) return;
    if (this.options.json) process.stdout.write(`${JSON.stringify(event)}\n`);
    else this.draw(event);
    if (event.type === 'approval_start') void this.ask(event);
    if (event.type === 'question_start') void this.answer(event);
    if (event.type === 'turn_end') void this.turnEnded(event.status === 'done' ? 0 : 1);
    // A command was answered, or the message was not taken: no turn follows.
    if (event.type === 'rejected') void this.commandEnded(event.reason === '');
    if (event.type === 'switch_session') this.finish(0);
  }

  /**
   * A message is answered when what its subagents bring back is: each result begins a turn of its own, and the end of the last one counts. A person who
   * sits there can go on meanwhile.
   */
  private async turnEnded(status: number): Promise<void> {
    const { session, message } = this.options;
    const turn = ++this.turns;
    const waits = message !== undefined || !this.interactive;
    if (waits && !this.ending) await this.app.subagents.settled(session);
    await this.app.loop.idle(session);
    if (!waits || this.turns === turn) this.finish(status);
  }

  /** A command may have begun work that goes on: the process stays until that is over. */
  private async commandEnded(taken: boolean): Promise<void> {
    const { session } = this.options;
    const done = taken && (await this.app.compaction.settled(session)) && (await this.app.dreaming.settled(session));
    this.finish(done ? 0 : 1);
  }

  private finish(status: number): void {
    this.ended?.(status);
    this.ended = undefined;
  }

  private async ask({ approval }: Extract<AgentEvent, { type: 'approval_start' }>): Promise<void> {
    const reply = await this.lines?.question(approvalText(approval));
    const allowed = /^y(es)?$/i.test(reply?.trim() ?? '');
    const conversation = await this.app.loop.conversation(this.options.session);
    conversation.interaction.decide(approval.id, { kind: allowed ? 'allow' : 'deny' });
  }

  private async answer({ question }: Extract<AgentEvent, { type: 'question_start' }>): Promise<void> {
    const options = question.options.length > 0 ? ` (${question.options.join(' / ')})` : '';
    const reply = await this.lines?.question(`\n${question.text}${options}\n`);
    const conversation = await this.app.loop.conversation(this.options.session);
    conversation.interaction.answer(question.id, reply ?? '');
  }

  private interrupted(): void {
    if (this.ended) this.app.loop.stop(this.options.session);
    else this.end();
  }
}
