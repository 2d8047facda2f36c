/** What was thrown, in its own words: an error's message, anything else as text. */
export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
