import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { InputPort } from '../mcp/inputs.js';

/** Asks for values that the servers of a workspace want, in VS Code's own boxes. Escape gives none. */
export function editorInputs(): InputPort {
  return {
    ask: async (server, input) => {
      const title = t('Nanobot: the MCP server {0} of this workspace asks', server);
      const words = input.description ?? input.id;
      if (input.type === 'pickString') {
        const placeHolder = input.default === undefined ? words : t('{0} (default: {1})', words, input.default);
        return (await vscode.window.showQuickPick(input.options, { title, placeHolder, ignoreFocusOut: true }))?.value;
      }
      return vscode.window.showInputBox({
        title,
        prompt: t("{0}. It is kept in the system's key store, for this server of this workspace.", words),
        password: input.password ?? false,
        ignoreFocusOut: true,
        ...(input.default === undefined ? {} : { value: input.default }),
      });
    },
    argument: async (prompt, { name, description }) =>
      vscode.window.showInputBox({
        title: `Nanobot: ${prompt}`,
        prompt: description === '' ? name : `${name}: ${description}`,
        ignoreFocusOut: true,
      }),
  };
}
