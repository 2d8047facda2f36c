import type { VNode } from 'preact';
import type { ChatMessage } from '../../src/protocol/chatState.js';
import type { FileChange } from '../../src/protocol/message.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';

type Turn = NonNullable<ChatMessage['turn']>;

/** What a turn did to files, with the choice to keep or undo it. */
export function Changes({ turn, changes }: { turn: Turn; changes: FileChange[] }): VNode {
  const page = usePage();
  return (
    <section class="changes" aria-label={strings.changes(changes.length)}>
      <header>
        <span>{strings.changes(changes.length)}</span>
        {turn.settled ? (
          <em>{turn.settled === 'kept' ? strings.kept : strings.undone}</em>
        ) : (
          <>
            <Button
              label={strings.keep}
              appearance="primary"
              onPress={() => page.post({ type: 'keepTurn', turnId: turn.id })}
            />
            <Button label={strings.undo} onPress={() => page.post({ type: 'undoTurn', turnId: turn.id })} />
          </>
        )}
      </header>
      {changes.map((change) => (
        <ChangedFile change={change} />
      ))}
    </section>
  );
}

function ChangedFile({ change }: { change: FileChange }): VNode {
  const page = usePage();
  const kind = strings.changeKinds[change.kind];
  return (
    <button
      type="button"
      class="row"
      title={strings.openFile(change.path)}
      onClick={() => page.post({ type: 'openFile', path: change.path })}
    >
      <span class="name">{change.label}</span>
      {kind && <em>{kind}</em>}
      <span class="plus">+{change.added}</span> <span class="minus">−{change.removed}</span>
    </button>
  );
}
