/** The commands of memory. */
const MEMORY_COMMAND_IDS = [
  'dream',
  'dreamLog',
  'dreamRestore',
  'openMemory',
  'remember',
  'searchHistory',
  'history.filter',
  'history.clearFilter',
  'history.openEntry',
  'history.copy',
  'history.openChat',
  'history.showMore',
  'history.showChanges',
  'history.restore',
] as const;

/** The commands of skills. */
const SKILL_COMMAND_IDS = [
  'skills.new',
  'skills.open',
  'skills.enable',
  'skills.disable',
  'skills.use',
  'skills.refresh',
] as const;

/** The commands of schedules. */
const CRON_COMMAND_IDS = [
  'cron.add',
  'cron.edit',
  'cron.remove',
  'cron.enable',
  'cron.disable',
  'cron.runNow',
  'cron.openRun',
] as const;

/** The commands that begin in VS Code's own surfaces. */
const NATIVE_COMMAND_IDS = [
  'addSelectionToChat',
  'addFileToChat',
  'addTerminalSelectionToChat',
  'explainSelection',
  'fixProblem',
  'writeCommitMessage',
] as const;

/** The commands of what turns changed. */
const REVIEW_COMMAND_IDS = [
  'reviewChanges',
  'review.keep',
  'review.undo',
  'review.openDiff',
  'review.next',
  'review.previous',
  'review.keepFile',
  'review.undoFile',
  'review.keepAll',
  'review.undoAll',
  'proposal.apply',
  'proposal.discard',
] as const;

/** Commands the host runs, without the `nanobot.` in front. `openLog` is not among them: it works when nothing else does. */
export const COMMAND_IDS = [
  'openChat',
  'newChat',
  'stop',
  'openSession',
  'openInEditor',
  'openInNewWindow',
  'exportSession',
  'importSession',
  'selectModel',
  'setApiKey',
  'usage',
  'undoTurn',
  'diagnose',
  'mcp.status',
  'chooseLanguageModelTools',
  'keyboardShortcuts',
  'codeBlock.apply',
  'codeBlock.discard',
  ...NATIVE_COMMAND_IDS,
  ...REVIEW_COMMAND_IDS,
  ...MEMORY_COMMAND_IDS,
  ...SKILL_COMMAND_IDS,
  ...CRON_COMMAND_IDS,
] as const;

export type CommandId = (typeof COMMAND_IDS)[number];
export type SkillCommandId = (typeof SKILL_COMMAND_IDS)[number];
export type CronCommandId = (typeof CRON_COMMAND_IDS)[number];
export type ReviewCommandId = (typeof REVIEW_COMMAND_IDS)[number];
export type NativeCommandId = (typeof NATIVE_COMMAND_IDS)[number];
export type MemoryCommandId = (typeof MEMORY_COMMAND_IDS)[number];
