import { textOf, type StoredMessage } from '../protocol/message.js';
import { ownWords } from './rawEntry.js';

/** Characters of text from outside that are compared, so that a turn full of pages cannot hold the thread. */
const MAX_COMPARED = 120_000;
/** Letters that must agree before a line counts as taken over; words of scripts without spaces say more with fewer. */
const RUN = 24;
const WIDE_RUN = 10;

/**
 * Facts come from the person's words and the agent's own conclusions. A line that repeats text from outside (web pages, MCP servers, files that
 * are not the project's) which the person never wrote becomes a quotation with its source: `> …`. Dream makes no fact about the person of those. This
 * holds even where the model was talked into writing such a line as a fact.
 */
export function quoteForeign(facts: string, messages: readonly StoredMessage[]): string {
  const foreign = foreignTexts(messages);
  if (foreign.letters === '' || facts === '') return facts;
  const own = letters(
    messages
      .filter((message) => message.role === 'user')
      .map(ownWords)
      .join('\n'),
  );
  return facts
    .split('\n')
    .map((line) => {
      if (line.startsWith('>')) return line;
      const source = sourceOf(letters(line), foreign, own);
      return source === undefined ? line : `> ${line.replace(/^- /, '')} (quoted from ${source})`;
    })
    .join('\n');
}

/**
 * The text from outside in a message: a result marked so, of a tool or a subagent, or of a tool that only brings such text; a server's prompt that went
 * with a person's words.
 */
function foreignText({ role, name, untrusted, content, sender, runtime_context }: StoredMessage): string | undefined {
  if (role === 'user' && !sender) return untrusted === true ? runtime_context : undefined;
  const isForeign = untrusted === true || (role === 'tool' && /^(?:web_|mcp_|lm_)/.test(name ?? ''));
  return isForeign ? textOf(content) : undefined;
}

function kindOf({ role, sender }: StoredMessage): string {
  if (sender) return sender.kind === 'agent' ? 'another agent' : 'a subagent';
  return role === 'user' ? 'a prompt' : 'a tool';
}

/** The letters of all texts from outside, and where in them each text ends. */
interface Foreign {
  letters: string;
  sources: { name: string; end: number }[];
}

function foreignTexts(messages: readonly StoredMessage[]): Foreign {
  const foreign: Foreign = { letters: '', sources: [] };
  for (const message of messages) {
    const room = MAX_COMPARED - foreign.letters.length;
    const text = foreignText(message);
    if (room <= 0 || text === undefined) continue;
    foreign.letters += `${letters(text.slice(0, room))}\n`;
    foreign.sources.push({
      name: message.name ?? kindOf(message),
      end: foreign.letters.length,
    });
  }
  return foreign;
}

function sourceOf(line: string, foreign: Foreign, own: string): string | undefined {
  const run = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(line) ? WIDE_RUN : RUN;
  for (let at = 0; at + run <= line.length; at += run / 2) {
    const piece = line.slice(at, at + run);
    const found = own.includes(piece) ? -1 : foreign.letters.indexOf(piece);
    if (found >= 0) return foreign.sources.find(({ end }) => found < end)?.name;
  }
  return undefined;
}

/** Letters and digits only, in lower case: line breaks, spaces and marks differ between a page and what is told of it. */
function letters(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
