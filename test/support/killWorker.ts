import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../src/app.js';
import { portsFor } from './appPorts.js';
import { modelSettings } from './modelSettings.js';

/** The whole core as a process of its own, to be killed: sends the messages of its arguments one after the other and prints each event at once. */
const [root = '', url = '', ...messages] = process.argv.slice(2);
const session = 'vscode:test';
const home = join(root, 'workspace');
const app = createApp(
  portsFor({ ...modelSettings({ url }), ports: { approval: 'all' } }, { home, project: join(root, 'project') }),
);

const say = (value: unknown) => void writeSync(1, `${JSON.stringify(value)}\n`);

function turn(text: string, n: number): Promise<void> {
  return new Promise((resolve) => {
    const heard = app.bus.subscribe(({ event }) => {
      if (event.type !== 'turn_end') return;
      heard.dispose();
      resolve();
    });
    app.bus.publish({
      id: `message-${String(n)}`,
      channel: 'vscode',
      sessionKey: session,
      text,
      attachments: [],
      watched: true,
    });
  });
}

app.bus.subscribe(({ event }) => say(event));
say({ type: 'ready' });
for (const [n, text] of messages.entries()) {
  await turn(text, n);
  await app.loop.idle(session);
}
await app.close();
say({ type: 'over' });
