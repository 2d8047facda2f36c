/** Lets so many in at once; the others wait in order, and leave the line when their signal aborts. */
export class Gate {
  private inside = 0;
  private readonly line: (() => void)[] = [];

  constructor(private readonly size: number) {}

  /** Whether the next one has to wait. */
  get full(): boolean {
    return this.inside >= this.size;
  }

  /** Resolves when there is a place, or at once when aborted: either way `leave` has to follow. */
  async enter(signal: AbortSignal): Promise<void> {
    if (!this.full || signal.aborted) {
      this.inside++;
      return;
    }
    await new Promise<void>((resolve) => {
      const aborted = () => {
        const at = this.line.indexOf(admitted);
        if (at < 0) return;
        this.line.splice(at, 1);
        this.inside++;
        resolve();
      };
      // The place goes from the one who leaves to the one who waited: nobody can slip in between.
      const admitted = () => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      this.line.push(admitted);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }

  leave(): void {
    // Those whose wait was aborted are inside as well, beyond the size.
    const next = this.inside <= this.size ? this.line.shift() : undefined;
    if (next) next();
    else this.inside--;
  }
}
