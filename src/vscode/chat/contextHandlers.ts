import { contextPieces } from '../../agent/contextPieces.js';
import { reasonOf } from '../../platform/reason.js';
import type { Attachment } from '../../protocol/message.js';
import type { AttachmentSource } from '../../protocol/wire.js';
import type { ChatHandle, Handlers } from './chatHandle.js';
import { withoutUndefined } from './withoutUndefined.js';

/** Milliseconds for having one attachment: a page has 30 seconds of its own. */
const TAKING_MS = 45_000;
/** Characters of a reason that a chip shows. */
const MAX_REASON = 500;

/** What goes with a message: choosing it, having it, its size, and what of the conversation takes room. */
export function contextHandlers(
  chat: ChatHandle,
): Pick<Handlers, 'attach' | 'mention' | 'take' | 'measure' | 'unfold' | 'listPieces' | 'openView'> {
  const { actions, app } = chat;
  let searching = new AbortController();
  return {
    attach: async () => {
      const attachments = await actions.pickFiles();
      if (attachments.length > 0) chat.attach(attachments);
    },
    mention: async ({ n, query }) => {
      searching.abort();
      searching = new AbortController();
      const show = (items: Parameters<Parameters<typeof actions.mentions>[1]>[0]) => {
        chat.post({ type: 'mentions', n, items });
      };
      await actions.mentions(query, show, searching.signal);
    },
    take: ({ id, source }) => take(chat, id, source),
    measure: ({ attachments }) => measure(chat, withoutUndefined(attachments)),
    unfold: async ({ path }) => {
      chat.post({ type: 'insert', text: await app.attachables.text(path) });
    },
    listPieces: async () => {
      chat.post({ type: 'pieces', ...contextPieces(await chat.conversation()) });
    },
    openView: ({ view }) => actions.openView(view),
  };
}

async function take(chat: ChatHandle, id: string, source: AttachmentSource): Promise<void> {
  try {
    const attachment = await chat.app.attachables.take(source, AbortSignal.timeout(TAKING_MS));
    chat.post({ type: 'taken', id, attachment });
  } catch (cause) {
    const reason = reasonOf(cause).slice(0, MAX_REASON);
    const { kind, value, label } = source;
    // An address or a name is worth telling the model although nothing stands behind it; that there are no problems is not.
    if (kind === 'url' || kind === 'session' || kind === 'symbol')
      chat.post({ type: 'taken', id, attachment: { kind, path: value, label, error: reason } });
    else chat.post({ type: 'notTaken', id, reason });
  }
}

async function measure(chat: ChatHandle, of: Attachment[]): Promise<void> {
  const { attachables, log } = chat.app;
  const attachments = await Promise.all(of.map((attachment) => attachables.measure(attachment)));
  chat.post({ type: 'measured', of, attachments });
  for (const attachment of attachments) {
    const bytes = await attachables.tooLarge(attachment).catch((cause: unknown) => {
      log.warn(`${attachment.path} could not be made smaller: ${reasonOf(cause)}`);
      return undefined;
    });
    if (bytes) chat.post({ type: 'shrink', of: attachment, data: Buffer.from(bytes).toString('base64') });
  }
}
