import { t } from '@vscode/l10n';
import type { Files } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import { isUri } from '../platform/workspacePaths.js';
import type { Conversation } from './conversation.js';
import type { ExportedFile, ExportFormat } from './sessionTransfer.js';

const FORMATS: readonly string[] = ['md', 'json', 'jsonl'] satisfies ExportFormat[];

export interface ExportDeps {
  exportSession(key: string, format: ExportFormat): Promise<ExportedFile>;
  files: Pick<Files, 'createExclusive'>;
  /** A path as the person wrote it, made absolute. */
  resolve(path: string): string;
  /** Has the person choose where, in a shell that has windows for that; nobody waits for it. */
  ask?: ((key: string, format: ExportFormat | undefined) => void) | undefined;
}

/** `/export`: asks where the chat goes, or writes it to the file that is named; never over one that is there. */
export async function exportByCommand(deps: ExportDeps, conversation: Conversation, argument: string): Promise<void> {
  const say = (level: 'info' | 'warning', text: string) => {
    conversation.notice('command', level, text);
  };
  if (deps.ask && (argument === '' || isFormat(argument))) {
    deps.ask(conversation.key, isFormat(argument) ? argument : undefined);
    return;
  }
  const ending = /\.(\w+)$/.exec(argument)?.[1]?.toLowerCase() ?? '';
  const path = deps.resolve(argument);
  if (!isFormat(ending) || isUri(path)) {
    say(
      'warning',
      t(
        'Name a file on a disk that ends with .md, .json or .jsonl: /export chat.md to read it, /export chat.json to import it elsewhere.',
      ),
    );
    return;
  }
  try {
    const { content } = await deps.exportSession(conversation.key, ending);
    const written = await deps.files.createExclusive(path, content, { flush: true });
    if (written) say('info', t('Exported to {0}', path));
    else say('warning', t('{0} is there already, and nothing was written. Name another file.', path));
  } catch (cause) {
    say('warning', t('The chat could not be exported to {0}: {1}', path, reasonOf(cause)));
  }
}

function isFormat(text: string): text is ExportFormat {
  return FORMATS.includes(text);
}
