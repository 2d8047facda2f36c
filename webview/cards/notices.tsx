import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button, IconButton } from '../ui/button.js';

/** What a person should know that belongs to no message, each with its next step. */
export function Notices(): VNode {
  const page = usePage();
  return (
    <>
      {page.chat.value.notices.map((notice) => (
        <div key={notice.id} class={`notice ${notice.level}`} data-notice={notice.id}>
          <p>{notice.text}</p>
          {notice.next.map((step) => (
            <Button label={strings.nextStep(step)} onPress={() => page.next(step, { noticeId: notice.id })} />
          ))}
          <IconButton
            icon="close"
            label={strings.dismiss}
            onPress={() => page.post({ type: 'dismissNotice', id: notice.id })}
          />
        </div>
      ))}
    </>
  );
}

/** Where the person is and what stands in the way of going on: the transcript of a subagent, an interrupted turn, a conversation that is only read, a provider that asked us to wait. */
export function StateBars(): VNode {
  const page = usePage();
  const { session, retry } = page.chat.value;
  const { parent } = session;
  return (
    <>
      {retry && <RetryBar {...retry} />}
      {session.interrupted && !session.readOnly && (
        <div class="notice warning">
          <p>{strings.interrupted}</p>
          <Button label={strings.nextStep('resume')} appearance="primary" onPress={() => page.next('resume', {})} />
        </div>
      )}
      {parent !== undefined && <TranscriptBar parent={parent} />}
      {session.readOnly && (
        <div class="notice info">
          <p>{strings.readOnly}</p>
          <Button
            label={strings.nextStep('continueHere')}
            appearance="primary"
            onPress={() => page.next('continueHere', {})}
          />
        </div>
      )}
    </>
  );
}

/** Nothing can be written in a transcript: what would go to the box goes to the way back. */
function TranscriptBar({ parent }: { parent: string }): VNode {
  const page = usePage();
  const bar = useRef<HTMLDivElement>(null);
  const wanted = page.composer.focusRequests.value;
  const before = useRef(wanted);
  useLayoutEffect(() => {
    // A page that was not in use must not take the keys of an editor.
    if (wanted !== before.current || document.hasFocus())
      bar.current?.querySelector<HTMLElement>('vscode-button')?.focus();
    before.current = wanted;
  }, [wanted]);
  return (
    <div class="notice info" ref={bar}>
      <p>{strings.subagentsTranscript}</p>
      <Button label={strings.backToChat} onPress={() => page.post({ type: 'openSession', key: parent })} />
    </div>
  );
}

function RetryBar({ until, attempt, reason }: { until: number; attempt: number; reason: string }): VNode {
  const page = usePage();
  const seconds = Math.max(0, Math.ceil((until - page.clock.value) / 1000));
  return (
    <div class="notice warning" data-retry>
      <p>{strings.retrying(reason, seconds, attempt)}</p>
      <Button label={strings.cancel} onPress={() => page.post({ type: 'cancelRetry' })} />
    </div>
  );
}

/** Long work shows that it goes on: how long, how many steps. */
export function Progress(): VNode | null {
  const page = usePage();
  const { turn } = page.chat.value;
  if (!turn) return null;
  const ms = page.clock.value - turn.startedAt;
  const parts = ms < 1000 ? [] : [strings.duration(ms)];
  if (turn.steps > 0) parts.push(strings.steps(turn.steps));
  return (
    <div class="progress">
      {strings.working} <span>{parts.join(' · ')}</span>
    </div>
  );
}
