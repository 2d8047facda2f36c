import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RestoredFile, RestoreWhat } from '../../src/protocol/wire.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';

/** Files named in the card; VS Code's diff editor shows them all. */
const LISTED = 8;

/** What going back to before a message would do, with the choice. It has the focus: the person asked for it. */
export function Restore(): VNode | null {
  const page = usePage();
  const plan = page.restorePlan.value;
  const card = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (plan) card.current?.focus();
  }, [plan]);
  if (!plan) return null;
  const { messageId, messages, files } = plan;
  const close = () => {
    page.restorePlan.value = null;
    page.composer.focus();
  };
  const restore = (what: RestoreWhat) => {
    close();
    page.post({ type: 'restore', messageId, what });
  };
  const hasFiles = files.length > 0;
  return (
    <div
      class="card restore"
      role="group"
      aria-label={strings.restore}
      tabIndex={-1}
      ref={card}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <h3>
        {strings.restoreTitle}
        <IconButton icon="close" label={strings.cancel} onPress={close} />
      </h3>
      <p>
        {strings.restoreWould(messages, files.length)}{' '}
        {hasFiles && (
          <button type="button" class="link" onClick={() => page.post({ type: 'reviewRestore', messageId })}>
            {strings.showChanges}
          </button>
        )}
      </p>
      {hasFiles && <Files files={files} />}
      <div class="buttons">
        {hasFiles && <Button label={strings.restoreBoth} appearance="primary" onPress={() => restore('both')} />}
        {hasFiles && <Button label={strings.restoreFiles} onPress={() => restore('files')} />}
        <Button
          label={strings.restoreConversation}
          appearance={hasFiles ? 'secondary' : 'primary'}
          onPress={() => restore('conversation')}
        />
      </div>
    </div>
  );
}

function Files({ files }: { files: RestoredFile[] }): VNode {
  return (
    <ul>
      {files.slice(0, LISTED).map(({ label, kind, changedSince }) => (
        <li>
          <bdi>{label}</bdi> <em>{strings.restoreKinds[kind]}</em>{' '}
          {changedSince && <em class="warn">{strings.changedSince}</em>}
        </li>
      ))}
      {files.length > LISTED && <li>{strings.andMore(files.length - LISTED)}</li>}
    </ul>
  );
}
