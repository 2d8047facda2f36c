import { languageOf } from './practiceIntents.js';
import {
  inWords,
  nextReply,
  outcomesSince,
  lastRequest,
  type Language,
  type Reply,
  type Step,
} from './practicePlan.js';
import type { ModelRequest } from './provider.js';

const MEMORY = 'memory/MEMORY.md';
/** Under this heading of the template it writes; at the end of the file where there is none. */
const HEADING = '## About the person';

/**
 * What the practice model answers in the two phases of Dream; undefined for any other request. It learns only sentences that are marked
 * "remember that …" or 记住…, and of those only what MEMORY.md does not say yet: it understands nothing else.
 */
export function dreamReply(request: ModelRequest): Reply | undefined {
  const { text } = lastRequest(request.messages);
  if (request.system.startsWith('# Dream, first phase')) return { thinking: '', text: findingsIn(text) };
  if (!request.system.startsWith('# Dream, second phase')) return undefined;
  const facts = [...text.matchAll(/^\[MEMORY\] (.+)$/gm)].map((match) => match[1] ?? '');
  const tools = request.toolChoice === 'none' ? [] : request.tools;
  const language = languageOf(facts.join(''));
  return nextReply(editSteps(facts, text, language), outcomesSince(request.messages), tools, language);
}

function findingsIn(text: string): string {
  const at = text.indexOf('## Entries to go through');
  const known = text.slice(0, at).toLowerCase();
  const facts = markedIn(text.slice(at)).filter((fact) => !known.includes(fact.toLowerCase()));
  return facts.length === 0 ? '[SKIP]' : [...new Set(facts)].map((fact) => `[MEMORY] ${fact}`).join('\n');
}

function markedIn(entries: string): string[] {
  const english = /\bremember(?: that|:)\s+([^\n]+?)(?=[.!](?:\s|$)|\n|$)/gi;
  const chinese = /记住[:：,，]?\s*([^\n。！]+)/g;
  const own = entries
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .join('\n');
  return [...own.matchAll(english), ...own.matchAll(chinese)].map((match) => (match[1] ?? '').trim()).filter(Boolean);
}

function editSteps(facts: readonly string[], text: string, language: Language): Step[] {
  const context = { language, now: 0 };
  const lines = facts.map((fact) => `- ${fact}`).join('\n');
  const list = new RegExp(`${HEADING}\\n\\n(?=[-*] )`).exec(text)?.[0];
  const edit =
    list !== undefined
      ? { old_text: list, new_text: `${list}${lines}\n` }
      : text.includes(`${HEADING}\n`)
        ? { old_text: `${HEADING}\n`, new_text: `${HEADING}\n\n${lines}\n` }
        : { old_text: '', new_text: lines };
  return [
    {
      kind: 'call',
      tool: 'edit_file',
      args: { path: MEMORY, edits: [edit] },
      announce: '',
      report: () => inWords(context, 'Kept what was marked to be remembered.', '记下了标明要记住的内容。'),
    },
  ];
}
