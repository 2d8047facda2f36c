import type { AgentEvent, ApprovalRequest, Compaction, Subagent } from '../protocol/event.js';

/** Where a terminal channel writes. */
export interface TerminalOutput {
  /** The answer: standard output. */
  answer(text: string): void;
  /** Progress and errors: standard error. */
  progress(text: string): void;
}

/**
 * Draws a session's events on a terminal: the answer's text as it streams, one line a tool call, notices and errors. Returns the function to feed
 * events to.
 */
export function terminalChannel(output: TerminalOutput): (event: AgentEvent) => void {
  let open = false;
  const subagents = new Map<string, Subagent['status']>();
  const endLine = () => {
    if (open) output.answer('\n');
    open = false;
  };
  return (event) => {
    switch (event.type) {
      case 'text':
        output.answer(event.text);
        open = !event.text.endsWith('\n');
        return;
      case 'message_end':
        endLine();
        if (event.error) output.progress(`Error: ${event.error.message}\n`);
        return;
      case 'message_reset':
        endLine();
        output.progress('(the answer begins anew)\n');
        return;
      case 'tool_start':
        if (event.args === '') return;
        endLine();
        output.progress(`· ${event.name}: ${event.summary}\n`);
        return;
      case 'tool_end':
        if (event.status !== 'ok') output.progress(`  ${event.status}: ${firstLine(event.output)}\n`);
        return;
      case 'retry_wait':
        output.progress(`Waiting to try again: ${event.reason}\n`);
        return;
      case 'notice':
        output.progress(`${event.notice.text}\n`);
        return;
      case 'compaction':
        endLine();
        output.progress(`${compactionLine(event)}\n`);
        return;
      case 'subagent':
        if (subagents.get(event.id) === event.status) return;
        subagents.set(event.id, event.status);
        endLine();
        output.progress(`· subagent ${event.label}: ${event.status}${event.error ? ` (${event.error})` : ''}\n`);
        return;
      case 'turn_end':
        endLine();
        if (event.status === 'aborted') output.progress('Stopped.\n');
        return;
      default:
    }
  };
}

function compactionLine({ status, messages, by, error }: Compaction): string {
  const count = `${String(messages)} earlier messages`;
  if (status === 'running') return `· Summarising ${count}…`;
  if (status === 'done') return `· Summarised ${count}${by === undefined ? '' : ` (${by})`}.`;
  return `Error: ${error?.message ?? 'Earlier messages could not be summarised.'}`;
}

/** An approval as a question on a terminal. */
export function approvalText(approval: ApprovalRequest): string {
  const reasons = approval.reasons.map((reason) => `  ! ${reason}\n`).join('');
  return `\n${approval.title}\n  ${approval.detail.replaceAll('\n', '\n  ')}\n${reasons}Allow? [y/N] `;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? '';
}
