import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Dialog } from '../ui/dialog.js';

/** The dialog that is open, if one is. */
export function Dialogs(): VNode | null {
  const page = usePage();
  const close = () => void (page.dialog.value = null);
  if (page.dialog.value === 'keys')
    return (
      <Dialog label={strings.keyMap} onClose={close}>
        <KeyMap />
      </Dialog>
    );
  if (page.dialog.value === 'usage')
    return (
      <Dialog label={strings.usageTitle} onClose={close}>
        <Spent />
      </Dialog>
    );
  return null;
}

/** Every key of the chat, and those that VS Code has for it. */
function KeyMap(): VNode {
  const isMac = navigator.platform.startsWith('Mac');
  return (
    <>
      {strings.keyGroups.map(({ title, keys }) => (
        <section>
          <h3>{title}</h3>
          <dl>
            {keys.map(([names, what]) => (
              <div>
                <dt>
                  {names.split(' / ').map((name) => (
                    <kbd>{isMac ? name.replace('Ctrl', '⌘').replace('Alt', '⌥') : name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}

/** What the last turn and the whole session used. */
function Spent(): VNode {
  const { messages, spent } = usePage().chat.value;
  const turn = messages.findLast((message) => message.turn)?.turn;
  const facts = [
    { title: strings.lastTurn, rows: turn ? [...strings.turnRows(turn), ...strings.usageRows(turn.usage)] : [] },
    { title: strings.thisSession, rows: strings.usageRows(spent ?? undefined) },
  ];
  return (
    <>
      {facts.map(({ title, rows }) => (
        <section>
          <h3>{title}</h3>
          <dl>
            {rows.map(([what, value]) => (
              <div>
                <dt>{what}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p class="note">{strings.spentNote}</p>
    </>
  );
}
