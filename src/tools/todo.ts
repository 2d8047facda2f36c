import { t } from '@vscode/l10n';
import * as z from 'zod';
import { defineTool, type Tool } from '../runner/tool.js';

const params = z.object({
  items: z
    .array(z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'done']) }))
    .max(50)
    .describe('The whole list'),
});

/** Shows the plan of a longer task as a card; each call replaces the list. */
export function todoTool(): Tool {
  return defineTool({
    name: 'todo',
    description: 'Show your plan to the person; for work of three steps or more. Update as you go.',
    params,
    summary: ({ items }) => t('{0} of {1} done', items.filter((item) => item.status === 'done').length, items.length),
    run({ items }, context) {
      context.setTodo(items);
      const open = items.filter((item) => item.status !== 'done').length;
      return Promise.resolve(
        items.length === 0 ? 'The list is cleared.' : `The list is shown: ${items.length - open} done, ${open} open.`,
      );
    },
  });
}
