import type { Workspace } from '../platform/ports.js';

/** What lies in a folder that is not trusted must not decide what a program does: `npx` takes its packages and its settings from where it runs. */
export function trustedFolder(workspace: Workspace): string | undefined {
  return workspace.trusted() && workspace.onDisk() ? workspace.folders()[0]?.path : undefined;
}
