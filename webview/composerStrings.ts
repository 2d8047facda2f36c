import type { ModelInfo } from '../src/protocol/event.js';
import { tokens } from './amounts.js';
import { t } from './l10n.js';

/** What is no part of any text. */
const GAP = '\0';

/** What stands before and behind the gap of a text, which holds something that is drawn on its own. */
export function around(text: (gap: string) => string): string[] {
  return text(GAP).split(GAP);
}

/** Every word about writing: the box, what is attached, the model and what its window is filled with. */
export const composerStrings = {
  messageNanobot: t('Message Nanobot'),
  placeholder: t('Ask, or say what to do. @ adds context, / runs commands.'),
  placeholderRunning: t('Add something: it joins at the next step.'),
  send: t('Send'),
  stop: t('Stop'),
  attach: t('Attach'),
  attachKeys: t('or drag files here, from VS Code with Shift'),
  attachments: t('Attached'),
  reading: t('reading…'),
  cannotAttach: t('not readable'),
  tokens: (count: number) => t('{0} tokens', tokens(count)),
  offer: (name: string) => t('Add {0}', name),
  offerExplained: t('What is selected in the editor. It is sent only if you add it (Alt+S).'),
  unfold: t('Put it into the message as text'),
  unfoldText: (name: string) => t('Put {0} into the message', name),
  pastedText: (opening: string, lines: number) => {
    const start = opening.length > 28 ? `${opening.slice(0, 27)}…` : opening;
    return lines === 1 ? t('“{0}”, 1 line', start) : t('“{0}”, {1} lines', start, lines);
  },
  pastedImage: (n: number) => t('Pasted image {0}', n),
  pastedTooLong: t('The text is longer than 5 million characters. Save it as a file and attach that.'),
  noImage: t('it is no image that can be shown here.'),
  notAttached: (label: string, reason: string) => t('{0} is not attached: {1}', label, reason),
  tooManyImages: (most: number, left: number) =>
    t('A message carries {0} images at most; {1} were left out.', most, left),
  tooManyAttachments: (left: number) => t('A message carries 100 attachments at most; {0} were left out.', left),
  sendsWhenRead: t('Sent as soon as everything attached is read.'),
  tooLong: t('It is longer than a million characters. Paste the long part again, or attach it as a file.'),
  dropHere: t('Drop to attach'),
  dropHow: t('From VS Code’s explorer and editors, hold Shift while you drop.'),
  mentionKinds: {
    'file:': t('Files and folders'),
    'symbol:': t('Symbols'),
    problems: t('Problems'),
    terminal: t('Terminal'),
    changes: t('Changes'),
    'https://': t('Web page'),
    'session:': t('Earlier chats'),
    'memory:': t('Memory'),
    'skill:': t('Skills'),
  },
  mentionDetails: {
    'file:': t('by their names'),
    'symbol:': t('by their names'),
    problems: t('what the editor reports'),
    terminal: t('the last output'),
    changes: t('what is not committed'),
    'https://': t('by its address'),
    'session:': t('by their titles'),
    'memory:': t('what is remembered'),
    'skill:': t('by their names'),
  },
  fetchPage: t('Read this page'),
  newChat: t('New chat'),
  suggestions: t('Suggestions'),
  removeAttachment: (label: string) => t('Remove {0}', label),
  lines: (start: number, end: number) => (start === end ? `:${start}` : `:${start}–${end}`),
  notSent: (reason: string) => t('Not sent: {0}', reason),
  selectModel: around((model) => t('Select model (now {0})', model)),
  noModel: t('No model'),
  window: (size: number) => t('{0} window', tokens(size)),
  thisChatOnly: t('this chat only'),
  modelTooltip: ({ id, window, own, thinking, profile, approval }: ModelInfo): string =>
    [
      id,
      t('{0} window', tokens(window)),
      ...(thinking ? [t('thinking: {0}', thinking)] : []),
      ...(approval ? [t('approval: {0}', approval)] : []),
      ...(profile ? [t('this chat only ({0})', profile)] : own ? [t('this chat only')] : []),
    ].join(' · '),
  contextMeter: t('Context in use'),
  contextDetails: t('What is in the context'),
  showContext: (share: string) => t('What is in the context, {0}', share),
  contextOf: (used: number, size: number) => t('{0} of {1} tokens', tokens(used), tokens(size)),
  contextUnknown: t('Known once the model has answered.'),
  attachedPart: t('of it attached'),
  largest: t('Takes the most room'),
  nothingLarge: t('Nothing in this chat is large.'),
  drop: t('Make room'),
  compact: t('Compact now'),
  compactExplained: t('Earlier messages give way to a summary'),
  newChatExplained: t('Begin with an empty history'),
  openServers: t('MCP servers…'),
  openServersExplained: t('Switch off tools that this work does not need'),
  openSkills: t('Skills…'),
  openSkillsExplained: t('Switch off skills that this work does not need'),
  openMemoryExplained: t('Read and shorten what is remembered'),
  close: t('Close'),
  pieceKinds: { result: t('Result'), attachment: t('Attached'), message: t('Message') },
  contextTooltip: (used: number, size: number, parts: { label: string; tokens: number }[]) =>
    [
      t('{0} of {1} tokens in use', tokens(used), tokens(size)),
      ...parts.map((part) => t('{0}: {1}', part.label, tokens(part.tokens))),
    ].join('\n'),
  contextParts: {
    system: t('System'),
    memory: t('Memory'),
    skills: t('Skills'),
    history: t('History'),
    tools: t('Tools'),
  },
  percent: (share: number) => `${Math.round(share * 100)} %`,
};
