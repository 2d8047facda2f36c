import type { ApprovalScope, ModelInfo } from '../src/protocol/event.js';
import type { ChatMessage } from '../src/protocol/chatState.js';
import type { Usage } from '../src/protocol/message.js';
import { ago, dollars, duration, tokens } from './amounts.js';
import { KEY_GROUPS } from './keyMap.js';
import { nextLabel } from '../src/protocol/nextSteps.js';

const scopes: Record<ApprovalScope, string> = {
  session: 'This session',
  workspace: 'This workspace',
  everywhere: 'Everywhere',
};

/** What a tool does, in front of what it does it to. */
const TOOL_VERBS: Record<string, string> = {
  read_file: 'Read',
  list_dir: 'List',
  glob: 'Find',
  grep: 'Search',
  symbols: 'Symbols',
  references: 'References',
  diagnostics: 'Problems',
  write_file: 'Write',
  edit_file: 'Edit',
  delete_file: 'Delete',
  rename_file: 'Rename',
  rename_symbol: 'Rename',
  notebook_edit: 'Edit',
  exec: 'Run',
  poll_exec: 'Watch',
  write_stdin: 'Type',
  kill_exec: 'End',
  ask_user: 'Ask',
  todo: 'Plan',
  spawn: 'Subagent',
};

/** How a session is that is not only read. */
const sessionStates = {
  running: 'running',
  waiting: 'waiting for approval',
  asks: 'asks you',
  finished: 'finished',
  failed: 'failed',
};

/** Every word the page shows. */
export const strings = {
  nextStep: nextLabel,
  scopes,

  // Transcript
  conversation: 'Conversation',
  you: 'You',
  nanobot: 'Nanobot',
  jumpToEnd: 'Jump to the end',
  earlier: 'Earlier messages',
  thinking: 'Thinking…',
  thought: 'Thought',
  stopped: 'Stopped',
  retry: 'Retry',
  editAndResend: 'Edit and resend',
  copy: 'Copy',
  copied: 'Copied',
  resend: 'Resend',
  cancel: 'Cancel',
  editMessage: 'Edit message',
  messageActions: 'Message actions',
  openInPreview: 'Open in preview',
  codeActions: 'Code block actions',
  code: { insert: 'Insert at cursor', apply: 'Apply to file', newFile: 'New file', run: 'Run in terminal' },
  blockTooLong: 'This block is too long for that: copy it.',
  loadImage: (host: string, alt: string) => `Load image from ${host}${alt ? `: ${alt}` : ''}`,
  usage: ({ inputTokens, outputTokens, estimated, cost }: Usage) =>
    `${estimated ? '≈ ' : ''}${tokens(inputTokens)} in · ${tokens(outputTokens)} out${cost === undefined ? '' : ` · ${dollars(cost)}`}`,

  /** What a turn took, in one line: time, steps, tokens, cost. */
  turnFacts: ({ ms, steps = 0, usage }: Turn) =>
    [
      ...(ms >= 1000 ? [strings.duration(ms)] : []),
      ...(steps > 1 ? [strings.steps(steps)] : []),
      ...(usage && usage.inputTokens + usage.outputTokens > 0 ? [strings.usage(usage)] : []),
    ].join(' · '),
  usageShort: ({ inputTokens, outputTokens, cost }: Usage) =>
    cost === undefined ? tokens(inputTokens + outputTokens) : dollars(cost),
  showUsage: (words: string, all: string) => `Usage, last turn: ${words}, in all: ${all}`,
  sessionUsage: (usage: Usage) => `This chat: ${strings.usage(usage)}`,
  usageTitle: 'Usage',
  lastTurn: 'Last turn',
  thisSession: 'This chat',
  turnRows: ({ ms, steps }: Turn): [string, string][] => [
    ['Time', strings.duration(ms)],
    ...(steps ? [['Steps', String(steps)] satisfies [string, string]] : []),
  ],
  usageRows: (usage: Usage | undefined): [string, string][] => [
    ['Tokens in', tokens(usage?.inputTokens ?? 0)],
    ['Cached', tokens(usage?.cachedTokens ?? 0)],
    ['Tokens out', tokens(usage?.outputTokens ?? 0)],
    ['Cost', usage?.cost === undefined ? 'not known' : dollars(usage.cost)],
  ],
  spentNote:
    'Cost by list prices, where the price of every request is known. Subagents count in chats of their own. Limits: nanobot.maxTurnTokens, nanobot.maxTurnCost.',

  // Tool calls
  /** A call's line: what is done, on what. While the model still writes the arguments the summary is the tool's name. */
  toolSummary: (name: string, summary: string) => {
    const verb = TOOL_VERBS[name];
    if (verb === undefined) return summary;
    return summary === name ? `${verb}…` : `${verb} ${summary}`;
  },
  toolArguments: 'Arguments',
  toolOutput: 'Output',
  toolDiff: 'Changes',
  toolFiles: 'Files',
  toolStatus: {
    running: 'Running',
    ok: 'Done',
    error: 'Failed',
    denied: 'Denied',
    waiting: 'Waiting for approval',
    aborted: 'Stopped',
  },
  openFile: (path: string) => `Open ${path}`,

  // Changes of a turn
  changes: (files: number) => (files === 1 ? '1 file changed' : `${files} files changed`),
  keep: 'Keep',
  undo: 'Undo',
  settled: { kept: 'Kept', undone: 'Undone' },
  review: 'Review',
  reviewFile: (label: string) => `Review changes of ${label}`,
  keepFile: (label: string) => `Keep ${label}`,
  undoFile: (label: string) => `Undo ${label}`,
  moreFiles: (count: number) => (count === 1 ? 'Show 1 more file' : `Show ${count} more files`),
  changeKinds: { created: 'new', changed: '', deleted: 'deleted', renamed: 'renamed' },

  // Going back to before a message
  restore: 'Restore',
  restoreTo: 'Restore to before this message',
  restoreTitle: 'Go back to before this message?',
  restoreWould: (messages: number, files: number) =>
    `${messages === 1 ? '1 message would' : `${messages} messages would`} leave the conversation; ${
      files === 0 ? 'no file would change.' : `${files === 1 ? '1 file' : `${files} files`} would change.`
    }`,
  showChanges: 'Show changes',
  restoreBoth: 'Restore both',
  restoreFiles: 'Restore files',
  restoreConversation: 'Restore conversation',
  restoreKinds: { 'put back': 'put back', 'brought back': 'brought back', removed: 'removed' },
  changedSince: 'changed since by others',
  andMore: (count: number) => `and ${count} more`,
  alsoRestoreFiles: (count: number, changed: number) =>
    `Put ${count === 1 ? '1 file' : `${count} files`} back first${changed === 0 ? '' : ` (${changed} changed since by others: that would go, too)`}`,
  fork: 'Fork from here',

  // Cards
  approval: 'Approval',
  approvalKeys: 'Alt+A',
  openProposal: (label: string) => `Open diff of ${label}, to look at or change it`,
  allow: 'Allow',
  allowAlways: 'Allow always…',
  deny: 'Deny',
  alwaysWhat: 'Always allow',
  alwaysWhere: 'Where',
  confirmAlways: 'Confirm',
  moreApprovals: (count: number) => `${count} more waiting`,
  question: 'Question',
  ownAnswer: 'Your own answer',
  answer: 'Answer',
  todo: 'Tasks',
  todoProgress: (done: number, all: number) => `${done} of ${all}`,
  todoStatus: { pending: 'to do', in_progress: 'in progress', done: 'done' },
  summary: 'Summary of earlier messages',
  summarising: (count: number) => `Summarising ${earlierMessages(count)}…`,
  summarised: (count: number, by: string | undefined) => `Summarised ${earlierMessages(count)}${by ? ` (${by})` : ''}`,
  keptAsTheyAre: (count: number) => `· ${count} kept in short as they are: the model gave no usable summary`,
  showSummary: 'Show summary',
  hideSummary: 'Hide summary',
  subagent: (label: string) => `Subagent: ${label}`,
  subagentStatus: {
    queued: 'Waiting for its turn',
    running: 'Running',
    done: 'Done',
    error: 'Failed',
    stopped: 'Stopped',
    interrupted: 'Interrupted',
  },
  runsElsewhere: 'in another window',
  stopSubagent: (label: string) => `Stop subagent ${label}`,
  openTranscript: 'Open transcript',
  openTranscriptOf: (label: string) => `Open transcript of ${label}`,
  resumeSubagent: (label: string) => `Resume subagent ${label}`,
  task: 'Task',
  result: 'Result',
  subagentResult: (label: string) => `Result of subagent ${label}`,
  subagentFailed: (label: string) => `Subagent ${label} failed`,
  subagentsTranscript: 'This is the transcript of a subagent.',
  backToChat: 'Back to the chat',
  usedTokens: (count: number) => `${tokens(count)} tokens`,
  dismiss: 'Dismiss',
  interrupted: 'This turn was interrupted.',
  readOnly: 'This conversation can only be read here.',
  retrying: (reason: string, seconds: number, attempt: number) =>
    `${reason} Trying again in ${seconds} s (attempt ${attempt}).`,
  working: 'Working',
  steps: (count: number) => (count === 1 ? '1 step' : `${count} steps`),

  // Queue
  queue: 'Queued messages',
  queued: 'Queued',
  notSentYet: 'Not sent',
  editQueued: 'Edit queued message',
  removeQueued: 'Remove queued message',
  moveQueuedUp: 'Move queued message up',
  moveQueuedDown: 'Move queued message down',
  queuePlace: (place: number, all: number) => `Queued as ${place} of ${all}`,
  sendQueued: 'Send queued messages',
  save: 'Save',

  // Composer
  messageNanobot: 'Message Nanobot',
  placeholder: 'Ask, or say what to do. @ adds context, / runs commands.',
  placeholderRunning: 'Add something: it joins at the next step.',
  send: 'Send',
  stop: 'Stop',
  attach: 'Attach',
  attachKeys: 'or drag files here, from VS Code with Shift',
  attachments: 'Attached',
  reading: 'reading…',
  cannotAttach: 'not readable',
  tokens: (count: number) => `${tokens(count)} tokens`,
  offer: (name: string) => `Add ${name}`,
  offerExplained: 'What is selected in the editor. It is sent only if you add it (Alt+S).',
  unfold: 'Put it into the message as text',
  unfoldText: (name: string) => `Put ${name} into the message`,
  pastedText: (opening: string, lines: number) =>
    `“${opening.length > 28 ? `${opening.slice(0, 27)}…` : opening}”, ${lines === 1 ? '1 line' : `${lines} lines`}`,
  pastedImage: (n: number) => `Pasted image ${n}`,
  pastedTooLong: 'The text is longer than 5 million characters. Save it as a file and attach that.',
  noImage: 'it is no image that can be shown here.',
  notAttached: (label: string, reason: string) => `${label} is not attached: ${reason}`,
  tooManyImages: (most: number, left: number) => `A message carries ${most} images at most; ${left} were left out.`,
  tooManyAttachments: (left: number) => `A message carries 100 attachments at most; ${left} were left out.`,
  sendsWhenRead: 'Sent as soon as everything attached is read.',
  tooLong: 'It is longer than a million characters. Paste the long part again, or attach it as a file.',
  dropHere: 'Drop to attach',
  dropHow: 'From VS Code’s explorer and editors, hold Shift while you drop.',
  mentionKinds: {
    'file:': 'Files and folders',
    'symbol:': 'Symbols',
    problems: 'Problems',
    terminal: 'Terminal',
    changes: 'Changes',
    'https://': 'Web page',
    'session:': 'Earlier chats',
    'memory:': 'Memory',
    'skill:': 'Skills',
  },
  mentionDetails: {
    'file:': 'by their names',
    'symbol:': 'by their names',
    problems: 'what the editor reports',
    terminal: 'the last output',
    changes: 'what is not committed',
    'https://': 'by its address',
    'session:': 'by their titles',
    'memory:': 'what is remembered',
    'skill:': 'by their names',
  },
  fetchPage: 'Read this page',
  newChat: 'New chat',
  suggestions: 'Suggestions',
  removeAttachment: (label: string) => `Remove ${label}`,
  lines: (start: number, end: number) => (start === end ? `:${start}` : `:${start}–${end}`),
  notSent: (reason: string) => `Not sent: ${reason}`,
  selectModel: ['Select model (now ', ')'],
  noModel: 'No model',
  practiceModel: 'Practice model',
  window: (size: number) => `${tokens(size)} window`,
  thisChatOnly: 'this chat only',
  modelTooltip: ({ id, window, own, thinking, profile, approval }: ModelInfo): string =>
    [
      id,
      `${tokens(window)} window`,
      ...(thinking ? [`thinking: ${thinking}`] : []),
      ...(approval ? [`approval: ${approval}`] : []),
      ...(own || profile ? [`this chat only${profile ? ` (${profile})` : ''}`] : []),
    ].join(' · '),
  contextMeter: 'Context in use',
  contextDetails: 'What is in the context',
  contextOf: (used: number, size: number) => `${tokens(used)} of ${tokens(size)} tokens`,
  contextUnknown: 'Known once the model has answered.',
  attachedPart: 'of it attached',
  largest: 'Takes the most room',
  nothingLarge: 'Nothing in this chat is large.',
  drop: 'Make room',
  compact: 'Compact now',
  compactExplained: 'Earlier messages give way to a summary',
  newChatExplained: 'Begin with an empty history',
  openServers: 'MCP servers…',
  openServersExplained: 'Switch off tools that this work does not need',
  openSkills: 'Skills…',
  openSkillsExplained: 'Switch off skills that this work does not need',
  openMemoryExplained: 'Read and shorten what is remembered',
  close: 'Close',
  pieceKinds: { result: 'Result', attachment: 'Attached', message: 'Message' },
  contextTooltip: (used: number, size: number, parts: { label: string; tokens: number }[]) =>
    [
      `${tokens(used)} of ${tokens(size)} tokens in use`,
      ...parts.map((part) => `${part.label}: ${tokens(part.tokens)}`),
    ].join('\n'),
  contextParts: { system: 'System', memory: 'Memory', skills: 'Skills', history: 'History', tools: 'Tools' },
  percent: (share: number) => `${Math.round(share * 100)} %`,

  // Header
  switchSession: ['Switch session (now ', ')'],
  sessions: 'Sessions',
  searchSessions: 'Search sessions',
  noSessions: 'No session matches.',
  loading: 'Loading…',
  rename: 'Rename',
  renameSession: (title: string) => `Rename ${title}`,
  deleteSession: (title: string) => `Delete ${title}`,
  confirmDelete: (title: string) => `Delete “${title}”? It goes to the trash of your home folder’s session files.`,
  delete: 'Delete',
  pinSession: (title: string) => `Pin ${title}`,
  unpinSession: (title: string) => `Unpin ${title}`,
  openSessionInEditor: (title: string) => `Open ${title} in an editor tab`,
  searchingTexts: 'Searching what was said…',
  sessionGroups: { pinned: 'Pinned', here: 'This workspace', others: 'Other workspaces' },
  sessionStates,
  sessionsInState: (state: keyof typeof sessionStates, count: number) =>
    `${count === 1 ? '1 other session' : `${count} other sessions`}: ${sessionStates[state]}`,
  announceSession: (title: string, state: keyof typeof sessionStates) =>
    `${title || 'Another session'}: ${sessionStates[state]}`,
  busy: 'open elsewhere',
  messages: (count: number) => (count === 1 ? '1 message' : `${count} messages`),

  // Find
  find: 'Find in conversation',
  findPrevious: 'Previous match',
  findNext: 'Next match',
  closeFind: 'Close find',
  findCount: (current: number, all: number) => `${current} of ${all}`,
  findNothing: 'No results',

  // Empty state
  welcome: 'What shall we do?',
  examples: 'Examples',
  modelInUse: (label: string) => `Model: ${label}`,
  practiceExplained:
    'No model is set up yet. The practice model answers from a script on this computer: it can read files, run commands and show you around, but it does not think.',
  remembered: (words: string) => `Remembered: ${words}`,
  openMemory: 'Open memory',
  homeAt: (path: string) => `Home: ${path}`,
  restricted: 'Restricted Mode: reading works; commands and edits wait until you trust this folder.',

  // Keys
  keyMap: 'Keyboard shortcuts',
  keyGroups: KEY_GROUPS,

  // When something is wrong with the page or what is behind it
  pageFailed: 'Something in this page went wrong. Your chat is on disk, and what runs goes on.',
  showAgain: 'Show again',
  hostSilent:
    'VS Code’s extension host does not answer. What you wrote is kept; if it stays so, run “Developer: Reload Window”.',

  // Screen readers
  announceSubagent: (label: string, status: string) => `Subagent ${label}: ${status}`,
  announceAnswer: (words: string) => `Nanobot: ${words}`,
  announceError: (words: string) => `Error: ${words}`,
  announceApproval: (title: string, detail: string) =>
    `Approval needed: ${title}. ${detail}. Alt+A goes to the buttons.`,
  announceQuestion: (words: string) => `Nanobot asks: ${words}`,

  duration,
  ago,
};

type Turn = NonNullable<ChatMessage['turn']>;

function earlierMessages(count: number): string {
  return count === 1 ? '1 earlier message' : `${count} earlier messages`;
}
