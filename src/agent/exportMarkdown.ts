import { t } from '@vscode/l10n';
import { fenced } from '../platform/fenced.js';
import { textOf, wordsOf, type StoredMessage } from '../protocol/message.js';
import { statusWord } from './statusWord.js';

interface ExportedChat {
  title: string;
  /** ISO 8601. */
  exportedAt: string;
  /** The folder it began in. */
  workspace?: string;
  messages: readonly StoredMessage[];
}

/** A conversation as Markdown to read: what was said, with thoughts and tool calls folded away below it. */
export function exportedMarkdown({ title, exportedAt, workspace, messages }: ExportedChat): string {
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  const said = messages.filter(({ role }) => role !== 'tool');
  const about = [t('Exported from Nanobot on {0}', day(exportedAt)), ...(workspace === undefined ? [] : [workspace])];
  const parts = said.map((message) => articleOf(message, results));
  return `${[`# ${title.replaceAll(/\s+/g, ' ')}`, about.join(' · '), ...parts].join('\n\n')}\n`;
}

function articleOf(message: StoredMessage, results: ReadonlyMap<string, StoredMessage>): string {
  const text = wordsOf(message).trim();
  const files = (message.attachments ?? []).map(({ label, startLine, endLine }) => {
    const lines =
      startLine === undefined ? '' : `:${String(startLine)}${endLine === undefined ? '' : `-${String(endLine)}`}`;
    return `- ${t('Attached: {0}', `\`${label}${lines}\``)}`;
  });
  const ended = message.status === undefined ? [] : [`*${message.error?.message ?? t('Stopped.')}*`];
  return [
    `## ${heading(message)}`,
    `*${message.timestamp.replace('T', ' ').slice(0, 16)}*`,
    ...thoughtsOf(message),
    ...(text === '' ? [] : [text]),
    ...(files.length > 0 ? [files.join('\n')] : []),
    ...(message.tool_calls ?? []).map((call) => callOf(call, results.get(call.id))),
    ...ended,
  ].join('\n\n');
}

function heading({ role, sender }: StoredMessage): string {
  if (sender?.kind === 'subagent') return t('Result of subagent {0}', sender.label);
  if (sender?.kind === 'agent') return t('Task');
  return role === 'user' ? t('You') : 'Nanobot';
}

function thoughtsOf({ reasoning_content, thinking_blocks }: StoredMessage): string[] {
  const blocks = (thinking_blocks ?? []).map((block) => (block.type === 'thinking' ? block.thinking : ''));
  const text = (reasoning_content ?? blocks.join('\n')).trim();
  return text === '' ? [] : [folded(t('Thought'), text)];
}

function callOf(
  { function: called }: NonNullable<StoredMessage['tool_calls']>[number],
  result: StoredMessage | undefined,
): string {
  const status = result ? statusWord(result.tool?.status ?? 'ok') : t('no result');
  const summary = result?.tool?.summary ?? '';
  const line = t(
    '{0} ({1})',
    summary === '' || summary === called.name ? called.name : `${called.name}: ${summary}`,
    status,
  );
  const diff = result?.tool?.diff;
  const parts = [
    fenced(withoutEnd(called.arguments), 'json'),
    ...(result ? [fenced(withoutEnd(textOf(result.content)))] : []),
    ...(diff === undefined ? [] : [fenced(withoutEnd(diff), 'diff')]),
  ];
  return folded(line, parts.join('\n\n'));
}

function folded(summary: string, body: string): string {
  const plain = summary.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ');
  return `<details>\n<summary>${plain}</summary>\n\n${body}\n\n</details>`;
}

function withoutEnd(text: string): string {
  return text.replace(/\n$/, '');
}

function day(iso: string): string {
  return iso.slice(0, 10);
}
