import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';

/** The list of what Nanobot means to do, kept in sight over the composer; folds to one line. */
export function Todo(): VNode | null {
  const { todo } = usePage().chat.value;
  if (todo.length === 0) return null;
  const done = todo.filter((item) => item.status === 'done').length;
  const current = todo.find((item) => item.status === 'in_progress') ?? todo.find((item) => item.status === 'pending');
  return (
    <details class="card todo" aria-label={strings.todo}>
      <summary>
        <span>
          {strings.todo} {strings.todoProgress(done, todo.length)}
        </span>
        {current && <em>{current.text}</em>}
      </summary>
      <ul>
        {todo.map((item) => (
          <li dir="auto" data-status={item.status} aria-label={`${item.text}, ${strings.todoStatus[item.status]}`}>
            {item.text}
          </li>
        ))}
      </ul>
    </details>
  );
}
