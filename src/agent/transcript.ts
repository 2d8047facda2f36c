import { t } from '@vscode/l10n';
import type { ChatMessage, Part } from '../protocol/chatState.js';
import { textOf, wordsOf, type FileChange, type StoredMessage, type Usage } from '../protocol/message.js';
import { looseArguments } from '../runner/arguments.js';
import type { ToolRegistry } from '../runner/registry.js';
import { shorten } from '../runner/toolCalls.js';
import { sumOf } from '../protocol/usage.js';

/** Characters of arguments and output a card shows; the whole stands in the session file. */
const MAX_SHOWN = 4_000;

/** What a turn did to files, by the turn's id. */
export type TurnChanges = ReadonlyMap<string, { changes: FileChange[]; settled?: 'undone' | 'kept' }>;

/**
 * A window on a stored conversation as the page shows it. Articles are the messages of the person and the agent; results belong to the article
 * whose call they answer.
 */
export class Transcript {
  /** Where in `messages` each article stands. */
  private readonly articles: number[] = [];

  constructor(
    private readonly messages: readonly StoredMessage[],
    private readonly tools: Pick<ToolRegistry, 'find'>,
  ) {
    messages.forEach((message, index) => {
      if (message.role !== 'tool') this.articles.push(index);
    });
  }

  get total(): number {
    return this.articles.length;
  }

  /** The article with this message id, counted from the start; -1 where there is none. */
  indexOf(messageId: string): number {
    return this.articles.findIndex((at) => this.messages[at]?.id === messageId);
  }

  /** Articles `first` … `first + count - 1`, fewer at the ends. */
  slice(first: number, count: number, changes: TurnChanges = new Map()): ChatMessage[] {
    const shown: ChatMessage[] = [];
    for (let index = Math.max(0, first); index < Math.min(first + count, this.articles.length); index++) {
      shown.push(this.article(index, changes));
    }
    return shown;
  }

  /** Articles whose text holds the words, ignoring case: newest last, at most `limit`. */
  find(words: string, limit: number): { index: number; messageId: string; excerpt: string }[] {
    const wanted = words.toLowerCase();
    const hits: { index: number; messageId: string; excerpt: string }[] = [];
    if (wanted === '') return hits;
    for (let index = 0; index < this.articles.length && hits.length < limit; index++) {
      const message = this.messages[this.articles[index] ?? -1];
      const text = textOf(message?.content);
      const at = text.toLowerCase().indexOf(wanted);
      if (at < 0) continue;
      const from = Math.max(0, at - 40);
      hits.push({
        index,
        messageId: message?.id ?? '',
        excerpt: text.slice(from, at + wanted.length + 60).replaceAll('\n', ' '),
      });
    }
    return hits;
  }

  /** The turns that articles `first` … belong to. */
  turns(first: number, count: number): Set<string> {
    const ids = this.articles.slice(Math.max(0, first), first + count).map((at) => this.messages[at]?.turn_id);
    return new Set(ids.filter((id): id is string => id !== undefined));
  }

  private article(index: number, changes: TurnChanges): ChatMessage {
    const at = this.articles[index] ?? 0;
    const message = this.messages[at];
    if (!message) throw new Error(t('There is no message {0}.', at));
    const shared = { id: message.id ?? `line-${String(at)}`, at: Date.parse(message.timestamp) || 0 };
    if (message.role === 'user') {
      return {
        ...shared,
        role: 'user',
        status: 'done',
        parts: [{ kind: 'text', text: wordsOf(message) }],
        ...(message.attachments && message.attachments.length > 0 ? { attachments: message.attachments } : {}),
        ...(message.sender ? { sender: message.sender } : {}),
      };
    }
    return {
      ...shared,
      role: 'assistant',
      status: message.status ?? 'done',
      parts: this.parts(message, at),
      ...(message.error ? { error: message.error } : {}),
      ...this.turnOf(index, message, changes),
    };
  }

  private parts(message: StoredMessage, at: number): Part[] {
    const parts: Part[] = [];
    const thought = message.reasoning_content ?? thinkingOf(message);
    if (thought) parts.push({ kind: 'thinking', text: thought });
    const text = textOf(message.content);
    if (text !== '') parts.push({ kind: 'text', text });
    for (const call of message.tool_calls ?? []) {
      const { name, arguments: args } = call.function;
      const stored = this.resultOf(call.id, at);
      const summary = stored?.tool?.summary ?? this.tools.find(name)?.summary(looseArguments(args)) ?? name;
      parts.push({
        kind: 'tool',
        callId: call.id,
        name,
        status: stored ? (stored.tool?.status ?? 'ok') : 'aborted',
        summary,
        args: shorten(args, MAX_SHOWN),
        startedAt: Date.parse(message.timestamp) || 0,
        ...(stored?.tool ? { ms: stored.tool.ms } : {}),
        ...(stored ? { output: shorten(textOf(stored.content), MAX_SHOWN) } : {}),
        ...(stored?.tool?.files ? { files: stored.tool.files } : {}),
        ...(stored?.tool?.diff ? { diff: stored.tool.diff } : {}),
      });
    }
    return parts;
  }

  private resultOf(callId: string, after: number): StoredMessage | undefined {
    for (let at = after + 1; at < this.messages.length; at++) {
      const message = this.messages[at];
      if (message?.role === 'tool' && message.tool_call_id === callId) return message;
      if (message?.role === 'assistant' && message.tool_calls?.some((call) => call.id === callId)) return undefined;
    }
    return undefined;
  }

  /** Duration, usage and changes, on the last article of a turn. */
  private turnOf(index: number, message: StoredMessage, changes: TurnChanges): Pick<ChatMessage, 'turn'> {
    const id = message.turn_id;
    if (id === undefined || this.messages[this.articles[index + 1] ?? -1]?.turn_id === id) return {};
    let first = index;
    while (first > 0 && this.messages[this.articles[first - 1] ?? -1]?.turn_id === id) first--;
    const members = this.articles.slice(first, index + 1).map((at) => this.messages[at]);
    const usage = members.reduce<Usage | undefined>((sum, member) => sumOf(sum, member?.usage), undefined);
    // A message of ours, such as one that a limit ended the turn, is no step.
    const steps = members.filter((member) => member?.role === 'assistant' && member.model).length;
    const done = changes.get(id);
    const ms = Date.parse(message.timestamp) - Date.parse(members[0]?.timestamp ?? message.timestamp);
    return {
      turn: {
        id,
        ms: Number.isFinite(ms) ? ms : 0,
        ...(steps > 0 ? { steps } : {}),
        ...(usage ? { usage } : {}),
        ...(done && done.changes.length > 0 ? { changes: done.changes } : {}),
        ...(done?.settled ? { settled: done.settled } : {}),
      },
    };
  }
}

function thinkingOf(message: StoredMessage): string {
  return (message.thinking_blocks ?? []).map((block) => (block.type === 'thinking' ? block.thinking : '')).join('');
}
