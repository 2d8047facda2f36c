import * as vscode from 'vscode';
import type { EditorTools } from '../mcp/editorServers.js';

/** The tools of other extensions, and of the MCP servers that VS Code runs itself. */
export function editorTools(): EditorTools {
  return {
    list: () => [...vscode.lm.tools],
    call: async (name, args, signal) => {
      const cancelling = new vscode.CancellationTokenSource();
      const cancel = () => {
        cancelling.cancel();
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const options = { input: args as object, toolInvocationToken: undefined };
        const { content } = await vscode.lm.invokeTool(name, options, cancelling.token);
        return { content: content.map(partOf) };
      } finally {
        signal.removeEventListener('abort', cancel);
        cancelling.dispose();
      }
    },
  };
}

/** A part of an answer in the protocol's form. */
function partOf(part: unknown): object {
  if (part instanceof vscode.LanguageModelTextPart) return { type: 'text', text: part.value };
  if (!(part instanceof vscode.LanguageModelDataPart)) return { type: 'unknown' };
  if (part.mimeType.startsWith('image/')) return { type: 'image', data: Buffer.from(part.data).toString('base64') };
  return { type: 'text', text: new TextDecoder().decode(part.data) };
}
