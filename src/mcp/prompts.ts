import * as z from 'zod';
import { plainName } from './names.js';
import { resultOf } from './results.js';

/** A prompt that a server has prepared. */
export interface ServerPrompt {
  server: string;
  prompt: string;
  /** `mcp.<server>.<prompt>`, in letters that a command can have. */
  command: string;
  description: string;
  args: { name: string; description: string; required: boolean }[];
}

/** Prompts of one server that are offered. */
const MOST = 100;

const shape = z.looseObject({
  name: z.string().min(1),
  description: z.string().catch(''),
  arguments: z
    .array(
      z.looseObject({
        name: z.string().min(1),
        description: z.string().catch(''),
        required: z.boolean().catch(false),
      }),
    )
    .catch([]),
});

/** What `prompts/list` says, as far as it can be understood. Two that would be called the same: the first counts. */
export function readPrompts(server: string, answer: Readonly<Record<string, unknown>>): ServerPrompt[] {
  const listed = Array.isArray(answer['prompts']) ? (answer['prompts'] as unknown[]) : [];
  const found = new Map<string, ServerPrompt>();
  for (const each of listed.slice(0, MOST)) {
    const { data } = shape.safeParse(each);
    if (!data) continue;
    const command = `mcp.${plainName(server)}.${plainName(data.name)}`;
    const args = data.arguments.map(({ name, description, required }) => ({ name, description, required }));
    const prompt = { server, prompt: data.name, command, description: data.description, args };
    if (!found.has(command)) found.set(command, prompt);
  }
  return [...found.values()];
}

/** What `prompts/get` answered, as text: words of the assistant are marked, images are named. */
export function promptText(answer: unknown): string {
  const { messages } = answer as { messages?: unknown };
  const parts = (Array.isArray(messages) ? (messages as unknown[]) : []).map((message) => {
    const { role, content } = message as { role?: unknown; content?: unknown };
    const { text, images = [] } = resultOf({ content: Array.isArray(content) ? content : [content] });
    const whole = [text, ...images.map(() => '[an image, left out]')].filter((part) => part !== '').join('\n');
    return role === 'assistant' ? `Assistant: ${whole}` : whole;
  });
  return parts.filter((part) => part !== '').join('\n\n');
}
