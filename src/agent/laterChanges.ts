import { sensitiveName } from '../approval/sensitive.js';
import { maskSecretsInLines } from '../platform/maskSecrets.js';
import type { Workspace } from '../platform/ports.js';
import { isInside } from '../platform/workspacePaths.js';
import type { ChatMessage } from '../protocol/chatState.js';
import type { LaterChange } from '../tools/support/snapshots.js';

/** Turns that are looked through, the newest first. */
const MAX_TURNS = 10;
/** Characters of all diffs together, and of one. */
const MAX_TEXT = 6_000;
const MAX_DIFF = 2_000;

/** What finds and notes what became of a turn's files. */
export interface LaterSnapshots {
  later(
    turnId: string,
    options: { skip: ReadonlySet<string>; mayShow: (path: string) => boolean },
  ): Promise<LaterChange[]>;
  noteLater(turnId: string, paths: readonly string[]): Promise<void>;
}

export interface LaterDeps {
  snapshots: LaterSnapshots;
  workspace: Pick<Workspace, 'folders'>;
}

/** What the model is to be told of its own changes, and what then counts as told. */
export interface Later {
  /** Undefined where everything stands as the agent left it. */
  text: string | undefined;
  /** Call it once the text is stored. */
  noted(): Promise<void>;
}

/**
 * What the person did since to the files that turns of this conversation changed: edits, undone hunks, deletions. For the model, so that it does not
 * make anew what was taken back. Each change is told once.
 */
export async function laterChanges(
  messages: readonly ChatMessage[],
  { snapshots, workspace }: LaterDeps,
): Promise<Later> {
  // What a person types into a file of keys, or what stands outside of the project, is not sent unasked.
  const mayShow = (path: string) =>
    sensitiveName(path) === undefined && workspace.folders().some((folder) => isInside(path, folder.path));
  const turns = messages.flatMap(({ turn }) => (turn?.changes ? [turn.id] : [])).reverse();
  const found: { turnId: string; change: LaterChange }[] = [];
  const seen = new Set<string>();
  for (const turnId of turns.slice(0, MAX_TURNS)) {
    const paths = messages.find(({ turn }) => turn?.id === turnId)?.turn?.changes ?? [];
    for (const change of await snapshots.later(turnId, { skip: seen, mayShow })) found.push({ turnId, change });
    // An older turn's text of the same file is no longer what the agent left.
    for (const { path } of paths) seen.add(path);
  }
  return {
    text: found.length === 0 ? undefined : textOf(found.map(({ change }) => change)),
    noted: async () => {
      for (const turnId of new Set(found.map((one) => one.turnId))) {
        const paths = found.filter((one) => one.turnId === turnId).map(({ change }) => change.path);
        await snapshots.noteLater(turnId, paths);
      }
    },
  };
}

function textOf(changes: readonly LaterChange[]): string {
  const parts = [
    '[Changed since your last turn, by the person or a program: diffs from what you left to what is there now. It is how they want it; do not change it back unless asked.]',
  ];
  let room = MAX_TEXT;
  for (const { label, kind, diff } of changes) {
    const shown = diff === undefined ? `${label}: changed (read it again)` : shortened(maskSecretsInLines(diff));
    const part = kind === 'deleted' ? `${label}: deleted` : shown;
    room -= part.length;
    parts.push(room >= 0 ? part : `${label}: changed (read it again)`);
  }
  return parts.join('\n');
}

function shortened(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff.trimEnd();
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n… (diff cut)`;
}
