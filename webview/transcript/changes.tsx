import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ChatMessage } from '../../src/protocol/chatState.js';
import type { FileChange } from '../../src/protocol/message.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';

type Turn = NonNullable<ChatMessage['turn']>;

/** Files listed at first: a turn that renamed a folder would fill the page. */
const LISTED = 10;

/** What a turn did to files, with the choice to look at it, keep it or undo it: all of it, or file by file. */
export function Changes({ turn, changes }: { turn: Turn; changes: FileChange[] }): VNode {
  const page = usePage();
  const [isWhole, setWhole] = useState(false);
  const listed = isWhole ? changes : changes.slice(0, LISTED);
  return (
    <section class="changes" aria-label={strings.changes(changes.length)}>
      <header>
        <span>{strings.changes(changes.length)}</span>
        {turn.settled && <em>{strings.settled[turn.settled]}</em>}
        <IconButton
          icon="preview"
          label={strings.review}
          onPress={() => page.post({ type: 'reviewTurn', turnId: turn.id })}
        />
        {!turn.settled && (
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
      {listed.map((change) => (
        <ChangedFile key={change.path} turn={turn} change={change} />
      ))}
      {listed.length < changes.length && (
        <button type="button" class="link more" onClick={() => setWhole(true)}>
          {strings.moreFiles(changes.length - listed.length)}
        </button>
      )}
    </section>
  );
}

function ChangedFile({ turn, change }: { turn: Turn; change: FileChange }): VNode {
  const page = usePage();
  const { path, label, added, removed, settled } = change;
  const kind = strings.changeKinds[change.kind];
  const [turnId, paths] = [turn.id, [path]];
  return (
    <div class="row" role="group" aria-label={label}>
      <button
        type="button"
        class="file"
        title={strings.openFile(path)}
        onClick={() => page.post({ type: 'openFile', path })}
      >
        <span class="name">{label}</span>
        {kind && <em>{kind}</em>}
        <span class="plus">+{added}</span> <span class="minus">−{removed}</span>
      </button>
      {settled && !turn.settled && <em>{strings.settled[settled]}</em>}
      <IconButton
        icon="preview"
        label={strings.reviewFile(label)}
        onPress={() => page.post({ type: 'reviewTurn', turnId, path })}
      />
      {!settled && !turn.settled && (
        <>
          <IconButton
            icon="check"
            label={strings.keepFile(label)}
            onPress={() => page.post({ type: 'keepTurn', turnId, paths })}
          />
          <IconButton
            icon="undo"
            label={strings.undoFile(label)}
            onPress={() => page.post({ type: 'undoTurn', turnId, paths })}
          />
        </>
      )}
    </div>
  );
}
