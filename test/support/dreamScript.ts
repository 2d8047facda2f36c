import type { ModelAnswer, ModelRequest } from '../../src/providers/provider.js';
import { asked, edits } from './dreamLab.js';
import { call } from './runs.js';

/** What the model does follows from what it is shown alone, so it does the same after a restart: a line for each entry, and one skill. */
export function scriptedDream(request: ModelRequest): Partial<ModelAnswer> | string {
  const words = asked(request);
  const done = request.messages.filter(({ role }) => role === 'assistant').length;
  if (request.tools.length === 0) {
    const entries = [...words.matchAll(/^### Entry (\d+)/gm)].map((match) => match[1] ?? '');
    return [
      ...entries.map((n) => `[MEMORY] Fact of entry ${n}`),
      `[SKILL] skill-${entries[0] ?? ''}: Use when asked`,
    ].join('\n');
  }
  const facts = [...words.matchAll(/^\[MEMORY\] (.*)$/gm)].map((match) => `- ${match[1] ?? ''}`).join('\n');
  const name = /^\[SKILL\] ([\w-]+)/m.exec(words)?.[1] ?? '';
  const content = `---\nname: ${name}\ndescription: Use when asked.\n---\n\nSteps.\n`;
  const steps = [
    edits('memory/MEMORY.md', ['', facts]),
    { toolCalls: [call('read_file', { path: 'skills/skill-creator/SKILL.md' }, 'r')] },
    { toolCalls: [call('write_file', { path: `skills/${name}/SKILL.md`, content }, 'w')] },
  ];
  return steps[done] ?? 'Written.';
}
