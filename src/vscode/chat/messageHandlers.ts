import { t } from '@vscode/l10n';
import type { Attachment } from '../../protocol/message.js';
import type { ChatHandle, Handlers } from './chatHandle.js';
import { withoutUndefined } from './withoutUndefined.js';

/** What a person says, and what becomes of it: messages, the queue, answers to what was asked. */
export function messageHandlers(
  chat: ChatHandle,
): Pick<
  Handlers,
  | 'prompt'
  | 'stop'
  | 'approval'
  | 'openProposal'
  | 'answer'
  | 'queueEdit'
  | 'queueRemove'
  | 'queueMove'
  | 'queueSend'
  | 'retry'
  | 'resend'
  | 'cancelRetry'
  | 'draft'
> {
  const { app, storage } = chat;
  return {
    prompt: ({ id, text, attachments, session }) => {
      const key = chat.sessionKey;
      if (session !== undefined && session !== key) {
        giveBack(chat, id, { text, attachments: withoutUndefined(attachments) });
        return;
      }
      chat.sent(id);
      storage.setSession(key);
      // The page tells of its emptied composer a moment later; a reload in between must not bring the words back.
      storage.setDraft(key, { text: '', at: storage.draft(key).at + 1 });
      const message = { id, channel: 'vscode', sessionKey: key, text, attachments: withoutUndefined(attachments) };
      const refusal = app.bus.publish({ ...message, watched: true });
      if (refusal)
        chat.post({ type: 'rejected', id, reason: t('Too many messages wait already. Send it again in a moment.') });
    },
    stop: () => {
      app.loop.stop(chat.sessionKey);
    },
    approval: async ({ id, decision }) => {
      await chat.actions.takeProposalEdits(id);
      (await chat.conversation()).interaction.decide(id, decision);
    },
    openProposal: ({ id, path }) => chat.actions.openProposal(id, path),
    answer: async ({ id, text }) => {
      (await chat.conversation()).interaction.answer(id, text);
    },
    queueEdit: async ({ id, text }) => (await chat.conversation()).editQueued(id, text),
    queueRemove: async ({ id }) => (await chat.conversation()).removeQueued([id]),
    queueMove: async ({ id, by }) => (await chat.conversation()).moveQueued(id, by),
    queueSend: () => app.loop.sendQueued(chat.sessionKey, { channel: 'vscode' }),
    retry: ({ messageId }) => app.loop.retry(chat.sessionKey, messageId, { channel: 'vscode' }),
    resend: async ({ messageId, text, files, session }) => {
      const key = chat.sessionKey;
      const id = app.newId();
      if (session !== undefined && session !== key) {
        giveBack(chat, id, { text, attachments: [] });
        return;
      }
      let isTaken = false;
      try {
        if (files && (await app.checkpoints.restore(key, messageId, 'files')) === 'refused') return;
        const message = { id, channel: 'vscode', sessionKey: key, text, attachments: [], watched: true };
        isTaken = await app.loop.resend(key, messageId, message);
      } finally {
        // Its edit box is closed: the words must not be lost.
        if (!isTaken) chat.post({ type: 'insert', text });
      }
    },
    cancelRetry: async () => {
      (await chat.conversation()).running?.cancelWait();
    },
    draft: ({ text, at }) => {
      // A chat that has not begun is found again, too.
      if (storage.session() !== chat.sessionKey) storage.setSession(chat.sessionKey);
      storage.setDraft(chat.sessionKey, { text, at });
    },
  };
}

/** Of what was sent in the moment in which another chat was opened: the page may show either by now. */
function giveBack(chat: ChatHandle, id: string, words: { text: string; attachments: Attachment[] }): void {
  const reason = t('Another chat was opened in that moment. Send it again where it belongs.');
  chat.post({ type: 'rejected', id, reason, words });
}
