/** Documents that show a file as it was. */
export const REVIEW_SCHEME = 'nanobot-before';
/** Texts that wait for a person's Allow. */
export const PROPOSAL_SCHEME = 'nanobot-proposal';
/** Where a window keeps what is under review. */
export const REVIEWS_KEY = 'nanobot.reviews';
/** True for VS Code's menus and keys while the active editor shows changes to decide on. */
export const REVIEWING_KEY = 'nanobot.reviewing';
