import type { ChatHandle, Handlers } from './chatHandle.js';

/** What is VS Code's to do: pick, open, copy. */
export function editorHandlers(
  chat: ChatHandle,
): Pick<Handlers, 'selectModel' | 'openFile' | 'openLink' | 'openPreview' | 'openMemory' | 'copy' | 'code'> {
  const { actions } = chat;
  return {
    selectModel: () => actions.selectModel(chat.sessionKey),
    openFile: ({ path, line }) => actions.openFile(path, line),
    openLink: ({ href }) => actions.openLink(href),
    openPreview: ({ markdown }) => actions.openPreview(markdown),
    openMemory: () => actions.openMemory(),
    copy: ({ text }) => actions.copy(text),
    code: ({ action, text, info, named }) => actions.code(action, { text, info, named }),
  };
}
