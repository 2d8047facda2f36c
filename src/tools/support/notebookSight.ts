/** Which sessions have read a notebook: from then on they are offered the tool that changes one. */
export class NotebookSight {
  private readonly sessions = new Set<string>();

  note(sessionKey: string): void {
    this.sessions.add(sessionKey);
  }

  has(sessionKey: string): boolean {
    return this.sessions.has(sessionKey);
  }
}
