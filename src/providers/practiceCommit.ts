import { textOf } from '../protocol/message.js';
import { lastRequest } from './practicePlan.js';
import type { ModelRequest } from './provider.js';

const VERBS: Record<string, string> = { added: 'Add', modified: 'Change', deleted: 'Remove', renamed: 'Rename' };
/** Characters of a first line. */
const MAX_LINE = 72;

/**
 * What the practice model answers when it is asked for a commit message; undefined for any other request. It cannot read a diff: it names the files
 * and what happens to them.
 */
export function commitReply(request: ModelRequest): string | undefined {
  if (!request.system.startsWith('# Commit message')) return undefined;
  const { message } = lastRequest(request.messages);
  const list = /<files>\n([\s\S]*?)\n<\/files>/.exec(textOf(message?.content))?.[1] ?? '';
  const files = [...list.matchAll(/^(added|modified|deleted|renamed) (?:.+ → )?(.+) \([^()]*\)$/gm)].map(
    ([, kind = '', path = '']) => ({ kind, path }),
  );
  const [only] = files;
  if (!only) return 'Change files';
  const whole = `${VERBS[only.kind] ?? 'Change'} ${only.path}`;
  if (files.length === 1) return whole.length <= MAX_LINE ? whole : `Change ${only.path.split('/').at(-1) ?? 'a file'}`;
  const kinds = [...new Set(files.map(({ kind }) => kind))];
  const parts = kinds.map((kind, at) => {
    const verb = VERBS[kind] ?? 'Change';
    const count = files.filter((file) => file.kind === kind).length;
    return `${at === 0 ? verb : verb.toLowerCase()} ${String(count)} ${count === 1 ? 'file' : 'files'}`;
  });
  return parts.join(', ');
}
