import { t } from '@vscode/l10n';
import type { MessageBus } from '../bus/bus.js';
import { fitted, type Spill } from '../runner/toolCalls.js';
import type { SpawnEnd } from '../tools/spawn.js';
import { cardOf, type SubagentRecord } from './subagentRecord.js';

export interface HandOnDeps {
  bus: MessageBus;
  newId(): string;
  spill: Spill;
}

/**
 * Sends a subagent's result to the session it came from, where it begins a turn or joins the one that runs. Resolves when it is on disk there, with
 * why not where it was not taken. Never rejects.
 */
export async function handOn(
  { bus, newId, spill }: HandOnDeps,
  { id: subagent, record, end }: { id: string; record: SubagentRecord; end: SpawnEnd },
): Promise<string | undefined> {
  const { parent: sessionKey, label, watched } = record;
  const words =
    end.status === 'done' ? end.text : [end.error ?? '', end.text].filter((part) => part !== '').join('\n\n');
  const text = await fitted(words, () => spill(`subagent-${subagent}`, words, { outside: end.untrusted }));
  const id = newId();
  return new Promise((resolve) => {
    const settle = (problem?: string) => {
      subscription.dispose();
      resolve(problem);
    };
    const subscription = bus.subscribe(({ sessionKey: key, event }) => {
      if (key !== sessionKey) return;
      if (event.type === 'user_message' && event.id === id) settle();
      if (event.type === 'queue' && event.queue.some((queued) => queued.id === id)) settle();
      if (event.type === 'rejected' && event.id === id) settle(event.reason);
    });
    const refused = bus.publish({
      ...{ id, sessionKey, text, watched, attachments: [] },
      channel: sessionKey.split(':')[0] ?? '',
      sender: {
        kind: 'subagent',
        id: subagent,
        label,
        task: cardOf(subagent, record).task,
        status: end.status === 'done' ? 'done' : 'error',
      },
      ...(end.untrusted ? { untrusted: true } : {}),
    });
    if (refused) settle(t('Too many messages wait already.'));
  });
}
