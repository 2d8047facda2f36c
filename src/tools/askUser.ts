import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';

const params = z.object({
  question: z.string().min(1),
  options: z.array(z.string()).max(6).optional().describe('Short answers; free text is always possible'),
});

/** Puts a question to the person as a card and waits for the answer. Where nobody watches it is an error, so that nothing waits forever. */
export function askUserTool(): Tool {
  return defineTool({
    name: 'ask_user',
    description: 'Ask the person and wait. Only for what you cannot find out or decide.',
    params,
    summary: ({ question }) => question,
    async run({ question, options = [] }, context) {
      if (!context.watched) {
        throw new ToolError(
          'Nobody is watching this turn, so nothing can be asked. Decide by yourself, or end and say what is needed.',
        );
      }
      const answer = (await context.ask({ text: question, options })).trim();
      return answer === '' ? 'The person gave no answer. Decide by yourself.' : `The person answered: ${answer}`;
    },
  });
}
