import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolPart } from '../../src/protocol/chatState.js';
import type { FileRef } from '../../src/protocol/message.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { memo } from '../ui/memo.js';
import { Diff } from './diff.js';

/** One tool call: a line that says what, on what and how long; the rest unfolds. */
export const ToolCard = memo(({ part }: { part: ToolPart }): VNode => {
  const [isOpen, setOpen] = useState(false);
  const isLive = part.status === 'running' || part.status === 'waiting';
  const what = strings.toolSummary(part.name, part.summary);
  // A running call's time is not in its name: a screen reader would read it out at every second.
  const took = part.ms && strings.duration(part.ms);
  const file = part.files?.length === 1 ? part.files[0] : undefined;
  return (
    <div class="tool" data-tool={part.name} data-status={part.status} data-call={part.callId}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={[what, took, strings.toolStatus[part.status]].filter(Boolean).join(', ')}>
          <span class="what">{what}</span> <Elapsed part={part} />
        </summary>
        {isOpen && <Details part={part} />}
      </details>
      {file && <FileLink file={file} isNamed={part.summary.includes(nameOf(file))} />}
      {isLive && part.tail && <pre class="tail">{part.tail}</pre>}
    </div>
  );
});

function Elapsed({ part }: { part: ToolPart }): VNode | null {
  const { clock } = usePage();
  if (part.status === 'waiting') return <span class="time">{strings.toolStatus.waiting}</span>;
  // What never ran took no time.
  if (part.ms === 0) return null;
  if (part.ms !== undefined) return <span class="time">{strings.duration(part.ms)}</span>;
  if (part.status !== 'running') return null;
  const ms = clock.value - part.startedAt;
  return ms < 1000 ? null : <span class="time">{strings.duration(ms)}</span>;
}

function Details({ part }: { part: ToolPart }): VNode {
  const files = part.files ?? [];
  return (
    <div class="details">
      {files.length > 0 && (
        <Section label={strings.toolFiles}>
          <div class="files">
            {files.map((file) => (
              <FileLink file={file} isWhole />
            ))}
          </div>
        </Section>
      )}
      {part.diff && (
        <Section label={strings.toolDiff}>
          <Diff text={part.diff} label={strings.toolDiff} />
        </Section>
      )}
      {hasArguments(part.args) && (
        <Section label={strings.toolArguments}>
          <pre tabIndex={0}>{readable(part.args)}</pre>
        </Section>
      )}
      {part.output && (
        <Section label={strings.toolOutput}>
          <pre tabIndex={0}>{part.output}</pre>
        </Section>
      )}
    </div>
  );
}

function Section({ label, children }: { label: string; children: VNode }): VNode {
  return (
    <section aria-label={label}>
      <h4>{label}</h4>
      {children}
    </section>
  );
}

/** A file that opens by a click. Short ones show the name only, an arrow where the name stands beside it; the tooltip has the path. */
export function FileLink({ file, isWhole, isNamed }: { file: FileRef; isWhole?: boolean; isNamed?: boolean }): VNode {
  const page = usePage();
  const place = file.line === undefined ? '' : `:${file.line}`;
  const name = isWhole ? file.path : nameOf(file);
  const open = () => page.post({ type: 'openFile', path: file.path, ...(file.line ? { line: file.line } : {}) });
  return (
    <button
      type="button"
      class="link"
      title={strings.openFile(file.path + place)}
      aria-label={strings.openFile(file.path + place)}
      onClick={open}
    >
      {isNamed ? '↗' : name + place}
    </button>
  );
}

function nameOf(file: FileRef): string {
  return file.path.split(/[\\/]/).at(-1) ?? file.path;
}

function hasArguments(args: string): boolean {
  return args.trim() !== '' && args.trim() !== '{}';
}

/** Arguments are the model's own text: usually JSON, which reads better with line breaks. */
function readable(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // Shown as the model wrote it.
    return args;
  }
}
