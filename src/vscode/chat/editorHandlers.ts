import type { ChatHandle, Handlers } from './chatHandle.js';

/** What is VS Code's to do: pick, complete, open, copy. */
export function editorHandlers(
  chat: ChatHandle,
): Pick<
  Handlers,
  'selectModel' | 'attach' | 'mention' | 'openFile' | 'openLink' | 'openPreview' | 'openMemory' | 'copy'
> {
  const { actions } = chat;
  return {
    selectModel: () => actions.selectModel(),
    attach: async () => {
      const attachments = await actions.pickFiles();
      if (attachments.length > 0) chat.attach(attachments);
    },
    mention: async ({ n, query }) => {
      chat.post({ type: 'mentions', n, items: await actions.mentions(query) });
    },
    openFile: ({ path, line }) => actions.openFile(path, line),
    openLink: ({ href }) => actions.openLink(href),
    openPreview: ({ markdown }) => actions.openPreview(markdown),
    openMemory: () => actions.openMemory(),
    copy: ({ text }) => actions.copy(text),
  };
}
