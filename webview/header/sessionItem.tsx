import type { ComponentChild, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActiveSession, Mark, SessionRow } from '../../src/protocol/wire.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';
import { TextField } from '../ui/fields.js';

/** What a row is: shown, or the form in its place. */
export type RowMode = 'shown' | 'renamed' | 'deleted';

interface SessionItemProps {
  row: SessionRow;
  isActive: boolean;
  mode: RowMode;
  onMode: (mode: RowMode) => void;
  onPin: () => void;
}

/** One session: its title, how it is, and what can be done with it. */
export function SessionItem({ row, isActive, mode, onMode, onPin }: SessionItemProps): VNode {
  const page = usePage();
  const { sessions } = page;
  const isOpen = page.chat.value.session.key === row.key;
  const state = stateOf(row, sessions.active.value);
  const title = strings.title(row.title);
  return (
    <li aria-current={isActive} class={isOpen ? 'open' : ''} data-session={row.key} data-state={state}>
      {mode === 'renamed' && <Rename row={row} onEnd={() => onMode('shown')} />}
      {mode === 'deleted' && <Delete row={row} onEnd={() => onMode('shown')} />}
      {mode === 'shown' && (
        <>
          <button type="button" class="row" title={title} onClick={() => sessions.openSession(row.key)}>
            <span>{marked(title, title === row.title ? row.titleMarks : [])}</span>
            <small>
              {state && <b class="state">{strings.sessionStates[state]}</b>}
              {row.match === undefined
                ? describe(row, state, page.ports.now())
                : [state && ' · ', <bdi>{marked(row.match, row.matchMarks)}</bdi>]}
            </small>
          </button>
          <div class="acts">
            <IconButton
              icon="pin"
              className={row.pinned ? 'on' : ''}
              label={row.pinned ? strings.unpinSession(title) : strings.pinSession(title)}
              keys="Alt+P"
              onPress={onPin}
            />
            <IconButton
              icon="tab"
              label={strings.openSessionInEditor(title)}
              keys="Ctrl+Enter"
              onPress={() => sessions.openInEditor(row.key)}
            />
            <IconButton icon="edit" label={strings.renameSession(title)} keys="F2" onPress={() => onMode('renamed')} />
            <IconButton
              icon="trash"
              label={strings.deleteSession(title)}
              keys="Delete"
              onPress={() => onMode('deleted')}
            />
          </div>
        </>
      )}
    </li>
  );
}

/** How a session is, as far as anybody need know. */
export function stateOf(row: SessionRow, active: readonly ActiveSession[]): ActiveSession['state'] | undefined {
  return active.find(({ key }) => key === row.key)?.state ?? (row.running ? 'running' : undefined);
}

function describe(row: SessionRow, state: string | undefined, now: number): ComponentChild {
  const words = [strings.ago(now - row.updatedAt), strings.messages(row.messages), row.busy ? strings.busy : ''];
  return [state && ' · ', row.project && [<bdi>{row.project}</bdi>, ' · '], words.filter(Boolean).join(' · ')];
}

/** A text with the pieces that match set off. */
function marked(text: string, marks: readonly Mark[] = []): ComponentChild {
  let end = 0;
  const pieces: ComponentChild[] = [];
  for (const [from, to] of marks) {
    pieces.push(text.slice(end, from), <mark>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...pieces, text.slice(end)];
}

function Rename({ row, onEnd }: { row: SessionRow; onEnd: () => void }): VNode {
  const { sessions } = usePage();
  const [title, setTitle] = useState(row.title);
  const save = () => {
    if (title.trim() !== '' && title.trim() !== row.title) sessions.rename(row.key, title.trim());
    onEnd();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    save();
  };
  return (
    <div class="own">
      <TextField label={strings.rename} value={title} onType={setTitle} onKey={onKey} autofocus select />
      <Button label={strings.rename} appearance="primary" onPress={save} />
    </div>
  );
}

function Delete({ row, onEnd }: { row: SessionRow; onEnd: () => void }): VNode {
  const { sessions } = usePage();
  const remove = () => {
    sessions.remove(row.key);
    // The next session moves into this place, and nobody asked to delete that one.
    onEnd();
  };
  const title = strings.title(row.title);
  return (
    <div class="confirm" role="alertdialog" aria-label={strings.deleteSession(title)}>
      <p>{strings.confirmDelete(title)}</p>
      <div class="buttons">
        <Button label={strings.delete} appearance="primary" onPress={remove} />
        <Button label={strings.cancel} onPress={onEnd} />
      </div>
    </div>
  );
}
