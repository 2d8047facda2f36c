import { t } from '@vscode/l10n';
import type { Clock, Files, Workspace } from '../platform/ports.js';
import { maskSecretsInLines } from '../platform/maskSecrets.js';
import { localMinute } from '../platform/localTime.js';
import { reasonOf } from '../platform/reason.js';
import { wordsOf, type Attachment, type StoredMessage } from '../protocol/message.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, type AttachmentSource } from '../protocol/wire.js';
import { estimateText } from '../memory/tokens.js';
import { imageSizeOf } from '../tools/support/imageSize.js';
import { imageTypeOf } from '../tools/support/fileKind.js';
import { problemsText } from '../tools/support/problems.js';
import { sizeText } from '../tools/support/text.js';
import type { FetchedPage } from '../tools/webFetch.js';
import type { SessionStore } from '../session/store.js';
import { MAX_ATTACHED, rangeOf } from './attachedContent.js';
import { AttachmentStore } from './attachmentStore.js';

/** What an image costs about. */
const IMAGE_TOKENS = 1_600;
/** Bytes of a file that are read to estimate its tokens; of a larger one the size says enough. */
const MAX_READ = 1_000_000;
/** Bytes in which an image's type and size are found. */
const IMAGE_HEAD = 256 * 1024;
/** Bytes of an image file that the page is given to scale down. */
const MAX_TO_SHRINK = 40 * 1024 * 1024;
/** Characters of an earlier chat: its newest messages. */
const MAX_CHAT = 20_000;
const CHAT_MESSAGES = 400;

/** A text that was had from the editor, with the name of where it comes from. */
export interface SourceText {
  label: string;
  text: string;
}

/** What only an editor can give. Each rejects with an Error whose words say what to do. */
export interface EditorSources {
  /** What the active terminal's last command wrote. */
  terminal(): Promise<SourceText>;
  /** What differs from the last commit, secrets masked, in at most `room` characters. */
  changes(room: number): Promise<SourceText>;
  /** The lines of what is declared in this line, all 1-based. */
  symbolLines(path: string, line: number): Promise<{ startLine: number; endLine: number }>;
}

export interface AttachablesDeps {
  files: Files;
  clock: Clock;
  home: string;
  workspace: Workspace;
  sessions: Pick<SessionStore, 'tail'>;
  fetchPage(url: string, signal: AbortSignal): Promise<FetchedPage>;
  /** Absent where there is no editor. */
  editor?: EditorSources | undefined;
}

/**
 * Makes attachments: has what has to be had first (a page, terminal output, a pasted image) and keeps it as a file at once, so that sending waits for nothing
 * and what is sent is what the chip showed; and says of files what they are and how large.
 */
export class Attachables {
  private readonly store: AttachmentStore;

  constructor(private readonly deps: AttachablesDeps) {
    this.store = new AttachmentStore(deps);
  }

  /** Makes an attachment of a source. Rejects with words for a person. */
  async take(source: AttachmentSource, signal: AbortSignal): Promise<Attachment> {
    const { value, label, line = 1 } = source;
    switch (source.kind) {
      case 'image':
        return this.image(label, Buffer.from(value, 'base64'), 'pasted');
      case 'text':
        return this.kept('text', label, value);
      case 'url':
        return this.page(value, signal);
      case 'session':
        return this.chat(value, label);
      case 'problems':
        return this.problems();
      case 'terminal': {
        const output = await this.editor(t('The terminal can be attached in VS Code only.')).terminal();
        return this.kept('terminal', t('Terminal ({0})', output.label), this.stamped(maskSecretsInLines(output.text)));
      }
      case 'changes': {
        const changes = await this.editor(t('Git can be attached in VS Code only.')).changes(MAX_ATTACHED - 1_000);
        return this.kept('changes', changes.label, this.stamped(changes.text));
      }
      case 'symbol': {
        const lines = await this.editor(t('A symbol can be attached in VS Code only.')).symbolLines(value, line);
        return this.measure({ kind: 'symbol', path: value, label, ...lines });
      }
    }
  }

  /** The attachment with its kind and size as they are now, its path in one form. Never rejects: what cannot be read gets its `error`. */
  async measure(attachment: Attachment): Promise<Attachment> {
    const { error: former, tokens: _tokens, ...known } = attachment;
    // What could not be had has no path that could be looked at.
    if (former !== undefined && TAKEN.has(known.kind)) return attachment;
    try {
      const path = this.deps.workspace.resolve(known.path);
      const isNamed = NAMED.has(known.kind) || this.store.owns(path);
      return await this.measured({ ...known, path, label: isNamed ? known.label : this.deps.workspace.label(path) });
    } catch (cause) {
      return { ...known, error: reasonOf(cause) };
    }
  }

  /** The bytes of an image file that a model would not take as large as it is; undefined where nothing need be done. */
  async tooLarge({ kind, path, error }: Attachment): Promise<Uint8Array | undefined> {
    if (kind !== 'image' || error !== undefined) return undefined;
    const { workspace } = this.deps;
    const { size = 0 } = (await workspace.stat(path)) ?? {};
    const { width = 0, height = 0 } = imageSizeOf(await workspace.readStart(path, IMAGE_HEAD)) ?? {};
    const isFine = size <= MAX_IMAGE_BYTES && Math.max(width, height) <= MAX_IMAGE_PIXELS;
    return isFine || size > MAX_TO_SHRINK ? undefined : (await workspace.read(path)).bytes;
  }

  /** The text of a pasted attachment. Rejects where it is gone. */
  text(path: string): Promise<string> {
    return this.store.text(path);
  }

  private editor(otherwise: string): EditorSources {
    if (!this.deps.editor) throw new Error(otherwise);
    return this.deps.editor;
  }

  private stamped(text: string): string {
    return `(as of ${localMinute(this.deps.clock, this.deps.clock.now())})\n${text}`;
  }

  private async kept(
    kind: 'text' | 'terminal' | 'changes' | 'problems' | 'session' | 'url',
    label: string,
    text: string,
    outside = false,
  ): Promise<Attachment> {
    const ending = kind === 'changes' ? 'diff' : kind === 'url' || kind === 'session' ? 'md' : 'txt';
    const path = await this.store.put(text, ending, { outside });
    return { kind, label, path, tokens: estimateText(text) };
  }

  private async image(label: string, bytes: Uint8Array, how: 'pasted' | 'fetched'): Promise<Attachment> {
    const type = imageTypeOf(bytes);
    if (!type) throw new Error(t('This is no PNG, JPEG, GIF or WebP image.'));
    if (bytes.length > MAX_IMAGE_BYTES)
      throw new Error(t('The image has {0}; one may have 5 MB. Make a smaller copy.', sizeText(bytes.length)));
    const path = await this.store.put(bytes, type.slice('image/'.length), { outside: how === 'fetched' });
    return { kind: 'image', label, path, tokens: IMAGE_TOKENS };
  }

  private async page(address: string, signal: AbortSignal): Promise<Attachment> {
    const { url, title, text, image } = await this.deps.fetchPage(address, signal);
    if (image) return this.image(url, image, 'fetched');
    return this.kept('url', url, `${title === '' ? '' : `# ${title}\n\n`}${text}`, true);
  }

  private async problems(): Promise<Attachment> {
    const { workspace } = this.deps;
    if (!workspace.hasDiagnostics()) throw new Error(t('Problems can be attached in VS Code only.'));
    const problems = await workspace.diagnostics();
    if (problems.length === 0)
      throw new Error(
        t('The editor knows no problems now. It knows files that are open or that a language service checks.'),
      );
    const { text, left } = problemsText(problems, workspace);
    const more = left > 0 ? `\n(${String(left)} more are not listed)` : '';
    return this.kept('problems', t('Problems ({0})', problems.length), this.stamped(text + more));
  }

  /** The newest messages of another chat, without what tools gave. */
  private async chat(key: string, label: string): Promise<Attachment> {
    const { messages } = await this.deps.sessions.tail(key, CHAT_MESSAGES);
    const said = messages.map(saidIn).filter((text) => text !== '');
    if (said.length === 0) throw new Error(t('Nothing was said in {0} yet, or it is gone.', label));
    const shown: string[] = [];
    let room = MAX_CHAT;
    for (const text of said.reverse()) {
      if (room < 200) break;
      const part = text.length <= room ? text : `${text.slice(0, room)}…`;
      shown.unshift(part);
      room -= part.length;
    }
    const left = shown.length < said.length ? 'Earlier messages are left out.\n\n' : '';
    const isForeign = messages.some(({ untrusted }) => untrusted === true);
    return this.kept('session', label, left + shown.join('\n\n'), isForeign);
  }

  private async measured(attachment: Attachment): Promise<Attachment> {
    const { workspace } = this.deps;
    const { path, kind, startLine } = attachment;
    const stat = await workspace.stat(path);
    if (!stat) return { ...attachment, error: t('It is not there.') };
    if (stat.type === 'directory') {
      const entries = await workspace.list(path);
      return { ...attachment, kind: 'folder', tokens: estimateText(entries.map(({ name }) => name).join('\n')) };
    }
    const start = await workspace.readStart(path, 8_000);
    if (imageTypeOf(start)) return { ...attachment, kind: 'image', tokens: IMAGE_TOKENS };
    if (kind === 'image') return { ...attachment, error: t('This is no image that a model takes.') };
    if (start.includes(0)) return { ...attachment, error: t('A binary file: its name is sent, not what is in it.') };
    if (stat.size > MAX_READ && startLine === undefined)
      return { ...attachment, tokens: Math.ceil(stat.size / (start.length / Math.max(1, estimateBytes(start)))) };
    const { bytes } = await workspace.read(path);
    return { ...attachment, tokens: estimateText(rangeOf(new TextDecoder().decode(bytes), attachment)) };
  }
}

function estimateBytes(bytes: Uint8Array): number {
  return estimateText(new TextDecoder().decode(bytes));
}

/** Kinds whose path is no file until they were had. */
const TAKEN: ReadonlySet<Attachment['kind']> = new Set(['problems', 'terminal', 'changes', 'url', 'session', 'text']);
/** Kinds that go by a name of their own and not by their path. */
const NAMED: ReadonlySet<Attachment['kind']> = new Set([...TAKEN, 'symbol', 'skill', 'memory']);

function saidIn(message: StoredMessage): string {
  if (message.role === 'tool' || message.sender) return '';
  const text = wordsOf(message).trim();
  return text === '' ? '' : `**${message.role === 'user' ? 'You' : 'Nanobot'}**\n\n${text}`;
}
