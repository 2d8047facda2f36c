import { textOf, type StoredMessage } from '../protocol/message.js';
import type { ProviderError, ToolSpec } from './provider.js';

/** The language an answer is given in: that of the request. */
export type Language = 'en' | 'zh';

/** What a finished call came to. */
export interface CallOutcome {
  text: string;
  failed: boolean;
}

/** One step of an answer: words, a call with what is said before and after it, or a failure on purpose. */
export type Step =
  | { kind: 'say'; text: string; thinking?: string }
  | {
      kind: 'call';
      tool: string;
      args: Record<string, unknown>;
      /** Said before the call. */
      announce: string;
      /** Said of its result. Not asked where the call failed. */
      report(result: string): string;
    }
  | { kind: 'fail'; error: ProviderError };

/** What a rule is told beside the words. */
export interface RuleContext {
  language: Language;
  /** Epoch milliseconds. */
  now: number;
}

/** One kind of request: the first form that matches the whole request makes the steps. */
export interface Rule {
  forms: RegExp[];
  /** The request holds text that is kept to the letter, its last full stop included. */
  literal?: true;
  steps(words: string[], context: RuleContext): Step[] | undefined;
}

/** A sentence in the language of the request. */
export function inWords({ language }: RuleContext, en: string, zh: string): string {
  return language === 'zh' ? zh : en;
}

/** What one request is answered with. */
export interface Reply {
  thinking: string;
  text: string;
  call?: { tool: string; args: Record<string, unknown> };
  error?: ProviderError;
}

/** The newest user message and the person's own words in it: attachments stand in blocks after them. */
export function lastRequest(messages: readonly StoredMessage[]): { text: string; message: StoredMessage | undefined } {
  const message = messages.findLast((candidate) => candidate.role === 'user');
  const content = message?.content;
  const words = Array.isArray(content) ? content.find((block) => block.type === 'text') : undefined;
  return { text: (words?.text ?? textOf(content)).trim(), message };
}

/** The results of calls since the newest user message, in order. */
export function outcomesSince(messages: readonly StoredMessage[]): CallOutcome[] {
  const from = messages.findLastIndex((candidate) => candidate.role === 'user');
  return messages.slice(from + 1).flatMap((message) => {
    if (message.role !== 'tool') return [];
    const text = textOf(message.content);
    const status = message.tool?.status;
    return [{ text, failed: status === undefined ? /^Error\b/.test(text) : status !== 'ok' }];
  });
}

/**
 * Walks the steps as far as their results are there and gives what comes next: the words since the last result, and the next call. A failed call
 * ends the plan, and so does a tool that is not offered.
 */
export function nextReply(
  steps: readonly Step[],
  outcomes: readonly CallOutcome[],
  tools: readonly ToolSpec[],
  language: Language,
): Reply {
  let thinking = '';
  let words: string[] = [];
  let taken = 0;
  for (const step of steps) {
    if (step.kind === 'say') {
      thinking += step.thinking ?? '';
      words.push(step.text);
      continue;
    }
    if (step.kind === 'fail') return { thinking, text: words.join('\n\n'), error: step.error };
    const outcome = outcomes[taken];
    if (!outcome) return withCall(step, { thinking, words }, tools, language);
    taken++;
    words = [outcome.failed ? failedWords(outcome.text, language) : step.report(outcome.text)];
    thinking = '';
    if (outcome.failed) break;
  }
  return { thinking, text: words.filter((text) => text !== '').join('\n\n') };
}

function withCall(
  step: Extract<Step, { kind: 'call' }>,
  said: { thinking: string; words: string[] },
  tools: readonly ToolSpec[],
  language: Language,
): Reply {
  const spec = tools.find((tool) => tool.name === step.tool);
  const text = [...said.words, spec ? step.announce : missingWords(step.tool, language)]
    .filter((part) => part !== '')
    .join('\n\n');
  if (!spec) return { thinking: said.thinking, text };
  return { thinking: said.thinking, text, call: { tool: step.tool, args: onlyKnown(step.args, spec) } };
}

/** Arguments that the tool's schema does not name are left out. */
function onlyKnown(args: Record<string, unknown>, spec: ToolSpec): Record<string, unknown> {
  const properties = spec.parameters['properties'];
  if (typeof properties !== 'object' || properties === null) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in properties));
}

function missingWords(tool: string, language: Language): string {
  if (tool === 'remember' || tool === 'recall') {
    return language === 'zh' ? '这里还没有记忆功能，所以我没有记下来。' : 'Memory is not here yet, so I kept nothing.';
  }
  return language === 'zh'
    ? `这需要工具 \`${tool}\`，但这次对话没有提供它，所以我没有做。`
    : `That needs the tool \`${tool}\`, which is not offered here, so I did not do it.`;
}

function failedWords(result: string, language: Language): string {
  const said = quoted(result, 8);
  return language === 'zh' ? `没有成功。工具的回答是：\n\n${said}` : `That did not work. The tool answered:\n\n${said}`;
}

/** Up to so many lines in a code block whose fence no line of theirs can close. */
export function quoted(text: string, lines: number): string {
  const all = text.trimEnd().split('\n');
  const shown = all.slice(0, lines).map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line));
  const longest = Math.max(2, ...shown.map((line) => /^\s*(`+)/.exec(line)?.[1]?.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  return [fence, ...shown, ...(all.length > lines ? ['…'] : []), fence].join('\n');
}
