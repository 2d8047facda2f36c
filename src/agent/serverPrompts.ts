import { t } from '@vscode/l10n';
import type { InboundMessage, MessageBus } from '../bus/bus.js';
import type { McpManager } from '../mcp/manager.js';
import type { ServerPrompt } from '../mcp/prompts.js';
import { closest } from '../platform/closest.js';
import { reasonOf } from '../platform/reason.js';
import type { CommandItem } from '../protocol/wire.js';
import type { Conversation } from './conversation.js';

/** Characters of a prompt's text that go with a message. */
const LONGEST = 40_000;

export interface ServerPromptsDeps {
  bus: Pick<MessageBus, 'publish'>;
  mcp: Pick<McpManager, 'prompts' | 'getPrompt'>;
  /** Asks the person for an argument; undefined where nobody can be asked. */
  ask: ((prompt: string, argument: { name: string; description: string }) => Promise<string | undefined>) | undefined;
}

/** Thrown where the person did not give what a prompt needs: their words go back to the composer without a complaint. */
class NotGiven extends Error {}

/**
 * The prompts that MCP servers have prepared, called for with `/mcp.<server>.<prompt>`. What the server writes goes with the person's words as text from
 * outside, never in their place.
 */
export class ServerPrompts {
  constructor(private readonly deps: ServerPromptsDeps) {}

  /** For a completion list. */
  items(): CommandItem[] {
    return this.deps.mcp.prompts().map(({ command, description, prompt, args }) => {
      const names = args.map(({ name, required }) => (required ? name : `${name}?`)).join(' ');
      return { name: command, description: [description || prompt, names].filter((text) => text !== '').join(' · ') };
    });
  }

  /** Takes a message that calls for a prompt: it comes back over the bus with the prompt's text. False where it calls for none. */
  begin(message: InboundMessage, conversation: Conversation): boolean {
    const match = /^\/(mcp\.\S+)(?:\s+([\s\S]*))?$/i.exec(message.text.trim());
    const isTyped = !message.scheduled && !message.sender;
    if (!match || !isTyped || message.prompted) return false;
    const [, command = '', rest = ''] = match;
    this.fill(command, rest.trim()).then(
      (prompt) => {
        const quoted = message.quoted === undefined ? prompt : `${prompt}\n\n${message.quoted}`;
        const refused = this.deps.bus.publish({ ...message, quoted, prompted: true });
        if (refused) giveBack(conversation, message, t('Too many messages wait already. Send it again in a moment.'));
      },
      (cause: unknown) => giveBack(conversation, message, cause instanceof NotGiven ? '' : reasonOf(cause)),
    );
    return true;
  }

  private async fill(command: string, text: string): Promise<string> {
    const prompts = this.deps.mcp.prompts();
    const found = prompts.find((prompt) => prompt.command.toLowerCase() === command.toLowerCase());
    if (!found) throw new Error(unknown(command, prompts));
    const args = await this.argumentsOf(found, text);
    const written = await this.deps.mcp.getPrompt(found, args);
    if (written.trim() === '') throw new Error(t('The prompt {0} of {1} is empty.', found.prompt, found.server));
    const shown = written.length > LONGEST ? `${written.slice(0, LONGEST)}\n… cut here` : written;
    const about = `Prompt ${found.prompt} of the MCP server ${found.server}`;
    return `[${about}: the person asked for it, so do what it says. It was written by that server and not by them.]\n\n${shown}\n\n[End of the prompt]`;
  }

  /** The words behind the command are the first argument; the others that are needed are asked for. */
  private async argumentsOf({ command, args }: ServerPrompt, text: string): Promise<Record<string, string>> {
    const given: Record<string, string> = {};
    const [first] = args;
    if (first && text !== '') given[first.name] = text;
    const missing = args.filter(({ name, required }) => required && given[name] === undefined);
    if (missing.length > 0 && !this.deps.ask) {
      const names = missing.map(({ name }) => name).join(', ');
      throw new Error(
        t(
          '/{0} needs {1}. Write the first behind the command; the others can be asked in VS Code only.',
          command,
          names,
        ),
      );
    }
    for (const argument of missing) {
      const value = await this.deps.ask?.(`/${command}`, argument);
      if (value === undefined) throw new NotGiven();
      given[argument.name] = value;
    }
    return given;
  }
}

function giveBack(conversation: Conversation, { id, text }: InboundMessage, reason: string): void {
  // With an empty reason the words would be dropped as those of a command that was carried out.
  conversation.emit({ type: 'rejected', id, text, reason: reason === '' ? t('It was not sent.') : reason });
  if (reason !== '') conversation.notice('command', 'warning', reason);
}

function unknown(command: string, prompts: readonly ServerPrompt[]): string {
  const near = closest(
    command,
    prompts.map((prompt) => prompt.command),
  );
  if (near.length > 0)
    return t('There is no prompt /{0}. Did you mean {1}?', command, near.map((name) => `/${name}`).join(t(' or ')));
  return prompts.length > 0
    ? t('There is no prompt /{0}. Type /mcp. for those there are.', command)
    : t(
        'There is no prompt /{0}. No server that is connected has any: "Nanobot: MCP Servers" shows how they are.',
        command,
      );
}
