import * as z from 'zod';
import { ATTACHMENT_KINDS } from './message.js';
import type { PageMessage } from './wire.js';
import { MAX_ATTACHMENTS, MAX_CODE, MAX_IMAGE_BYTES, MAX_PASTED, MAX_PROMPT } from './wire.js';

const id = z.string().min(1).max(200);
const path = z.string().min(1).max(10_000);
const line = z.number().int().min(1);

const kind = z.enum(ATTACHMENT_KINDS);
const attachment = z.object({
  path,
  label: z.string().max(10_000),
  startLine: line.optional(),
  endLine: line.optional(),
  kind: kind.optional(),
  tokens: z.number().min(0).optional(),
  error: z.string().max(2_000).optional(),
});
const attachments = z.array(attachment).max(MAX_ATTACHMENTS);

/** An image comes in base64, which is longer by a third. */
const LONGEST_SOURCE = Math.max(MAX_PASTED, Math.ceil(MAX_IMAGE_BYTES * 1.4));
const source = z.object({
  kind: kind.exclude(['folder', 'memory', 'skill']),
  label: z.string().max(10_000),
  value: z.string().max(LONGEST_SOURCE),
  line: line.optional(),
});

const decision = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('allow') }),
  z.object({ kind: z.literal('always'), ruleId: z.string(), scope: z.enum(['session', 'workspace', 'everywhere']) }),
  z.object({ kind: z.literal('deny'), reason: z.string().max(10_000).optional() }),
]);

const nextStep = z.enum([
  'retry',
  'continue',
  'setKey',
  'switchModel',
  'openLog',
  'openSettings',
  'resume',
  'newChat',
  'openFolder',
  'continueHere',
  'undoRestore',
]);

const words = z.string().max(MAX_PROMPT);
const message = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** What a page may post. The page is our own, yet whatever runs in it must not reach further than these shapes. */
export const pageMessageSchema = z.discriminatedUnion('type', [
  message('ready', {}),
  message('focused', {}),
  message('ack', { n: z.number().int() }),
  message('pageError', { text: z.string().max(10_000) }),
  message('prompt', { id, text: words, attachments, session: id.optional() }),
  message('stop', {}),
  message('approval', { id, decision }),
  message('openProposal', { id, path }),
  message('answer', { id, text: words }),
  message('queueEdit', { id, text: words }),
  message('queueRemove', { id }),
  message('queueMove', { id, by: z.union([z.literal(-1), z.literal(1)]) }),
  message('queueSend', {}),
  message('retry', { messageId: id }),
  message('resend', { messageId: id, text: words, files: z.boolean().optional(), session: id.optional() }),
  message('planRestore', { messageId: id, for: z.enum(['edit', 'restore']) }),
  message('reviewRestore', { messageId: id }),
  message('restore', { messageId: id, what: z.enum(['files', 'conversation', 'both']) }),
  message('fork', { messageId: id }),
  message('cancelRetry', {}),
  message('next', { step: nextStep, noticeId: id.optional() }),
  message('dismissNotice', { id }),
  message('newChat', {}),
  message('listSessions', { query: z.string().max(1_000) }),
  message('openSession', { key: id }),
  message('renameSession', { key: id, title: z.string().min(1).max(500) }),
  message('deleteSession', { key: id }),
  message('pinSession', { key: id, pinned: z.boolean() }),
  message('openInEditor', { key: id }),
  message('selectModel', {}),
  message('attach', {}),
  message('take', { id, source }),
  message('measure', { attachments }),
  message('unfold', { path }),
  message('listPieces', {}),
  message('openView', { view: z.enum(['servers', 'skills']) }),
  message('mention', { n: z.number().int(), query: z.string().max(1_000) }),
  message('openFile', { path, line: line.optional() }),
  message('openLink', { href: z.string().max(10_000) }),
  message('openPreview', { markdown: words }),
  message('openMemory', {}),
  message('undoTurn', { turnId: id, paths: z.array(path).max(10_000).optional() }),
  message('keepTurn', { turnId: id, paths: z.array(path).max(10_000).optional() }),
  message('reviewTurn', { turnId: id, path: path.optional() }),
  message('subagentStop', { id }),
  message('subagentOpen', { id }),
  message('subagentResume', { id }),
  message('copy', { text: z.string().max(MAX_CODE) }),
  message('code', {
    action: z.enum(['insert', 'apply', 'newFile', 'run']),
    text: z.string().max(MAX_CODE),
    info: z.string().max(1_000),
    named: z.array(z.string().max(10_000)).max(10),
  }),
  message('load', { direction: z.enum(['older', 'newer']), at: z.number().int().min(0) }),
  message('find', { n: z.number().int(), query: z.string().max(1_000) }),
  message('goTo', { index: z.number().int().min(0) }),
  message('draft', { text: words, at: z.number() }),
]);

/** The message as typed by `wire.ts`, or undefined with nothing done where it has another shape. */
export function parsePageMessage(value: unknown): PageMessage | undefined {
  const parsed = pageMessageSchema.safeParse(value);
  // The schema and the type differ only in how they write optional fields.
  return parsed.success ? (parsed.data as PageMessage) : undefined;
}
