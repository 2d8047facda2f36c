import { createInterface } from 'node:readline';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import type { Session } from '../../../src/session/session.js';
import { SessionStore } from '../../../src/session/store.js';

/** A window as a process of its own: takes one command a line (JSON), answers each with a line, and prints events as they come. */
const [home = '', holder = ''] = process.argv.slice(2);
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
const quiet = () => undefined;
let idle = true;

const store = new SessionStore({
  files: nodeFiles(),
  clock: nodeClock(),
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  home,
  holder,
  processes: nodeIdentity(),
  notice: (text) => say({ notice: text }),
});
store.allowHandover(() => idle);

const listening = new Set<Session>();

const commands: Record<string, (session: Session, text: string) => Promise<unknown>> = {
  open: (session) => Promise.resolve(session.messages.length),
  acquire: (session) => session.acquire(),
  release: (session) => session.release(),
  append: (session, text) => session.append([{ role: 'user', content: text, timestamp: '' }], { flush: true }),
  texts: (session) => Promise.resolve(session.messages.map(({ content }) => content)),
  busy: () => Promise.resolve((idle = false)),
  idle: () => Promise.resolve((idle = true)),
  continueHere: (session) => session.requestHandover(AbortSignal.timeout(20_000)),
};

async function obey(line: string): Promise<void> {
  const { id, command, key, text } = JSON.parse(line) as { id: number; command: string; key: string; text: string };
  try {
    const session = await store.open(key);
    if (!listening.has(session)) {
      listening.add(session);
      session.onLost((why) => say({ lost: why }));
      session.onExternalChange((change) => say({ change: change.kind }));
    }
    say({ id, value: (await commands[command]?.(session, text)) ?? null });
  } catch (error) {
    say({ id, error: (error as Error).name });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => void obey(line))
  .on('close', () => process.exit());
say({ ready: process.pid });
