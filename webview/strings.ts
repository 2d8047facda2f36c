import type { ApprovalScope } from '../src/protocol/event.js';
import type { ChatMessage } from '../src/protocol/chatState.js';
import type { Usage } from '../src/protocol/message.js';
import { shownTitle } from '../src/protocol/chatTitle.js';
import { nextLabel } from '../src/protocol/nextSteps.js';
import { ago, dollars, duration, tokens } from './amounts.js';
import { around, composerStrings } from './composerStrings.js';
import { KEY_GROUPS } from './keyMap.js';
import { t } from './l10n.js';

const scopes: Record<ApprovalScope, string> = {
  session: t('This session'),
  workspace: t('This workspace'),
  everywhere: t('Everywhere'),
};

/** What a tool does, in front of what it does it to. */
const TOOL_VERBS: Record<string, string> = {
  read_file: t({ message: 'Read', comment: 'a tool call' }),
  list_dir: t({ message: 'List', comment: 'a tool call' }),
  glob: t({ message: 'Find', comment: 'a tool call' }),
  grep: t({ message: 'Search', comment: 'a tool call' }),
  symbols: t('Symbols'),
  references: t('References'),
  diagnostics: t('Problems'),
  write_file: t({ message: 'Write', comment: 'a tool call' }),
  edit_file: t({ message: 'Edit', comment: 'a tool call' }),
  delete_file: t('Delete'),
  rename_file: t('Rename'),
  rename_symbol: t('Rename'),
  notebook_edit: t({ message: 'Edit', comment: 'a tool call' }),
  exec: t({ message: 'Run', comment: 'a tool call' }),
  poll_exec: t({ message: 'Watch', comment: 'a tool call' }),
  write_stdin: t({ message: 'Type', comment: 'a tool call' }),
  kill_exec: t({ message: 'End', comment: 'a tool call' }),
  ask_user: t({ message: 'Ask', comment: 'a tool call' }),
  todo: t({ message: 'Plan', comment: 'a tool call' }),
  spawn: t('Subagent'),
};

/** How a session is that is not only read. */
const sessionStates = {
  running: t('running'),
  waiting: t('waiting for approval'),
  asks: t('asks you'),
  finished: t('finished'),
  failed: t('failed'),
};

/** Every word the page shows. */
export const strings = {
  nextStep: nextLabel,
  scopes,

  // Transcript
  conversation: t('Conversation'),
  you: t('You'),
  nanobot: 'Nanobot',
  jumpToEnd: t('Jump to the end'),
  earlier: t('Earlier messages'),
  thinking: t('Thinking…'),
  thought: t('Thought'),
  stopped: t('Stopped'),
  retry: t('Retry'),
  editAndResend: t('Edit and resend'),
  copy: t('Copy'),
  copied: t('Copied'),
  resend: t('Resend'),
  cancel: t('Cancel'),
  editMessage: t('Edit message'),
  messageActions: t('Message actions'),
  openInPreview: t('Open in preview'),
  codeActions: t('Code block actions'),
  code: { insert: t('Insert at cursor'), apply: t('Apply to file'), newFile: t('New file'), run: t('Run in terminal') },
  blockTooLong: t('This block is too long for that: copy it.'),
  loadImage: (host: string, alt: string) =>
    alt ? t('Load image from {0}: {1}', host, alt) : t('Load image from {0}', host),
  usage: ({ inputTokens, outputTokens, estimated, cost }: Usage) =>
    `${estimated ? '≈ ' : ''}${t('{0} in · {1} out', tokens(inputTokens), tokens(outputTokens))}${cost === undefined ? '' : ` · ${dollars(cost)}`}`,

  /** What a turn took, in one line: time, steps, tokens, cost. */
  turnFacts: ({ ms, steps = 0, usage }: Turn) =>
    [
      ...(ms >= 1000 ? [strings.duration(ms)] : []),
      ...(steps > 1 ? [strings.steps(steps)] : []),
      ...(usage && usage.inputTokens + usage.outputTokens > 0 ? [strings.usage(usage)] : []),
    ].join(' · '),
  usageShort: ({ inputTokens, outputTokens, cost }: Usage) =>
    cost === undefined ? tokens(inputTokens + outputTokens) : dollars(cost),
  showUsage: (words: string, all: string) => t('Usage, last turn: {0}, in all: {1}', words, all),
  sessionUsage: (usage: Usage) => t('This chat: {0}', strings.usage(usage)),
  usageTitle: t('Usage'),
  lastTurn: t('Last turn'),
  thisSession: t('This chat'),
  turnRows: ({ ms, steps }: Turn): [string, string][] => [
    [t({ message: 'Time', comment: 'that a turn took' }), strings.duration(ms)],
    ...(steps ? [[t('Steps'), String(steps)] satisfies [string, string]] : []),
  ],
  usageRows: (usage: Usage | undefined): [string, string][] => [
    [t('Tokens in'), tokens(usage?.inputTokens ?? 0)],
    [t('Cached'), tokens(usage?.cachedTokens ?? 0)],
    [t('Tokens out'), tokens(usage?.outputTokens ?? 0)],
    [t('Cost'), usage?.cost === undefined ? t('not known') : dollars(usage.cost)],
  ],
  spentNote: t(
    'Cost by list prices, where the price of every request is known. Subagents count in chats of their own. Limits: nanobot.maxTurnTokens, nanobot.maxTurnCost.',
  ),

  // Tool calls
  /** A call's line: what is done, on what. While the model still writes the arguments the summary is the tool's name. */
  toolSummary: (name: string, summary: string) => {
    const verb = TOOL_VERBS[name];
    if (verb === undefined) return summary;
    return summary === name ? `${verb}…` : `${verb} ${summary}`;
  },
  toolArguments: t('Arguments'),
  toolOutput: t('Output'),
  toolDiff: t('Changes'),
  toolFiles: t('Files'),
  toolStatus: {
    running: t('Running'),
    ok: t('Done'),
    error: t('Failed'),
    denied: t('Denied'),
    waiting: t('Waiting for approval'),
    aborted: t('Stopped'),
  },
  openFile: (path: string) => t('Open {0}', path),

  // Changes of a turn
  changes: (files: number) => (files === 1 ? t('1 file changed') : t('{0} files changed', files)),
  keep: t('Keep'),
  undo: t('Undo'),
  settled: { kept: t('Kept'), undone: t('Undone') },
  review: t('Review'),
  reviewFile: (label: string) => t('Review changes of {0}', label),
  keepFile: (label: string) => t('Keep {0}', label),
  undoFile: (label: string) => t('Undo {0}', label),
  moreFiles: (count: number) => (count === 1 ? t('Show 1 more file') : t('Show {0} more files', count)),
  changeKinds: {
    created: t({ message: 'new', comment: 'a file' }),
    changed: '',
    deleted: t({ message: 'deleted', comment: 'a file' }),
    renamed: t({ message: 'renamed', comment: 'a file' }),
  },

  // Going back to before a message
  restore: t('Restore'),
  restoreTo: t('Restore to before this message'),
  restoreTitle: t('Go back to before this message?'),
  restoreWould: (messages: number, files: number) =>
    t(
      '{0}; {1}',
      messages === 1
        ? t('1 message would leave the conversation')
        : t('{0} messages would leave the conversation', messages),
      files === 0
        ? t('no file would change.')
        : files === 1
          ? t('1 file would change.')
          : t('{0} files would change.', files),
    ),
  showChanges: t('Show changes'),
  restoreBoth: t('Restore both'),
  restoreFiles: t('Restore files'),
  restoreConversation: t('Restore conversation'),
  restoreKinds: { 'put back': t('put back'), 'brought back': t('brought back'), removed: t('removed') },
  changedSince: t('changed since by others'),
  andMore: (count: number) => t('and {0} more', count),
  alsoRestoreFiles: (count: number, changed: number) => {
    const put = count === 1 ? t('Put 1 file back first') : t('Put {0} files back first', count);
    return changed === 0 ? put : t('{0} ({1} changed since by others: that would go, too)', put, changed);
  },
  fork: t('Fork from here'),

  // Cards
  approval: t('Approval'),
  approvalKeys: 'Alt+A',
  openProposal: (label: string) => t('Open diff of {0}, to look at or change it', label),
  allow: t('Allow'),
  allowAlways: t('Allow always…'),
  deny: t('Deny'),
  alwaysWhat: t('Always allow'),
  alwaysWhere: t('Where'),
  confirmAlways: t('Confirm'),
  moreApprovals: (count: number) => t('{0} more waiting', count),
  question: t('Question'),
  ownAnswer: t('Your own answer'),
  answer: t('Answer'),
  todo: t('Tasks'),
  todoProgress: (done: number, all: number) => t('{0} of {1}', done, all),
  todoStatus: { pending: t('to do'), in_progress: t('in progress'), done: t('done') },
  summary: t('Summary of earlier messages'),
  summarising: (count: number) =>
    count === 1 ? t('Summarising 1 earlier message…') : t('Summarising {0} earlier messages…', count),
  summarised: (count: number, by: string | undefined) => {
    const done = count === 1 ? t('Summarised 1 earlier message') : t('Summarised {0} earlier messages', count);
    return by ? t('{0} ({1})', done, by) : done;
  },
  keptAsTheyAre: (count: number) => t('· {0} kept in short as they are: the model gave no usable summary', count),
  showSummary: t('Show summary'),
  hideSummary: t('Hide summary'),
  subagent: (label: string) => t('Subagent: {0}', label),
  subagentStatus: {
    queued: t('Waiting for its turn'),
    running: t('Running'),
    done: t('Done'),
    error: t('Failed'),
    stopped: t('Stopped'),
    interrupted: t('Interrupted'),
  },
  runsElsewhere: (status: string) => t('{0} in another window', status),
  stopSubagent: (label: string) => t('Stop subagent {0}', label),
  openTranscript: t('Open transcript'),
  openTranscriptOf: (label: string) => t('Open transcript of {0}', label),
  resumeSubagent: (label: string) => t('Resume subagent {0}', label),
  task: t('Task'),
  result: t('Result'),
  subagentResult: (label: string) => t('Result of subagent {0}', label),
  subagentFailed: (label: string) => t('Subagent {0} failed', label),
  subagentsTranscript: t('This is the transcript of a subagent.'),
  backToChat: t('Back to the chat'),
  usedTokens: (count: number) => t('{0} tokens', tokens(count)),
  dismiss: t('Dismiss'),
  interrupted: t('This turn was interrupted.'),
  readOnly: t('This conversation can only be read here.'),
  retrying: (reason: string, seconds: number, attempt: number) =>
    t('{0} Trying again in {1} s (attempt {2}).', reason, seconds, attempt),
  working: t('Working'),
  steps: (count: number) => (count === 1 ? t('1 step') : t('{0} steps', count)),

  // Queue
  queue: t('Queued messages'),
  queued: t('Queued'),
  notSentYet: t('Not sent'),
  editQueued: t('Edit queued message'),
  removeQueued: t('Remove queued message'),
  moveQueuedUp: t('Move queued message up'),
  moveQueuedDown: t('Move queued message down'),
  queuePlace: (place: number, all: number) => t('Queued as {0} of {1}', place, all),
  sendQueued: t('Send queued messages'),
  save: t('Save'),

  ...composerStrings,

  // Header
  switchSession: around((title) => t('Switch session (now {0})', title)),
  /** A session that nothing has given a title yet has this one. */
  title: shownTitle,
  sessions: t('Sessions'),
  searchSessions: t('Search sessions'),
  noSessions: t('No session matches.'),
  loading: t('Loading…'),
  rename: t('Rename'),
  renameSession: (title: string) => t('Rename {0}', title),
  deleteSession: (title: string) => t('Delete {0}', title),
  confirmDelete: (title: string) => t('Delete “{0}”? It goes to the trash of your home folder’s session files.', title),
  delete: t('Delete'),
  pinSession: (title: string) => t('Pin {0}', title),
  unpinSession: (title: string) => t('Unpin {0}', title),
  openSessionInEditor: (title: string) => t('Open {0} in an editor tab', title),
  searchingTexts: t('Searching what was said…'),
  sessionGroups: { pinned: t('Pinned'), here: t('This workspace'), others: t('Other workspaces') },
  sessionStates,
  sessionsInState: (state: keyof typeof sessionStates, count: number) =>
    count === 1
      ? t('1 other session: {0}', sessionStates[state])
      : t('{0} other sessions: {1}', count, sessionStates[state]),
  announceSession: (title: string, state: keyof typeof sessionStates) =>
    t('{0}: {1}', title ? strings.title(title) : t('Another session'), sessionStates[state]),
  busy: t('open elsewhere'),
  messages: (count: number) => (count === 1 ? t('1 message') : t('{0} messages', count)),

  // Find
  find: t('Find in conversation'),
  findPrevious: t('Previous match'),
  findNext: t('Next match'),
  closeFind: t('Close find'),
  findCount: (current: number, all: number) => t('{0} of {1}', current, all),
  findNothing: t('No results'),

  // Empty state
  welcome: t('What shall we do?'),
  examples: t('Examples'),
  modelInUse: (label: string) => t('Model: {0}', label),
  practiceExplained: t(
    'No model is set up yet. The practice model answers from a script on this computer: it can read files, run commands and show you around, but it does not think.',
  ),
  remembered: (words: string) => t('Remembered: {0}', words),
  openMemory: t('Open memory'),
  homeAt: (path: string) => t('Home: {0}', path),
  restricted: t('Restricted Mode: reading works; commands and edits wait until you trust this folder.'),

  // Keys
  keyMap: t('Keyboard shortcuts'),
  keyGroups: KEY_GROUPS,

  // When something is wrong with the page or what is behind it
  pageFailed: t('Something in this page went wrong. Your chat is on disk, and what runs goes on.'),
  showAgain: t('Show again'),
  hostSilent: t(
    'VS Code’s extension host does not answer. What you wrote is kept; if it stays so, run “Developer: Reload Window”.',
  ),

  // Screen readers
  announceSubagent: (label: string, status: string) => t('Subagent {0}: {1}', label, status),
  announceAnswer: (words: string) => t('Nanobot: {0}', words),
  announceError: (words: string) => t('Error: {0}', words),
  announceApproval: (title: string, detail: string) =>
    t('Approval needed: {0}. {1}. Alt+A goes to the buttons.', title, detail),
  announceQuestion: (words: string) => t('Nanobot asks: {0}', words),

  duration,
  ago,
};

type Turn = NonNullable<ChatMessage['turn']>;
