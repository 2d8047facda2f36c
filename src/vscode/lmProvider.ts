import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { reasonOf } from '../platform/reason.js';
import { textOf, type ErrorInfo, type StoredMessage, type ToolCall } from '../protocol/message.js';
import type { ModelAnswer, ModelRequest, ProviderError, StreamEvent } from '../providers/provider.js';
import type { ProviderFactory } from '../providers/registry.js';
import { IMAGE_NOTE } from '../providers/retry.js';
import { withoutImages } from '../providers/transcript.js';
import { estimateMessage, estimateText } from '../memory/tokens.js';
import { looseArguments } from '../runner/arguments.js';

const CONSENT = 'nanobot.lmConsent';

/**
 * Models of `vscode.lm`: no key is needed. Their first use asks, and says whose quota it spends; a turn that nobody watches uses them only where
 * VS Code says it may. The API has user and assistant roles only, so the system prompt goes first as a person's message; it reports no usage,
 * so tokens are estimated.
 */
export function lmProvider({ globalState, languageModelAccessInformation }: vscode.ExtensionContext): ProviderFactory {
  const windows = new Map<string, number>();
  const consented = () => globalState.get<boolean>(CONSENT) ?? false;
  let asking: Promise<boolean> | undefined;
  /** One question at a time, whoever needs the answer. */
  const agreed = async () => {
    if (consented()) return true;
    asking ??= askConsent(globalState).finally(() => (asking = undefined));
    return asking;
  };
  const select = async (selector: vscode.LanguageModelChatSelector) => {
    const models = await vscode.lm.selectChatModels(selector);
    for (const model of models) windows.set(model.id, model.maxInputTokens);
    return models;
  };
  return {
    create: () => ({ name: 'vscode', stream: (model, request, { signal }) => stream(model, request, signal) }),
    autoModel: async () => (consented() ? (await select({}))[0]?.id : undefined),
    refusal: async (id, { watched, toShow }) => {
      const [model] = await select({ id });
      if (!model)
        return refused(
          'not_found',
          t('VS Code offers no model named {0}. Sign in to the extension that provides it, or switch models.', id),
        );
      if (toShow) return undefined;
      if (watched)
        return (await agreed())
          ? undefined
          : refused('auth', t("VS Code's own models are not used without your consent."));
      const allowed = consented() && languageModelAccessInformation.canSendRequest(model) === true;
      return allowed
        ? undefined
        : refused(
            'auth',
            t("VS Code's own models cannot be used in a turn that nobody watches until you have used them in a chat."),
          );
    },
    models: async () =>
      (await select({})).map(({ id, maxInputTokens }) => ({ name: id, contextWindow: maxInputTokens })),
    facts: (model) => {
      const contextWindow = windows.get(model);
      return contextWindow === undefined ? undefined : { contextWindow, images: false };
    },
  };
}

async function askConsent(state: vscode.Memento): Promise<boolean> {
  const chosen = await vscode.window.showInformationMessage(
    t(
      "Use VS Code's own language models with Nanobot? Requests count against the quota of the subscription that provides them, such as GitHub Copilot.",
    ),
    { modal: true },
    t('Use them'),
  );
  if (chosen) await state.update(CONSENT, true);
  return chosen !== undefined;
}

function refused(code: string, message: string): ErrorInfo {
  return { code, message, next: ['switchModel', 'retry'] };
}

async function* stream(name: string, request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const answer: ModelAnswer = { text: '', toolCalls: [], stopReason: 'stop', model: name };
  const cancel = new vscode.CancellationTokenSource();
  const aborted = () => {
    cancel.cancel();
  };
  signal.addEventListener('abort', aborted, { once: true });
  try {
    const [model] = await vscode.lm.selectChatModels({ id: name });
    if (!model) throw vscode.LanguageModelError.NotFound(t('VS Code offers no model named {0}.', name));
    const response = await model.sendRequest(toMessages(request), optionsOf(request), cancel.token);
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) {
        answer.text += part.value;
        yield { type: 'text', text: part.value };
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        const call: ToolCall = {
          id: part.callId,
          type: 'function',
          function: { name: part.name, arguments: JSON.stringify(part.input) },
        };
        answer.toolCalls.push(call);
        yield { type: 'tool_start', id: part.callId, name: part.name };
      }
    }
    answer.stopReason = answer.toolCalls.length > 0 ? 'tool_calls' : 'stop';
  } catch (cause) {
    answer.stopReason = 'error';
    answer.error = errorOf(cause);
  } finally {
    signal.removeEventListener('abort', aborted);
    cancel.dispose();
  }
  if (signal.aborted) answer.stopReason = 'aborted';
  answer.usage = {
    inputTokens:
      estimateText(request.system) + request.messages.reduce((sum, message) => sum + estimateMessage(message), 0),
    outputTokens: estimateText(answer.text),
    cachedTokens: 0,
    estimated: true,
  };
  yield { type: 'end', answer };
}

function optionsOf(request: ModelRequest): vscode.LanguageModelChatRequestOptions {
  const base = { justification: t('Nanobot answers what you asked in its chat.') };
  if (request.toolChoice === 'none') return base;
  const tools = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  return { ...base, tools };
}

function toMessages(request: ModelRequest): vscode.LanguageModelChatMessage[] {
  // Whether one of these models takes images is not told: none is sent, and the model is told of each.
  const messages = withoutImages(request.messages, IMAGE_NOTE).map(toMessage);
  return [vscode.LanguageModelChatMessage.User(request.system), ...messages];
}

function toMessage(message: StoredMessage): vscode.LanguageModelChatMessage {
  const text = textOf(message.content);
  if (message.role === 'user') {
    const { content, runtime_context: context } = message;
    const texts = Array.isArray(content) ? content.map((block) => (block.type === 'text' ? block.text : '')) : [text];
    return vscode.LanguageModelChatMessage.User([...texts, context].filter(Boolean).join('\n\n'));
  }
  if (message.role === 'tool') {
    const result = new vscode.LanguageModelToolResultPart(message.tool_call_id ?? '', [
      new vscode.LanguageModelTextPart(text),
    ]);
    return vscode.LanguageModelChatMessage.User([result]);
  }
  const calls = (message.tool_calls ?? []).map(
    ({ id, function: named }) =>
      new vscode.LanguageModelToolCallPart(id, named.name, looseArguments(named.arguments) as object),
  );
  return vscode.LanguageModelChatMessage.Assistant(
    text === '' ? calls : [new vscode.LanguageModelTextPart(text), ...calls],
  );
}

function errorOf(cause: unknown): ProviderError {
  const words = reasonOf(cause);
  const message = t("VS Code's model refused: {0}", words);
  if (!(cause instanceof vscode.LanguageModelError)) return { code: 'server', message, retryable: true };
  if (cause.code === 'NoPermissions') return { code: 'auth', message, retryable: false };
  if (cause.code === 'NotFound') return { code: 'not_found', message, retryable: false };
  return cause.code === 'Blocked'
    ? { code: 'quota', message, retryable: false }
    : { code: 'server', message, retryable: true };
}
