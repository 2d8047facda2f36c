import { t } from '@vscode/l10n';
import type { Conversation, TurnSnapshots } from './conversation.js';

/** Decides on what turns did to files: keep or undo, all of a turn or single files. */
export class FileChanges {
  constructor(
    private readonly deps: {
      conversation(key: string): Promise<Conversation>;
      snapshots: TurnSnapshots;
    },
  ) {}

  /**
   * Undoes the file changes of a turn, the newest that changed anything unless one is named, or only those at `paths` (as the turn's list names
   * them). Says in the chat what could not be put back. Resolves with what was and what was not, named as people see it.
   */
  async undo(
    key: string,
    turnId?: string,
    paths?: readonly string[],
  ): Promise<{ restored: string[]; conflicts: string[] }> {
    const conversation = await this.deps.conversation(key);
    const turn = turnId ?? (await this.lastChanging(conversation));
    if (turn === undefined) {
      conversation.notice('undo', 'info', t('There is no turn with file changes to undo.'));
      return { restored: [], conflicts: [] };
    }
    const { restored, restoredPaths, conflicts } = await this.deps.snapshots.undo(turn, paths ? { paths } : {});
    if (conflicts.length > 0) {
      const rest = restored.length > 0 ? t(' {0} other files were put back.', restored.length) : '';
      conversation.notice(
        'undo',
        'warning',
        t('Changed since that turn, so left as they are: {0}.', conflicts.join(', ')) + rest,
      );
    }
    if (conflicts.length === 0) settled(conversation, turn, 'undone', paths);
    else if (restored.length > 0) settled(conversation, turn, 'undone', restoredPaths);
    return { restored, conflicts };
  }

  /** Keeps a turn's changes, or those at `paths`: its list closes. Undo stays possible by command. */
  async keep(key: string, turnId: string, paths?: readonly string[]): Promise<void> {
    await this.deps.snapshots.settle(turnId, 'kept', paths);
    settled(await this.deps.conversation(key), turnId, 'kept', paths);
  }

  /** Says what became of files that were decided on hunk by hunk. */
  async settle(key: string, turnId: string, outcome: 'undone' | 'kept', paths: readonly string[]): Promise<void> {
    await this.deps.snapshots.settle(turnId, outcome, paths);
    settled(await this.deps.conversation(key), turnId, outcome, paths);
  }

  private async lastChanging(conversation: Conversation): Promise<string | undefined> {
    const turns = [...new Set(conversation.session.visible().map((message) => message.turn_id))].reverse();
    for (const turn of turns) {
      if (turn === undefined) continue;
      const { changes, settled: outcome } = await this.deps.snapshots.changes(turn);
      if (changes.length > 0 && outcome !== 'undone') return turn;
    }
    return undefined;
  }
}

function settled(
  conversation: Conversation,
  turnId: string,
  outcome: 'undone' | 'kept',
  paths: readonly string[] | undefined,
): void {
  conversation.emit({ type: 'changes_settled', turnId, outcome, ...(paths ? { paths: [...paths] } : {}) });
}
