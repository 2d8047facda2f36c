import * as z from 'zod';
import { defineTool, ToolError, type Tool } from '../runner/tool.js';

/** What a spawn call asks for. */
export interface SpawnRequest {
  /** The session, the turn and the call it comes from. */
  parent: string;
  turnId: string;
  callId: string;
  task: string;
  label?: string;
  model?: string;
  wait: boolean;
  watched: boolean;
  /** Text from outside had entered the turn: the task may repeat it. */
  untrusted: boolean;
}

/** How a subagent ended. */
export interface SpawnEnd {
  status: 'done' | 'error' | 'stopped';
  /** Its last words, whole, with what was denied to it. */
  text: string;
  error?: string;
  untrusted: boolean;
}

export interface Spawned {
  id: string;
  label: string;
  /** Whether it had to wait for others. */
  queued: boolean;
  /** Never rejects. */
  end: Promise<SpawnEnd>;
}

/** Who runs subagents. */
export interface Spawner {
  /** Resolves when it is on disk. Throws a ToolError where none can be started. `news` is told what it does. */
  spawn(request: SpawnRequest, news: (line: string) => void): Promise<Spawned>;
  stop(id: string): void;
}

/**
 * Hands a piece of work to a subagent with a context of its own. It returns at once, and the result comes as a message; with `wait` it is the call's
 * own result. In a turn that nobody watches it always waits: such a turn is over with its last message.
 */
export function spawnTool({ subagents }: { subagents: Spawner }): Tool {
  return defineTool({
    name: 'spawn',
    description:
      'Start a subagent; it knows only `task`. Its result comes later as a message: go on or end. `wait` only for what you need at once.',
    params: z.object({
      task: z.string().min(1),
      label: z.string().optional(),
      model: z.string().optional(),
      wait: z.boolean().optional(),
    }),
    // It changes nothing by itself, and several of one answer have to run at the same time.
    readOnly: true,
    summary: ({ task, label }) => labelOf(task, label),
    run: async ({ task, label, model, wait }, context) => {
      if (task.trim() === '') throw new ToolError('The task is empty. Say what the subagent is to do.');
      const waits = wait === true || !context.watched;
      const started = await subagents.spawn(
        {
          parent: context.sessionKey,
          turnId: context.turnId,
          callId: context.callId,
          task,
          label: labelOf(task, label),
          ...(model?.trim() ? { model: model.trim() } : {}),
          wait: waits,
          watched: context.watched,
          untrusted: context.isUntrusted(),
        },
        (line) => {
          if (waits) context.update(line);
        },
      );
      const stop = () => {
        subagents.stop(started.id);
      };
      if (context.signal.aborted) stop();
      if (!waits) {
        const when = started.queued ? ' It waits for others to end.' : '';
        return `Subagent [${started.label}] started (id: ${started.id}).${when} Its result will come as a message.`;
      }
      context.signal.addEventListener('abort', stop, { once: true });
      const end = await started.end;
      context.signal.removeEventListener('abort', stop);
      if (end.untrusted) context.markUntrusted(`the subagent ${started.label}`);
      if (end.status === 'done') return end.text;
      const left = end.text === '' ? '' : `\n\nIts last words:\n${end.text}`;
      throw new ToolError(`Subagent [${started.label}] failed: ${end.error ?? 'it gave no reason'}${left}`);
    },
  });
}

/** Characters of a label. */
const MAX_LABEL = 60;

function labelOf(task: string, label: string | undefined): string {
  const line = (label?.trim() ? label : task).trim().split('\n')[0]?.trim() ?? '';
  return line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
}
