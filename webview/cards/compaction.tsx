import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Compaction } from '../../src/protocol/event.js';
import { MarkdownText } from '../markdown/markdownText.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';

/** Where earlier messages gave way to a summary: how many, what it says, or why there is none. */
export function CompactionCard({ compaction }: { compaction: Compaction }): VNode {
  const { status, error } = compaction;
  return (
    <div class="card compaction" role="group" aria-label={strings.summary} data-compaction={status}>
      {status === 'running' && <Running compaction={compaction} />}
      {status === 'done' && <Done compaction={compaction} />}
      {status === 'failed' && error && <Failed error={error} />}
    </div>
  );
}

/** A turn has a Stop of its own, which stops this as well. */
function Running({ compaction }: { compaction: Compaction }): VNode {
  const page = usePage();
  return (
    <div class="line">
      <p>{strings.summarising(compaction.messages)}</p>
      {!page.chat.value.turn && <Button label={strings.stop} onPress={() => page.post({ type: 'stop' })} />}
    </div>
  );
}

function Done({ compaction: { messages, raw, by, summary = '' } }: { compaction: Compaction }): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <div class="line">
        <p>
          {strings.summarised(messages, by)}
          {raw !== undefined && ` ${strings.keptAsTheyAre(raw)}`}
        </p>
        <Button label={isOpen ? strings.hideSummary : strings.showSummary} onPress={() => setOpen(!isOpen)} />
      </div>
      {isOpen && <MarkdownText text={summary} done />}
    </>
  );
}

function Failed({ error }: { error: NonNullable<Compaction['error']> }): VNode {
  const page = usePage();
  return (
    <>
      <p>{error.message}</p>
      <div class="buttons">
        <Button label={strings.nextStep('retry')} appearance="primary" onPress={() => page.sendText('/compact', [])} />
        {error.next.map((step) => (
          <Button label={strings.nextStep(step)} onPress={() => page.next(step, {})} />
        ))}
      </div>
    </>
  );
}
