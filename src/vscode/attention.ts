import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { shownTitle } from '../protocol/chatTitle.js';
import type { App } from '../app.js';
import { isScheduledTurn } from '../cron/jobSession.js';
import { subagentOf } from '../agent/subagentRecord.js';
import { plain } from '../platform/plainText.js';
import type { AgentEvent } from '../protocol/event.js';

/** Characters of a question that a notification shows. */
const LONGEST = 120;

interface AttentionDeps {
  app: Pick<App, 'bus' | 'loop' | 'settings'>;
  /** Shows a chat. */
  show(key: string): Promise<void>;
}

/**
 * Says with a notification that a turn of a chat ended, or that one waits for the person, while the window does not have the focus. Schedules, the
 * heartbeat and subagents have ways of their own. Of the same chat and kind there is one notification at a time.
 */
export function attention({ app, show }: AttentionDeps): vscode.Disposable {
  const shown = new Set<string>();
  const tell = async (key: string, event: AgentEvent): Promise<void> => {
    const slot = `${key} ${event.type}`;
    if (shown.has(slot)) return;
    shown.add(slot);
    try {
      const words = wordsOf(event, shownTitle((await app.loop.conversation(key)).title()));
      if (words !== undefined && (await vscode.window.showInformationMessage(plain(words), t('Show')))) await show(key);
    } finally {
      shown.delete(slot);
    }
  };
  return app.bus.subscribe(({ sessionKey, event }) => {
    if (!isWorthSaying(event) || isScheduledTurn(sessionKey, false) || subagentOf(sessionKey) !== undefined) return;
    if (vscode.window.state.focused || !app.settings().notifyWhenUnfocused) return;
    // A chat that cannot be read has nothing to show.
    void tell(sessionKey, event).catch(() => undefined);
  });
}

/** What a person stopped is no news to them. */
function isWorthSaying(event: AgentEvent): boolean {
  if (event.type === 'turn_end') return event.status !== 'aborted';
  return event.type === 'approval_start' || event.type === 'question_start';
}

function wordsOf(event: AgentEvent, title: string): string | undefined {
  if (event.type === 'turn_end')
    return event.status === 'done'
      ? t('Nanobot is done: “{0}”', title)
      : t('Nanobot ended with an error: “{0}”', title);
  if (event.type === 'approval_start')
    return t('Nanobot waits for your approval ({0}): “{1}”', event.approval.title, title);
  if (event.type !== 'question_start') return undefined;
  const { text } = event.question;
  return t('Nanobot asks: {0} (“{1}”)', text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, title);
}
