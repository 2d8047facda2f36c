import { subagentOf, subagentSession } from '../../agent/subagentRecord.js';
import type { App } from '../../app.js';
import type { ChatHandle, Handlers } from './chatHandle.js';

/** What the buttons of a subagent's card do. */
export function subagentHandlers(chat: ChatHandle): Pick<Handlers, 'subagentStop' | 'subagentOpen' | 'subagentResume'> {
  const { subagents } = chat.app;
  return {
    subagentStop: ({ id }) => {
      subagents.stop(id);
    },
    subagentOpen: ({ id }) => chat.open(subagentSession(id)),
    subagentResume: async ({ id }) => void (await subagents.resume(id)),
  };
}

/** Goes on with an interrupted turn; a subagent's as what it is, so that its result gets where it is waited for. */
export async function resumeChat(app: App, key: string): Promise<void> {
  const id = subagentOf(key);
  if (id !== undefined && (await app.subagents.resume(id))) return;
  await app.loop.resume(key, { channel: 'vscode' });
}

/** Shows the chat that a subagent works for, where its transcript is shown: nothing is sent from there. */
export async function leaveTranscript(
  app: App,
  chat: { readonly sessionKey: string; open(key: string): Promise<void> },
): Promise<void> {
  if (subagentOf(chat.sessionKey) === undefined) return;
  const { parent } = (await app.loop.conversation(chat.sessionKey)).sessionState();
  if (parent !== undefined) await chat.open(parent);
}
