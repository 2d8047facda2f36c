import { turnEnd, writeSession, type NodeLab } from './nodeLab.js';
import { rowsOf, watched } from './stretches.js';
import type { Row } from './table.js';

const FACTS = Array.from({ length: 12 }, (_, n) => `- Fact number ${String(n)} about the project and its tests.`);
const PRODUCTS = `<facts>\n${FACTS.join('\n')}\n</facts>\n\n<summary>\n${'Goal, decisions and state. '.repeat(60)}\n</summary>`;

/** Five rounds of consolidation before a turn of a chat with 10,000 messages: how long they take beside the model, and for how long they hold the thread. */
export async function measureConsolidating(lab: NodeLab): Promise<Row[]> {
  const key = 'cli:long';
  writeSession(lab.home, key, { messages: 10_000, size: 2_000 });
  const app = await lab.app();
  await app.loop.conversation(key);
  const turn = async (sessionKey: string) => {
    const ended = turnEnd(app, sessionKey);
    app.bus.publish({ id: app.newId(), channel: 'cli', sessionKey, text: 'Go', attachments: [], watched: true });
    await ended;
    await app.loop.idle(sessionKey);
  };
  // The provider's code is loaded once, and that is not what is measured.
  await turn('cli:warm');
  const idle = await watched(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  lab.setReply({ reply: { text: PRODUCTS, usage: null } });
  const rounds: number[] = [];
  app.bus.subscribe(({ event }) => {
    if (event.type === 'compaction' && event.status === 'done') rounds.push(event.messages);
  });
  const busy = await watched(() => turn(key));
  await app.close();
  if (rounds[0] !== 300)
    throw new Error(`Five rounds of 60 messages were expected, not ${String(rounds[0])} messages.`);
  return [
    {
      name: 'five rounds of consolidation and a turn, 10,000 messages of 2 KB',
      unit: 'ms',
      values: [busy.ms],
      note: 'with a model that answers at once',
    },
    ...rowsOf('consolidation', busy, idle),
  ];
}
