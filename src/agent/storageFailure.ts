import { t } from '@vscode/l10n';
import { codeOf } from '../platform/fileErrors.js';
import { reasonOf } from '../platform/reason.js';
import type { ErrorInfo, NextStep } from '../protocol/message.js';
import { LeaseLost, SaveFailed, SessionBusy, SessionRemoved } from '../session/errors.js';

/** Codes of a disk or folder that will not take anything until a person changes a setting or a permission. */
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'EEXIST', 'ELOOP', 'ENAMETOOLONG']);

/** What a person is told when a chat could not be read or written, with the step that leads on. `home` is the agent's home. */
export function storageFailure(cause: unknown, home: string): ErrorInfo {
  if (cause instanceof SessionBusy || cause instanceof LeaseLost) {
    const message = t('Another window is working on this chat. Continue it here first.');
    return { code: 'busy', message, next: ['continueHere'] };
  }
  if (cause instanceof SessionRemoved) return { code: 'removed', message: cause.message, next: ['newChat'] };
  const reason = reasonOf(cause);
  const code = codeOf(cause);
  if (code === undefined) return { code: 'storage', message: reason, next: ['openLog'] };
  const next: NextStep[] = NOT_WRITABLE.has(code) ? ['openSettings', 'openLog'] : ['openLog'];
  if (cause instanceof SaveFailed) return { code: 'storage', message: reason, next };
  return { code: 'storage', message: t('{0} ({1})', lead(code, home), reason), next };
}

function lead(code: string, home: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return t('Nothing can be saved in {0}: the disk is full. Free some space and send again.', home);
  if (NOT_WRITABLE.has(code))
    return t("Nanobot's home {0} cannot be used. Choose another in nanobot.home, or correct what is there.", home);
  return t("Nanobot's home {0} could not be read or written.", home);
}
