import { t } from '@vscode/l10n';
import * as z from 'zod';
import { ATTACHMENT_KINDS, type StoredMessage } from '../protocol/message.js';

/** Characters of an id that a page can name. */
const MAX_ID = 200;

const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
/**
 * Shown, and never read: the person attached it on another machine, or nobody did, and the path may be that of any file here. The name shown is the path's
 * own, since another one could hide where it leads.
 */
const attachment = z
  .object({
    path: z.string(),
    startLine: z.number().optional(),
    endLine: z.number().optional(),
    kind: z.enum(ATTACHMENT_KINDS).optional().catch(undefined),
  })
  .transform(({ path, kind, ...lines }) => ({
    ...lines,
    path,
    label: lastPart(path),
    ...(kind === undefined ? {} : { kind }),
    error: t('From another machine'),
  }));
const usage = z.looseObject({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() });
const fileRef = z.object({ path: z.string(), line: z.number().optional() });
const thinking = z.union([
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
]);
const tool = z.object({
  status: z.enum(['ok', 'error', 'denied', 'aborted']),
  summary: z.string(),
  ms: z.number(),
  files: z.array(fileRef).optional(),
  diff: z.string().optional(),
});
const sender = z.union([
  z.object({
    kind: z.literal('subagent'),
    id: z.string(),
    label: z.string(),
    task: z.string(),
    status: z.enum(['done', 'error']),
  }),
  z.object({ kind: z.literal('agent') }),
]);

/** What the rest of the code takes for granted of a stored message; what has another form is left out. */
const fields = z.looseObject({
  id: z.string().min(1).max(MAX_ID).optional().catch(undefined),
  turn_id: z.string().min(1).max(MAX_ID).optional().catch(undefined),
  tool_call_id: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  reasoning_content: z.string().optional().catch(undefined),
  thinking_blocks: z.array(thinking).optional().catch(undefined),
  extra_content: z.record(z.string(), z.unknown()).optional().catch(undefined),
  runtime_context: z.string().optional().catch(undefined),
  attachments: z.array(attachment).optional().catch(undefined),
  status: z.enum(['error', 'aborted']).optional().catch(undefined),
  interrupted: z.boolean().optional().catch(undefined),
  error: z
    .object({ code: z.string(), message: z.string() })
    .transform((error) => ({ ...error, next: [] }))
    .optional()
    .catch(undefined),
  model: z.string().optional().catch(undefined),
  usage: usage.optional().catch(undefined),
  tool: tool.optional().catch(undefined),
  sender: sender.optional().catch(undefined),
  // One in another form must not make its text a trusted one.
  untrusted: z.boolean().optional().catch(true),
});

/**
 * Messages of a file from anywhere as a session may store them. Ids are kept where they are unique; turns get new ones, since those of the original may
 * still be undone.
 */
export function importedMessages(messages: readonly StoredMessage[], newId: () => string): StoredMessage[] {
  const ids = new Set<string>();
  const turns = new Map<string, string>();
  return messages.map((message) => {
    // The files that a turn changed are not this chat's to undo.
    const {
      id,
      turn_id,
      changes: _changes,
      ...rest
    } = fields.parse({ ...message, content: contentOf(message.content) });
    const isOwn = id !== undefined && !ids.has(id);
    if (isOwn) ids.add(id);
    if (turn_id !== undefined && !turns.has(turn_id)) turns.set(turn_id, newId());
    const turn = turn_id === undefined ? undefined : turns.get(turn_id);
    const kept = Object.entries(rest).filter(([, value]) => value !== undefined);
    return {
      ...(Object.fromEntries(kept) as unknown as StoredMessage),
      ...(isOwn ? { id } : {}),
      ...(turn === undefined ? {} : { turn_id: turn }),
    };
  });
}

/** A piece of a content that has another form is kept as the text it is. */
function contentOf(content: StoredMessage['content']): StoredMessage['content'] {
  if (!Array.isArray(content)) return content;
  return (content as unknown[]).map((piece) => {
    const known = block.safeParse(piece);
    return known.success ? known.data : { type: 'text', text: JSON.stringify(piece) };
  });
}

/** The last part of a path of any system. */
function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== '') ?? path;
}
