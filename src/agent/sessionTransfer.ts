import { t } from '@vscode/l10n';
import type { Clock, Files } from '../platform/ports.js';
import type { Session } from '../session/session.js';
import { carriedMetadata, exportedDocument, readExport, type ReadExport } from '../session/exported.js';
import { importedMessages } from '../session/importedMessage.js';
import type { SessionStore } from '../session/store.js';
import { exportedMarkdown } from './exportMarkdown.js';
import { titleFrom } from './receive.js';
import { textOf } from '../protocol/message.js';

/** Bytes of a file that is imported at most. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Messages written at a time. */
const AT_A_TIME = 200;

/** `md` to read; `json` and `jsonl` hold every stored line and can be imported again. */
export type ExportFormat = 'md' | 'json' | 'jsonl';

export interface TransferDeps {
  sessions: Pick<SessionStore, 'open' | 'remove'>;
  files: Pick<Files, 'read'>;
  clock: Clock;
  newId(): string;
  /** The folder that an imported session belongs to. */
  folder(): string | undefined;
}

export interface ExportedFile {
  content: string;
  /** Without a folder, with its ending; fit for every system. */
  fileName: string;
}

/** Takes sessions out to files and in from them. */
export function sessionTransfer({ sessions, files, clock, newId, folder }: TransferDeps) {
  return {
    /** Throws where nothing has been said yet, or the file cannot be read. */
    exportSession: async (key: string, format: ExportFormat): Promise<ExportedFile> => {
      const session = await sessions.open(key);
      if (session.messages.length === 0)
        throw new Error(t('There is nothing to export: nothing has been said in this chat.'));
      const exportedAt = new Date(clock.now()).toISOString();
      const title = titleOf(session);
      const fileName = `${safeFileName(title)}.${format}`;
      if (format === 'md') {
        const { workspace } = session.metadata.metadata;
        const about = typeof workspace === 'string' ? { workspace } : {};
        return { fileName, content: exportedMarkdown({ title, exportedAt, ...about, messages: session.visible() }) };
      }
      const stored = Buffer.from(await files.read(session.path)).toString('utf8');
      return { fileName, content: format === 'jsonl' ? stored : exportedDocument(stored, { exportedAt }) };
    },

    /** Reads a file that is to become a session; nothing is stored yet. Throws in words for a person where it is none. */
    readImport: async (bytes: Uint8Array, fileName: string): Promise<ReadExport> => {
      if (bytes.length > MAX_BYTES) throw new Error(t('{0} is larger than 64 MB, more than a chat can be.', fileName));
      return readExport(Buffer.from(bytes).toString('utf8'), fileName, breathe);
    },

    /**
     * Stores what was read as a session of its own, under a new key, and resolves with that. Nothing of it is noted as facts: it was said elsewhere. Throws
     * the disk's error; then there is no session.
     */
    importSession: async (read: ReadExport, fileName: string): Promise<string> => {
      const messages = importedMessages(read.messages, newId);
      const { metadata, lastConsolidated } = carriedMetadata(read);
      const first = messages.find(({ role, sender }) => role === 'user' && !sender);
      const words = first ? titleFrom(textOf(first.content)) : '';
      const key = `vscode:${newId()}`;
      const session = await sessions.open(key);
      const imported = { from: fileName, at: new Date(clock.now()).toISOString() };
      try {
        await session.setMetadata(
          {
            title: words === '' ? fileName : words,
            ...metadata,
            ...{ workspace: folder(), archivedTo: messages.length, imported },
          },
          { lastConsolidated: Math.min(lastConsolidated, messages.length) },
        );
        for (let at = 0; at < messages.length; at += AT_A_TIME) {
          const isLast = at + AT_A_TIME >= messages.length;
          await session.append(messages.slice(at, at + AT_A_TIME), { flush: isLast });
        }
      } catch (cause) {
        await sessions.remove(key).catch(() => undefined);
        throw cause;
      }
      await session.release();
      return key;
    },
  };
}

function titleOf({ key, metadata: { metadata } }: Session): string {
  const { title } = metadata;
  return typeof title === 'string' && title.trim() !== '' ? title : key;
}

/** A title as a file name on any system. */
export function safeFileName(title: string): string {
  const plain = title
    .replaceAll(/[<>:"/\\|?*\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  const short = [...plain].slice(0, 80).join('').trimEnd();
  return short === '' || /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(short) ? 'chat' : short;
}

function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
