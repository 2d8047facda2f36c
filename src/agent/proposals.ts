import type { Disposable } from '../platform/ports.js';
import { toLf } from '../tools/support/text.js';

/** A text that a call would write, while the person is asked about it. */
export interface Proposal {
  path: string;
  /** As people see the path. */
  label: string;
  text: string;
}

interface Waiting {
  sessionKey: string;
  proposals: readonly Proposal[];
  amended: Map<string, string>;
}

/** Texts that wait for a person's Allow. Until then the person may change them; what is written then is theirs. */
export class Proposals {
  private readonly waiting = new Map<string, Waiting>();
  private readonly listeners = new Set<(approvalId: string) => void>();

  /** Offers the texts of a call that is being asked about. */
  offer(approvalId: string, sessionKey: string, proposals: readonly Proposal[]): void {
    this.waiting.set(approvalId, { sessionKey, proposals, amended: new Map() });
  }

  /** What waits under this approval, and in which session; undefined once it is decided. */
  find(approvalId: string): Pick<Waiting, 'sessionKey' | 'proposals'> | undefined {
    return this.waiting.get(approvalId);
  }

  /** The text as it would be written now. */
  text(approvalId: string, path: string): string | undefined {
    const found = this.waiting.get(approvalId);
    return found?.amended.get(path) ?? found?.proposals.find((one) => one.path === path)?.text;
  }

  /** The person changed a text. Line ends alone are no change. False where nobody waits for it any more. */
  amend(approvalId: string, path: string, text: string): boolean {
    const found = this.waiting.get(approvalId);
    const proposed = found?.proposals.find((one) => one.path === path);
    if (!found || !proposed) return false;
    if (toLf(text) === toLf(proposed.text)) found.amended.delete(path);
    else found.amended.set(path, text);
    return true;
  }

  /** The person has decided, or the turn ended: resolves to what they changed, by path. */
  end(approvalId: string): ReadonlyMap<string, string> {
    const found = this.waiting.get(approvalId);
    if (!found) return new Map();
    this.waiting.delete(approvalId);
    for (const listener of this.listeners) listener(approvalId);
    return found.amended;
  }

  /** Hears of each approval with proposals that was decided. */
  onEnd(listener: (approvalId: string) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }
}
