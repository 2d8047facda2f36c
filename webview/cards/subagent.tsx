import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Sender } from '../../src/protocol/message.js';
import type { Subagent } from '../../src/protocol/event.js';
import { MarkdownText } from '../markdown/markdownText.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';
import { Lines } from '../ui/lines.js';
import { memo } from '../ui/memo.js';

/** A subagent at the call that started it: how it stands, what it found, and what can be done with it. */
export const SubagentCard = memo(({ subagent }: { subagent: Subagent }): VNode => {
  const { label, status, task, result, error, elsewhere } = subagent;
  const words = strings.subagentStatus[status];
  return (
    <div class="card subagent" role="group" aria-label={strings.subagent(label)} data-subagent={status}>
      <div class="line">
        <strong>{label}</strong>
        <span class="status">{elsewhere && !isOver(subagent) ? strings.runsElsewhere(words) : words}</span>
        <Facts subagent={subagent} />
      </div>
      {error && <p class="error">{error}</p>}
      <Folded label={strings.task}>
        {() => (
          <p class="task">
            <Lines text={task} />
          </p>
        )}
      </Folded>
      {result && <Folded label={strings.result}>{() => <MarkdownText text={result} done />}</Folded>}
      <Buttons subagent={subagent} />
    </div>
  );
});

/** What a subagent brought back, in the place of a message. */
export function SubagentResult({
  sender,
  text,
}: {
  sender: Extract<Sender, { kind: 'subagent' }>;
  text: string;
}): VNode {
  const { label, status } = sender;
  const title = status === 'done' ? strings.subagentResult(label) : strings.subagentFailed(label);
  return <Folded label={title}>{() => <MarkdownText text={text} done />}</Folded>;
}

/** Its content is in the page only while it is open. */
function Folded({ label, children }: { label: string; children: () => VNode }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="folded" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {isOpen && children()}
    </details>
  );
}

function Facts({ subagent }: { subagent: Subagent }): VNode | null {
  const { clock } = usePage();
  const { status, steps, startedAt, endedAt, tokens } = subagent;
  const parts: string[] = [];
  if (steps > 0) parts.push(strings.steps(steps));
  const until = status === 'running' ? clock.value : endedAt;
  if (until !== undefined && until - startedAt >= 1000) parts.push(strings.duration(until - startedAt));
  if (isOver(subagent) && tokens) parts.push(strings.usedTokens(tokens));
  return parts.length > 0 ? <span class="time">{parts.join(' · ')}</span> : null;
}

function Buttons({ subagent }: { subagent: Subagent }): VNode {
  const page = usePage();
  const { id, label, status, elsewhere } = subagent;
  const mayAct = !elsewhere && !page.isReadOnly.value;
  return (
    <div class="buttons">
      {mayAct && !isOver(subagent) && (
        <Button
          label={strings.stop}
          fullLabel={strings.stopSubagent(label)}
          onPress={() => page.post({ type: 'subagentStop', id })}
        />
      )}
      {mayAct && status === 'interrupted' && (
        <Button
          label={strings.nextStep('resume')}
          fullLabel={strings.resumeSubagent(label)}
          appearance="primary"
          onPress={() => page.post({ type: 'subagentResume', id })}
        />
      )}
      <Button
        label={strings.openTranscript}
        fullLabel={strings.openTranscriptOf(label)}
        onPress={() => page.post({ type: 'subagentOpen', id })}
      />
    </div>
  );
}

function isOver({ status }: Subagent): boolean {
  return status !== 'running' && status !== 'queued';
}
