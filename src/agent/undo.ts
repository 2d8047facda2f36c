import type { Conversation, TurnSnapshots } from './conversation.js';

/** Undoes the file changes of a turn, the newest that changed anything unless one is named, and says what could not be put back. */
export async function undoTurn(conversation: Conversation, snapshots: TurnSnapshots, turnId?: string): Promise<void> {
  const turn = turnId ?? (await lastChanging(conversation, snapshots));
  if (turn === undefined) {
    conversation.notice('undo', 'info', 'There is no turn with file changes to undo.');
    return;
  }
  const { restored, conflicts } = await snapshots.undo(turn);
  if (conflicts.length > 0) {
    const rest = restored.length > 0 ? ` ${String(restored.length)} other files were put back.` : '';
    conversation.notice(
      'undo',
      'warning',
      `Changed since that turn, so left as they are: ${conflicts.join(', ')}.${rest}`,
    );
  }
  if (restored.length > 0 || conflicts.length === 0) {
    conversation.emit({ type: 'changes_settled', turnId: turn, outcome: 'undone' });
  }
}

async function lastChanging(conversation: Conversation, snapshots: TurnSnapshots): Promise<string | undefined> {
  const turns = [...new Set(conversation.session.visible().map((message) => message.turn_id))].reverse();
  for (const turn of turns) {
    if (turn === undefined) continue;
    const { changes, settled } = await snapshots.changes(turn);
    if (changes.length > 0 && settled !== 'undone') return turn;
  }
  return undefined;
}
