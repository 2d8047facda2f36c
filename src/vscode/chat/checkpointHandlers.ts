import type { Words } from '../../agent/checkpoints.js';
import type { ChatHandle, Handlers } from './chatHandle.js';

/** Going back to before a message, and going on from one in a new chat. */
export function checkpointHandlers(
  chat: ChatHandle,
): Pick<Handlers, 'planRestore' | 'reviewRestore' | 'restore' | 'fork'> {
  const { checkpoints } = chat.app;
  const writeAnew = (words: Words | 'refused' | undefined) => {
    if (!words || words === 'refused') return;
    chat.post({ type: 'insert', text: words.text });
    if (words.attachments.length > 0) chat.attach(words.attachments);
  };
  return {
    planRestore: async ({ messageId, for: use }) => {
      const plan = await checkpoints.plan(chat.sessionKey, messageId);
      if (plan) chat.post({ type: 'restorePlan', plan, for: use });
    },
    reviewRestore: async ({ messageId }) =>
      chat.actions.reviewRestore(await checkpoints.files(chat.sessionKey, messageId)),
    restore: async ({ messageId, what }) => {
      writeAnew(await checkpoints.restore(chat.sessionKey, messageId, what));
    },
    fork: async ({ messageId }) => {
      const { key, words } = await checkpoints.fork(chat.sessionKey, messageId);
      await chat.open(key);
      writeAnew(words);
    },
  };
}
