/** The view of what conversations left behind. */
export const HISTORY_VIEW = 'nanobot.history';
/** Read-only documents with an entry of the history. */
export const HISTORY_SCHEME = 'nanobot-history';
/** Read-only documents with a file of the memory as it once was. */
export const MEMORY_SCHEME = 'nanobot-memory';
