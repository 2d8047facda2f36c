import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { OtherAgents, OtherAgentsTool } from '../tools/forOtherAgents.js';

/** Characters of a text that is shown where a person is asked. */
const SHOWN = 4_000;

type Confirmation = vscode.LanguageModelToolConfirmationMessages;

/**
 * Registers the tools through which other agents of the editor reach Nanobot's memory. The agent is loaded when one of them is used. What writes is
 * confirmed by the person first; the editor asks.
 */
export function registerMemoryTools(context: vscode.ExtensionContext, load: () => Promise<OtherAgents>): void {
  const registered = (name: OtherAgentsTool, progress: string, confirm?: (input: unknown) => Promise<Confirmation>) =>
    vscode.lm.registerTool<unknown>(name, {
      prepareInvocation: async ({ input }) => {
        const confirmationMessages = await confirm?.(input);
        return { invocationMessage: progress, ...(confirmationMessages ? { confirmationMessages } : {}) };
      },
      invoke: async ({ input }, token) => {
        const text = await (await load()).invoke(name, input, signalOf(token));
        return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
      },
    });
  context.subscriptions.push(
    registered('nanobot_recall', t('Nanobot looks into its memory')),
    registered('nanobot_remember', t('Nanobot notes it'), (input) =>
      Promise.resolve({
        title: t('Let Nanobot remember this?'),
        message: quoted(t('It goes into today’s notes, as a quotation from another agent:'), textIn(input, 'text')),
      }),
    ),
    registered('nanobot_schedule', t('Nanobot schedules it'), async (input) => {
      const when =
        (await load()).understood(input) ?? t('When: “{0}”, which is not understood.', textIn(input, 'when'));
      const message = quoted(t('{0} It runs as a turn that nobody watches:', when), textIn(input, 'message'));
      return { title: t('Let Nanobot schedule this?'), message };
    }),
  );
}

/** A signal that follows one of VS Code's tokens. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** What another agent wrote, shown as it is: its Markdown does nothing. */
function quoted(before: string, text: string): vscode.MarkdownString {
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
  return new vscode.MarkdownString().appendText(t('{0} “{1}”', before, shown));
}

function textIn(input: unknown, field: string): string {
  const value = typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[field] : undefined;
  return typeof value === 'string' ? value : '';
}
