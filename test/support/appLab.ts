import { mkdirSync, readdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import type { AppPorts } from '../../src/appPorts.js';
import type { Settings } from '../../src/config/schema.js';
import type { AgentEvent, ApprovalDecision, ApprovalRequest } from '../../src/protocol/event.js';
import type { StoredMessage } from '../../src/protocol/message.js';
import { portsFor } from './appPorts.js';
import { tempHome } from './tempHome.js';

export interface LabOptions {
  /** Files of the project. */
  files?: Record<string, string>;
  settings?: Partial<Settings>;
  env?: Record<string, string>;
  ports?: Partial<AppPorts>;
  /** What the person answers; default: allow once. */
  approve?: (approval: ApprovalRequest) => ApprovalDecision | undefined;
  answer?: (question: string) => string | undefined;
  /** An earlier lab's folder, to see what a restart finds. */
  root?: string;
  session?: string;
}

/** The whole core on real files, processes and ripgrep, with a person who answers by script. */
export interface AppLab {
  app: App;
  root: string;
  home: string;
  project: string;
  session: string;
  events: AgentEvent[];
  /** Sends a message as a watched chat does, and resolves with its turn's end; rejects where it was not taken. */
  say(text: string, id?: string): Promise<Extract<AgentEvent, { type: 'turn_end' }>>;
  /** Resolves with the next event that fits, looking from the events after `from`. */
  event<T extends AgentEvent['type']>(
    type: T,
    fits?: (event: Extract<AgentEvent, { type: T }>) => boolean,
  ): Promise<Extract<AgentEvent, { type: T }>>;
  publish(text: string, id?: string): void;
  stored(): StoredMessage[];
  lines(): Record<string, unknown>[];
  text(path: string): string;
  close(): Promise<void>;
}

/** Makes an app over a fresh (or an earlier) home and project. */
export async function appLab(options: LabOptions = {}): Promise<AppLab> {
  const root = options.root ?? (await tempHome()).root;
  const home = join(root, 'workspace');
  const project = join(root, 'project');
  mkdirSync(project, { recursive: true });
  for (const [name, content] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), content);
  }
  const session = options.session ?? 'vscode:test';
  const events: AgentEvent[] = [];
  const watchers = new Set<(event: AgentEvent) => void>();
  const app = createApp(portsFor(options, { home, project }));
  app.bus.subscribe(({ sessionKey, event }) => {
    if (sessionKey !== session) return;
    events.push(event);
    for (const watcher of watchers) watcher(event);
    if (event.type === 'approval_start') decide(app, session, event.approval, options);
    if (event.type === 'question_start') {
      const answer = (options.answer ?? (() => 'yes'))(event.question.text);
      if (answer !== undefined)
        void app.loop.conversation(session).then((found) => {
          found.interaction.answer(event.question.id, answer);
        });
    }
  });
  let closed = false;
  const close = async () => {
    if (!closed) await app.close();
    closed = true;
  };
  onTestFinished(close);
  let sent = 0;
  const publish = (text: string, id = `message-${String(++sent)}`) => {
    app.bus.publish({ id, channel: 'vscode', sessionKey: session, text, attachments: [], watched: true });
  };
  const event: AppLab['event'] = (type, fits) =>
    new Promise((resolve) => {
      const watcher = (seen: AgentEvent) => {
        if (seen.type !== type || (fits && !fits(seen as never))) return;
        watchers.delete(watcher);
        resolve(seen as never);
      };
      watchers.add(watcher);
    });
  const path = () => join(home, 'sessions', `${session.replaceAll(':', '_')}.jsonl`);
  const lines = () =>
    existsSync(path())
      ? readFileSync(path(), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as Record<string, unknown>)
      : [];
  return {
    app,
    root,
    home,
    project,
    session,
    events,
    publish,
    event,
    say: async (text, id) => {
      const sentId = id ?? `message-${String(++sent)}`;
      const end = new Promise<Extract<AgentEvent, { type: 'turn_end' }>>((resolve, reject) => {
        const watcher = (seen: AgentEvent) => {
          if (seen.type === 'turn_end') resolve(seen);
          else if (seen.type === 'rejected' && seen.id === sentId)
            reject(new Error(`The message was not taken: ${seen.reason}`));
          else return;
          watchers.delete(watcher);
        };
        watchers.add(watcher);
      });
      publish(text, sentId);
      const ended = await end;
      await app.loop.idle(session);
      return ended;
    },
    lines,
    stored: () => lines().filter((line) => line['_type'] !== 'metadata') as unknown as StoredMessage[],
    text: (name) => readFileSync(join(project, name), 'utf8'),
    close,
  };
}

function decide(app: App, session: string, approval: ApprovalRequest, options: LabOptions): void {
  const decision = (options.approve ?? (() => ({ kind: 'allow' as const })))(approval);
  if (decision)
    void app.loop.conversation(session).then((found) => {
      found.interaction.decide(approval.id, decision);
    });
}

/** Names of all files below a folder of a lab, for assertions on what was (not) written. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
