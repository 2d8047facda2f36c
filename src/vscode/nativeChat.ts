import { t } from '@vscode/l10n';
import type * as vscode from 'vscode';
import type { App } from '../app.js';
import { answerRequest, type ParticipantDeps } from '../channels/participant.js';
import { forOtherAgents, type OtherAgents } from '../tools/forOtherAgents.js';
import { searchMemory } from '../tools/recall.js';
import { attachedOf } from './chatReferences.js';
import type { AnswerRequest } from './participant.js';

/** What VS Code's own chat reaches of the agent. */
export interface NativeChat {
  answer: AnswerRequest;
  otherAgents: OtherAgents;
}

/** What of VS Code they need; a test has none. */
export interface NativeShell {
  toPath(uri: vscode.Uri): string;
  /** Shows a session in Nanobot's own chat view. */
  reveal(sessionKey: string): Promise<void>;
}

/** Joins `@nanobot` and the tools for other agents to the app. */
export function createNativeChat(app: App, { toPath, reveal }: NativeShell): NativeChat {
  const deps: ParticipantDeps = {
    bus: app.bus,
    loop: app.loop,
    newId: app.newId,
    settled: async (key) => {
      await app.compaction.settled(key);
      await app.dreaming.settled(key);
    },
    remember: app.remember,
    subagents: app.subagents,
    recall: (query, signal) => searchMemory(app, { query }, signal),
    reveal,
    lacksModel: app.lacksModel,
  };
  return {
    answer: ({ references, ...request }, stream, signal) => {
      const { attachments, quoted, leftOut } = attachedOf(references, app.workspace, toPath);
      if (leftOut.length > 0)
        stream.progress(t('Left out, since it is neither a file nor a text: {0}', leftOut.join(', ')));
      return answerRequest(deps, { ...request, attachments, quoted }, stream, signal);
    },
    otherAgents: forOtherAgents({
      recall: app.recall,
      notes: app.notes,
      jobs: app.cron.service.jobs,
      clock: app.clock,
      home: app.home,
    }),
  };
}
