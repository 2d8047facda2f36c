import type { ChatMessage, ChatState, Part } from '../../src/protocol/chatState.js';

/** When the conversations of the tests take place. */
export const AT = 1_760_000_000_000;

export function userMessage(id: string, text: string): ChatMessage {
  return { id, role: 'user', status: 'done', parts: [{ kind: 'text', text }], at: AT };
}

export function answer(id: string, text: string, more: Partial<ChatMessage> = {}): ChatMessage {
  return { id, role: 'assistant', status: 'done', parts: [{ kind: 'text', text }], at: AT, ...more };
}

/** Messages `from` … `to - 1` of a long conversation, each with its index as id (`m0`, `m1`, …). */
export function longConversation(from: number, to: number): ChatMessage[] {
  return Array.from({ length: to - from }, (_, offset) => {
    const index = from + offset;
    const text = `Message number ${index}. ${'It says something of a certain length. '.repeat((index % 4) + 1)}`;
    return index % 2 === 0 ? userMessage(`m${index}`, text) : answer(`m${index}`, text);
  });
}

export const diff = `--- a/src/duration.js
+++ b/src/duration.js
@@ -3,6 +3,7 @@ export function parse(text) {
   const match = /^(\\d+)(s|m|h)$/.exec(text);
-  if (!match) return 0;
+  if (!match) throw new Error(\`Not a duration: "\${text}".\`);
+  const factor = { s: 1, m: 60, h: 3600 }[match[2]];
   return Number(match[1]) * factor;
 }
`;

export const tools: Part[] = [
  {
    kind: 'tool',
    callId: 'c1',
    name: 'read_file',
    status: 'ok',
    summary: 'src/duration.js, lines 1–14 of 14',
    args: '{"path":"src/duration.js"}',
    startedAt: AT,
    ms: 12,
    output: '1| export function parse(text) {\n2|   …',
    files: [{ path: '/work/src/duration.js', line: 1 }],
  },
  {
    kind: 'tool',
    callId: 'c2',
    name: 'edit_file',
    status: 'ok',
    summary: 'src/duration.js, +2 −1',
    args: '{"path":"src/duration.js","edits":[{"old_text":"return 0","new_text":"throw"}]}',
    startedAt: AT,
    ms: 140,
    output: 'Saved.',
    files: [{ path: '/work/src/duration.js', line: 5 }],
    diff,
  },
  {
    kind: 'tool',
    callId: 'c3',
    name: 'exec',
    status: 'error',
    summary: 'npm test: exit status 1',
    args: '{"command":"npm test"}',
    startedAt: AT,
    ms: 4_210,
    output: 'not ok 3 - parses "90m"',
  },
];

export const richText = `The parser returned \`0\` for anything it did not know, so **a typo became no time at all**. I changed \`src/duration.js:5\` to throw instead.

\`\`\`js
export function parse(text) {
  const match = /^(\\d+)(s|m|h)$/.exec(text);
  if (!match) throw new Error(\`Not a duration: "\${text}".\`);
  return Number(match[1]) * { s: 1, m: 60, h: 3600 }[match[2]];
}
\`\`\`

| input | before | now | where it is used in this folder |
| --- | ---: | ---: | --- |
| \`5m\` | 300 | 300 | src/teas.js:14 |
| \`90\` | 0 | error | test/duration.test.js:22 |

What is left:

- [x] reject unknown units
- [ ] accept \`1h30m\`, as [the notes](docs/notes.md) ask
  1. split at each unit
  2. add up the parts

> A duration without a unit was always meant to be an error.

See https://nodejs.org/api/test.html for the runner.`;

/** A conversation with everything an answer can hold. */
export const richState: Partial<ChatState> = {
  session: { key: 'vscode:1', title: 'Durations that parse to nothing', readOnly: false, interrupted: false },
  messages: [
    userMessage('u1', 'Why does "90" give a tea no time to steep? Please fix it.'),
    {
      id: 'a1',
      role: 'assistant',
      status: 'done',
      at: AT,
      parts: [
        { kind: 'thinking', text: 'The regular expression wants a unit.' },
        ...tools,
        { kind: 'text', text: richText },
      ],
      turn: {
        id: 't1',
        ms: 9_800,
        usage: { inputTokens: 12_400, outputTokens: 860, cachedTokens: 9_000 },
        changes: [
          { path: '/work/src/duration.js', label: 'src/duration.js', added: 2, removed: 1, kind: 'changed' },
          {
            path: '/work/test/duration.test.js',
            label: 'test/duration.test.js',
            added: 14,
            removed: 0,
            kind: 'created',
          },
        ],
      },
    },
  ],
  context: { used: 48_200, window: 200_000, system: 2_100, memory: 900, skills: 1_400, history: 38_000, tools: 5_800 },
};
