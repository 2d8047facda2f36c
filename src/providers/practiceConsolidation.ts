import { textOf, type StoredMessage } from '../protocol/message.js';
import { languageOf } from './practiceIntents.js';
import { lastRequest } from './practicePlan.js';

/** Requests a summary lists at most, and characters of one. */
const MAX_REQUESTS = 20;
const MAX_WORDS = 160;

/**
 * What the practice model answers when a conversation is consolidated; undefined for any other request. It learns only what a person marked with "remember
 * that …", and its summary is a list of what was asked, since it understands nothing.
 */
export function consolidationReply(messages: readonly StoredMessage[]): string | undefined {
  const { text, message } = lastRequest(messages);
  if (!text.startsWith('[Consolidation')) return undefined;
  const said = messages.filter((each) => each.role === 'user' && each !== message).map(wordsOf);
  const requests = said.filter((words) => !words.startsWith('[Summary of '));
  const parts: string[] = [];
  if (text.includes('<facts>')) {
    const facts = requests.flatMap(markedFacts);
    parts.push(`<facts>\n${facts.length > 0 ? facts.map((fact) => `- ${fact}`).join('\n') : '(none)'}\n</facts>`);
  }
  if (text.includes('<summary>')) parts.push(`<summary>\n${summaryOf(requests)}\n</summary>`);
  return parts.join('\n\n');
}

/** Sentences marked to be remembered, with the mark: Dream on this model learns marked ones only. */
function markedFacts(words: string): string[] {
  const english = /\bremember(?: that|:)\s+([^\n]+?)(?=[.!](?:\s|$)|\n|$)/gi;
  const chinese = /(?:请)?记住[:：,，]?\s*([^\n。！]+)/g;
  return [
    ...[...words.matchAll(english)].map((match) => `Remember that ${(match[1] ?? '').trim()}`),
    ...[...words.matchAll(chinese)].map((match) => `记住：${(match[1] ?? '').trim()}`),
  ];
}

function summaryOf(requests: readonly string[]): string {
  const isChinese = languageOf(requests.join('')) === 'zh';
  const shown = requests.slice(-MAX_REQUESTS).map((words) => `- ${words.replace(/\s+/g, ' ').slice(0, MAX_WORDS)}`);
  const title = isChinese
    ? '练习模型不会做摘要，只列出你提过的请求：'
    : 'The practice model cannot summarise. It only lists what you asked:';
  return [title, ...shown].join('\n');
}

function wordsOf({ content }: StoredMessage): string {
  const first = Array.isArray(content) ? content.find((block) => block.type === 'text') : undefined;
  return (first?.text ?? textOf(content)).trim();
}
