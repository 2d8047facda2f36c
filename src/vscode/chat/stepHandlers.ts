import type { NextStep } from '../../protocol/message.js';
import type { ChatHandle, Handlers } from './chatHandle.js';
import { resumeChat } from './subagentHandlers.js';

/** What the buttons of errors and notices do, and what goes wrong in the page. */
export function stepHandlers(chat: ChatHandle): Pick<Handlers, 'next' | 'dismissNotice' | 'pageError'> {
  return {
    next: ({ step, noticeId }) => take(chat, step, noticeId),
    pageError: ({ text }) => {
      chat.app.log.error(`The chat page: ${text}`);
    },
    dismissNotice: async ({ id }) => {
      (await chat.conversation()).emit({ type: 'notice_end', id });
      // It would be there again after each reload.
      if (id === 'restore') await chat.app.checkpoints.dismissed(chat.sessionKey);
    },
  };
}

async function take(chat: ChatHandle, step: NextStep, noticeId: string | undefined): Promise<void> {
  const { app, actions, sessionKey } = chat;
  // These two lead on also from a chat that cannot be read.
  if (step === 'newChat') return chat.newChat();
  if (step === 'openLog') {
    actions.openLog();
    return;
  }
  const conversation = await chat.conversation();
  if (noticeId !== undefined) conversation.emit({ type: 'notice_end', id: noticeId });
  switch (step) {
    case 'retry':
    case 'continue': {
      const last = conversation.state.messages.at(-1);
      if (last) await app.loop.retry(sessionKey, last.id, { channel: 'vscode' });
      return;
    }
    case 'setKey':
      return actions.setKey();
    case 'switchModel':
      return actions.selectModel(sessionKey);
    case 'openSettings':
      return actions.openSettings();
    case 'resume':
      return resumeChat(app, sessionKey);
    case 'openFolder':
      return actions.openFolder();
    case 'undoRestore':
      return app.checkpoints.undoRestore(sessionKey);
    case 'continueHere':
      return app.loop.continueHere(sessionKey);
  }
}
