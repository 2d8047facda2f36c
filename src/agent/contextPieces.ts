import { ownWords } from '../memory/rawEntry.js';
import { estimateMessage, estimateText } from '../memory/tokens.js';
import { textOf, type StoredMessage } from '../protocol/message.js';
import type { ContextPiece } from '../protocol/wire.js';
import type { Conversation } from './conversation.js';

/** Parts that are listed: the largest, as far as they have this many tokens. */
const MAX_PIECES = 8;
const MIN_TOKENS = 200;
const MAX_LABEL = 80;

/** What of a conversation takes the most room in the next request, the largest first, and what attachments take together. Tokens, estimated. */
export function contextPieces(conversation: Pick<Conversation, 'session' | 'cut' | 'transcript'>): {
  attachments: number;
  pieces: ContextPiece[];
} {
  const { session, cut } = conversation;
  const transcript = conversation.transcript();
  const found: (Omit<ContextPiece, 'index'> & { article: string })[] = [];
  let attachments = 0;
  let article = '';
  for (const message of session.forModel(cut.from)) {
    if (message.role !== 'tool') article = message.id ?? '';
    const attached = attachedTokens(message);
    attachments += attached;
    const isAttached = attached > estimateMessage(message) / 2;
    const kind = message.role === 'tool' ? 'result' : isAttached ? 'attachment' : 'message';
    found.push({ kind, label: labelOf(message, kind), tokens: estimateMessage(message), article });
  }
  const pieces = found
    .filter(({ tokens }) => tokens >= MIN_TOKENS)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, MAX_PIECES)
    .map(({ article: of, ...piece }) => ({ ...piece, index: transcript.indexOf(of) }))
    .filter(({ index }) => index >= 0);
  return { attachments, pieces };
}

function attachedTokens(message: StoredMessage): number {
  if (message.role !== 'user' || !message.attachments?.length) return 0;
  return Math.max(0, estimateMessage(message) - estimateText(ownWords(message)));
}

function labelOf(message: StoredMessage, kind: ContextPiece['kind']): string {
  const label =
    kind === 'result'
      ? `${message.name ?? 'tool'}: ${message.tool?.summary ?? ''}`
      : kind === 'attachment'
        ? (message.attachments ?? []).map((attachment) => attachment.label).join(', ')
        : textOf(message.content);
  const line = label.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_LABEL ? `${line.slice(0, MAX_LABEL - 1)}…` : line;
}
