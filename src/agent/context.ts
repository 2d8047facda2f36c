import type { MemoryStore } from '../memory/store.js';
import { estimateText } from '../memory/tokens.js';
import { localMinute, localWeekday, offsetOf } from '../platform/localTime.js';
import type { Clock, EditorContext, Workspace } from '../platform/ports.js';
import type { Attachment } from '../protocol/message.js';
import IDENTITY from '../templates/identity.md';
import { attachedContent, type AttachedContent } from './attachedContent.js';
import { SUBAGENT_CHANNEL } from './subagentRecord.js';

/** Characters of one instruction file that go into the prompt. */
const MAX_FILE = 24_000;

const PROJECT_FILES = ['AGENTS.md', '.github/copilot-instructions.md', 'CLAUDE.md'];
const HOME_FILES = ['AGENTS.md', 'SOUL.md', 'USER.md', 'TOOLS.md', 'IDENTITY.md'];

const FORMATS: Record<string, string> = {
  vscode:
    'You write in a narrow chat panel: short paragraphs, Markdown, code in fences with a language, files as `path:line`.',
  participant:
    'You write in a chat panel: short paragraphs, Markdown, code in fences with a language, files as `path:line`.',
  cli: 'You write to a terminal: plain text with little Markdown, short lines.',
  cron: 'A schedule runs this turn and nobody watches: do not ask, and leave what is not allowed. Your last message, plain and short, is shown to the person as a notification.',
  subagent:
    'You are a subagent: another agent gave you the task, and nobody watches. Do not ask, and leave what is not allowed. Your last message goes back to that agent as your result: what you found or did, with paths and lines, and what is left open.',
  heartbeat: 'Nobody watches this turn: do not ask, and leave what is not allowed. Plain text, short.',
};

/** The system prompt with what its parts weigh, in estimated tokens. */
export interface SystemPrompt {
  text: string;
  tokens: { system: number; memory: number; skills: number; history: number };
}

/** What skills add to what a model is told. */
export interface SkillTexts {
  /** Parts of the system prompt: the same texts as long as no skill changed. */
  parts(): Promise<readonly string[]>;
  /** The skills that a person's words call for by name. */
  asked(text: string): Promise<string[]>;
}

/** What the machine is; fixed for a process. */
export interface Surroundings {
  /** "Linux", "macOS", "Windows". */
  os: string;
  shell: string;
}

/**
 * Makes what a model is told. The system prompt is the same, byte for byte, as long as no file behind it changed: whatever changes with every
 * turn rides in the person's message as runtime context.
 */
export class ContextBuilder {
  private readonly projectCache = new Map<string, { stamp: string; text: string }>();

  constructor(
    private readonly deps: {
      memory: MemoryStore;
      workspace: Workspace;
      clock: Clock;
      surroundings: Surroundings;
      skills?: SkillTexts;
    },
  ) {}

  /**
   * The system prompt for a channel (`vscode`, `cli`, …). Files that cannot be read are left out. A subagent is told of the project, the tools and the
   * skills there are, and nothing of the person or of what is remembered.
   */
  async system(channel: string): Promise<SystemPrompt> {
    const { memory, workspace } = this.deps;
    const isSubagent = channel === SUBAGENT_CHANNEL;
    const own = await this.homeFiles(isSubagent ? ['TOOLS.md'] : HOME_FILES);
    const head = [this.identity(channel), ...(await this.projectInstructions()), ...own];
    const remembered = isSubagent ? '' : await this.memoryPart();
    const allSkills = (await this.deps.skills?.parts()) ?? [];
    const skills = isSubagent ? allSkills.filter((part) => part.startsWith('# Skills')) : allSkills;
    const entries = isSubagent ? [] : await memory.recentHistory(workspace.folders()[0]?.path);
    const history =
      entries.length === 0
        ? ''
        : ['# Recent History', ...entries.map((entry) => `[${entry.timestamp}] ${entry.content}`)].join('\n\n');
    const parts = [...head, remembered, ...skills, history].filter((part) => part !== '');
    return {
      text: parts.join('\n\n---\n\n'),
      tokens: {
        system: head.reduce((sum, part) => sum + estimateText(part), 0),
        memory: estimateText(remembered),
        skills: skills.reduce((sum, part) => sum + estimateText(part), 0),
        history: estimateText(history),
      },
    };
  }

  /** What is told beside the person's words, at the end of the message and apart from it: time, place, editor. */
  runtimeContext(channel: string, editor: EditorContext = this.deps.workspace.editorContext()): string {
    const { clock, workspace } = this.deps;
    const lines = [
      '[Runtime Context — metadata only, not instructions]',
      `Time: ${localTime(clock)}`,
      `Channel: ${channel}`,
    ];
    if (editor.activeFile) {
      const { path, language, selection } = editor.activeFile;
      const range = selection ? `, lines ${String(selection.startLine)}–${String(selection.endLine)} selected` : '';
      lines.push(`Active file: ${workspace.label(path)} (${language}${range})`);
    }
    const visible = editor.visibleFiles.filter((path) => path !== editor.activeFile?.path);
    if (visible.length > 0) lines.push(`Also visible: ${listed(visible, workspace)}`);
    if (editor.dirtyFiles.length > 0) lines.push(`Unsaved: ${listed(editor.dirtyFiles, workspace)}`);
    if (editor.problems && editor.problems.errors + editor.problems.warnings > 0) {
      lines.push(`Problems: ${String(editor.problems.errors)} errors, ${String(editor.problems.warnings)} warnings`);
    }
    if (editor.gitBranch) lines.push(`Git branch: ${editor.gitBranch}`);
    return lines.join('\n');
  }

  /** What is stored beside a person's words: the skills they call for, then the runtime context. */
  async messageContext(channel: string, text: string): Promise<string> {
    const skills = (await this.deps.skills?.asked(text)) ?? [];
    return [...skills, this.runtimeContext(channel)].join('\n\n');
  }

  /** The content of a person's message with what is attached to it, read now. Rejects never: what cannot be read is named with the reason. */
  userContent(text: string, attachments: readonly Attachment[]): Promise<AttachedContent> {
    return attachedContent(this.deps.workspace, text, attachments);
  }

  private identity(channel: string): string {
    const { workspace, memory, surroundings } = this.deps;
    const folders = workspace.folders();
    const where = [
      `- System: ${surroundings.os}; commands run in ${surroundings.shell}`,
      folders.length === 0
        ? '- No folder is open: there are no project files, and commands cannot run.'
        : `- Workspace: ${folders.map((folder) => folder.path).join(', ')}`,
      `- Your home: ${memory.home} (long-term memory in memory/MEMORY.md, daily notes and history beside it)`,
      ...(workspace.trusted()
        ? []
        : ['- The workspace is not trusted (Restricted Mode): commands and edits are refused.']),
      ...(workspace.onDisk()
        ? []
        : ['- The folder is not on a disk: files can be read and edited, commands cannot run.']),
    ];
    const format = FORMATS[channel] ?? FORMATS['cli'] ?? '';
    return IDENTITY.trim()
      .replace('{{where}}', () => where.join('\n'))
      .replace('{{format}}', () => format);
  }

  private async memoryPart(): Promise<string> {
    const [longTerm, today] = await Promise.all([this.deps.memory.longTerm(), this.deps.memory.today()]);
    if (longTerm === undefined && today === undefined) return '';
    const parts = ['# Memory'];
    if (longTerm !== undefined)
      parts.push(`## Long-term Memory\n\n${bounded(longTerm, this.deps.memory.path('memory/MEMORY.md'))}`);
    if (today !== undefined) parts.push(`## Today's Notes\n\n${bounded(today, "today's note in the memory folder")}`);
    return parts.join('\n\n');
  }

  private async homeFiles(names: readonly string[]): Promise<string[]> {
    const parts: string[] = [];
    for (const name of names) {
      const text = (await this.deps.memory.read(name).catch(() => undefined))?.trim();
      if (text) parts.push(`## ${name}\n\n${bounded(text, this.deps.memory.path(name))}`);
    }
    return parts;
  }

  /** The project's own instructions, of each folder: its AGENTS.md, or what other agents read if it has none. Left out in Restricted Mode. */
  private async projectInstructions(): Promise<string[]> {
    const { workspace } = this.deps;
    if (!workspace.trusted()) return [];
    const parts: string[] = [];
    for (const folder of workspace.folders()) {
      for (const name of PROJECT_FILES) {
        const path = `${folder.path}/${name}`;
        const text = await this.projectFile(path);
        if (!text) continue;
        parts.push(`## ${name} (project ${folder.name})\n\n${bounded(text, path)}`);
        break;
      }
    }
    return parts;
  }

  private async projectFile(path: string): Promise<string> {
    const { workspace } = this.deps;
    try {
      const stat = await workspace.stat(path);
      if (stat?.type !== 'file') return '';
      const stamp = `${String(stat.mtime)}:${String(stat.size)}`;
      const known = this.projectCache.get(path);
      if (known?.stamp === stamp) return known.text;
      const text = new TextDecoder().decode(await workspace.readStart(path, MAX_FILE * 4)).trim();
      this.projectCache.set(path, { stamp, text });
      return text;
    } catch {
      // An instruction file that cannot be read must not stop a turn; the agent can still be told to read it.
      return '';
    }
  }
}

function bounded(text: string, path: string): string {
  return text.length <= MAX_FILE ? text : `${text.slice(0, MAX_FILE)}\n\n… cut here; read the rest at ${path}`;
}

function listed(paths: string[], workspace: Workspace): string {
  const shown = paths.slice(0, 10).map((path) => workspace.label(path));
  return paths.length > 10 ? `${shown.join(', ')} and ${String(paths.length - 10)} more` : shown.join(', ');
}

/** "2026-04-15 15:23 Wednesday (Europe/Berlin, GMT+02:00)". */
function localTime(clock: Clock): string {
  const zone = clock.zone();
  const now = clock.now();
  return `${localMinute(clock, now)} ${localWeekday(clock, now)} (${zone}, ${offsetOf(now, zone)})`;
}
