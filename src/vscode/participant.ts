import * as vscode from 'vscode';
import type { ParticipantRequest, ParticipantResult, ResponseStream } from '../channels/participant.js';
import { signalOf } from './lmTools.js';

/** The id under which package.json contributes it. */
const PARTICIPANT = 'nanobot.nanobot';

/** Answers one request. Never rejects. */
export type AnswerRequest = (
  request: ParticipantRequest & { references: readonly vscode.ChatPromptReference[] },
  stream: ResponseStream,
  signal: AbortSignal,
) => Promise<ParticipantResult>;

/** Registers `@nanobot` in VS Code's own chat. The agent is loaded with the first request. */
export function registerParticipant(context: vscode.ExtensionContext, load: () => Promise<AnswerRequest>): void {
  const participant = vscode.chat.createChatParticipant(PARTICIPANT, async (request, { history }, response, token) => {
    const answer = await load();
    const { prompt: text, command, references } = request;
    const asked = { text, command, references, attachments: [], sessionKey: sessionIn(history) };
    const { sessionKey, error } = await answer(asked, streamOn(response), signalOf(token));
    return { metadata: { sessionKey }, ...(error === undefined ? {} : { errorDetails: { message: error } }) };
  });
  participant.iconPath = vscode.Uri.joinPath(context.extensionUri, 'media', 'icon.png');
  context.subscriptions.push(participant);
}

/** The session that an earlier answer of this chat came from, the newest first. */
function sessionIn(history: vscode.ChatContext['history']): string | undefined {
  for (const turn of history.toReversed()) {
    if (!('result' in turn) || turn.participant !== PARTICIPANT) continue;
    const key: unknown = turn.result.metadata?.['sessionKey'];
    // Kept by VS Code, and so not beyond doubt.
    if (typeof key === 'string' && /^participant:[\w-]+$/.test(key)) return key;
  }
  return undefined;
}

function streamOn(response: vscode.ChatResponseStream): ResponseStream {
  return {
    markdown: (text) => void response.markdown(text),
    progress: (text) => void response.progress(text),
    reference: (path, line) => {
      const uri = /^[a-z][a-z0-9+.-]+:\/\//i.test(path) ? vscode.Uri.parse(path) : vscode.Uri.file(path);
      response.reference(
        line === undefined ? uri : new vscode.Location(uri, new vscode.Position(Math.max(0, line - 1), 0)),
      );
    },
    button: (title, command, ...args) => void response.button({ title, command, arguments: args }),
  };
}
