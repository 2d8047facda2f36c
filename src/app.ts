import { join } from 'node:path';
import { t } from '@vscode/l10n';
import { Checkpoints } from './agent/checkpoints.js';
import { Attachables } from './agent/attachables.js';
import { ATTACHMENTS_FOLDER } from './agent/attachmentStore.js';
import { Compaction } from './agent/compaction.js';
import { complete, type CompletionRequest } from './agent/complete.js';
import { ContextBuilder } from './agent/context.js';
import { FileChanges } from './agent/fileChanges.js';
import { diagnoseApp, type Finding } from './agent/diagnose.js';
import { setUpCron } from './agent/cronSetup.js';
import { setUpDream } from './agent/dreamSetup.js';
import { exportByCommand } from './agent/exportCommand.js';
import { cleanUp } from './agent/housekeeping.js';
import { AgentLoop } from './agent/loop.js';
import { readyModel } from './agent/models.js';
import { modelShelf } from './agent/modelShelf.js';
import { ServerPrompts } from './agent/serverPrompts.js';
import { Proposals } from './agent/proposals.js';
import { Reviews } from './agent/reviews.js';
import { sessionShelf } from './agent/sessionShelf.js';
import { sessionTransfer } from './agent/sessionTransfer.js';
import { SessionTitles } from './agent/sessionTitles.js';
import { setUpSkills } from './agent/skillsSetup.js';
import { UsageLedger } from './agent/usageLedger.js';
import { isWithheld } from './agent/subagentRecord.js';
import { setUpSubagents } from './agent/subagentSetup.js';
import { setUpApproval } from './approval/setUpApproval.js';
import { sensitiveName } from './approval/sensitive.js';
import type { AppPorts } from './appPorts.js';
import { MessageBus } from './bus/bus.js';
import { defaultSettings, type Settings } from './config/schema.js';
import { Consolidator } from './memory/consolidator.js';
import { GitStore } from './memory/gitStore.js';
import { HistoryFile } from './memory/history.js';
import { Notes } from './memory/notes.js';
import { Recall } from './memory/recall.js';
import { MemoryStore } from './memory/store.js';
import { ChosenTools } from './mcp/chosenTools.js';
import { setUpMcp } from './mcp/setUpMcp.js';
import { TokenCounter } from './memory/tokenCounter.js';
import { childEnvironment } from './platform/environment.js';
import { OUTSIDE_MARK } from './platform/outsideName.js';
import type { ModelInfo } from './protocol/event.js';
import type { Usage } from './protocol/message.js';
import { keyFromEnvironment } from './providers/endpoints.js';
import { PRACTICE_MODEL } from './providers/practice.js';
import { ProviderRegistry } from './providers/registry.js';
import { ToolRegistry } from './runner/registry.js';
import type { Spill } from './runner/toolCalls.js';
import { SessionStore } from './session/store.js';
import { askUserTool } from './tools/askUser.js';
import { deleteFileTool } from './tools/deleteFile.js';
import { diagnosticsTool } from './tools/diagnostics.js';
import { editFileTool } from './tools/editFile.js';
import { execTool } from './tools/exec.js';
import { globTool } from './tools/glob.js';
import { grepTool } from './tools/grep.js';
import { killExecTool } from './tools/killExec.js';
import { languageTools } from './tools/languageSetup.js';
import { listDirTool } from './tools/listDir.js';
import { messageTool } from './tools/message.js';
import { notebookEditTool } from './tools/notebookEdit.js';
import { pollExecTool } from './tools/pollExec.js';
import { readFileTool } from './tools/readFile.js';
import { recallTool } from './tools/recall.js';
import { rememberTool } from './tools/remember.js';
import { renameFileTool } from './tools/renameFile.js';
import { CommandTable } from './tools/support/commands.js';
import { NotebookSight } from './tools/support/notebookSight.js';
import { Snapshots } from './tools/support/snapshots.js';
import { todoTool } from './tools/todo.js';
import { allKeyVariables } from './tools/support/keyVariables.js';
import { setUpWeb } from './tools/webSetup.js';
import { writeFileTool } from './tools/writeFile.js';
import { writeStdinTool } from './tools/writeStdin.js';

export type App = ReturnType<typeof createApp>;

/** Joins the modules: the one place that knows them all. Nothing is read or written before the first use. */
export function createApp(ports: AppPorts) {
  const { files, workspace, search, shell, clock, log, home, newId } = ports;
  const settings = (): Settings => ({ ...defaultSettings(), ...ports.config().settings, ...ports.settings() });
  const warn = (text: string) => {
    log.warn(text);
    void ports.ui.notify('warning', `Nanobot: ${text}`);
  };
  const bus = new MessageBus();
  const tokens = new TokenCounter({ workers: ports.workers, files, clock, log, home });
  const sessions = new SessionStore({
    files,
    clock,
    log,
    home,
    holder: ports.holder,
    processes: ports.processes,
    notice: warn,
  });
  const history = new HistoryFile({ files, clock, log, home, leases: sessions.leases, notice: warn });
  const memory = new MemoryStore({ files, clock, home, history });
  const notes = new Notes({ files, clock, home, leases: sessions.leases });
  const keyOf = async (provider: string): Promise<string | undefined> =>
    (await ports.secrets.get(secretName(provider))) ??
    keyFromEnvironment(provider, ports.env) ??
    ports.config().keys[provider];
  const registry = new ProviderRegistry({
    settings: () => ({
      model: settings().model,
      fallbackModels: settings().fallbackModels,
      providers: settings().providers,
    }),
    keys: keyOf,
    clock,
    extra: ports.extraProviders ?? {},
    probeLocal: ports.probeLocal,
    ...(ports.practicePieceMs === undefined ? {} : { practicePieceMs: ports.practicePieceMs }),
  });
  const resultsFolder = join(home, '.nanobot', 'results');
  const commands = new CommandTable({
    shell,
    files,
    clock,
    environment: () => childEnvironment(ports.env, allKeyVariables()),
    mirror: (key) => ports.ui.mirror(key),
    terminal: () => (settings()['exec.shell'] === 'integrated' ? ports.terminalShell : undefined),
    resultsFolder,
  });
  const snapshots = new Snapshots({ files, workspace, clock, folder: join(home, '.nanobot', 'snapshots') });
  const git = new GitStore({ files, clock, log, home, leases: sessions.leases, notice: warn, fs: ports.gitFs });
  const recall = new Recall({ workers: ports.workers, files, clock, log, home });
  const web = setUpWeb({ ...ports, settings, secretName });
  const tools = new ToolRegistry(isWithheld);
  const notebooks = new NotebookSight();
  const ownFolders = [home, ports.builtInSkills];
  tools.register(
    readFileTool({ workspace, ownFolders, pdf: web.pages.pdfText, sawNotebook: (key) => notebooks.note(key) }),
    listDirTool({ workspace }),
    globTool({ workspace, search, ownFolders }),
    grepTool({ workspace, search, ownFolders, sensitive: (path) => sensitiveName(path) !== undefined }),
    diagnosticsTool({ workspace }),
    writeFileTool({ workspace }),
    editFileTool({ workspace }),
    deleteFileTool({ workspace }),
    renameFileTool({ workspace, imports: { workspace, search, clock, languages: ports.languages } }),
    notebookEditTool({ workspace, sawNotebook: (key) => notebooks.has(key) }),
    execTool({ shell, workspace, commands, clock, defaultTimeout: () => settings()['exec.timeoutSeconds'] }),
    pollExecTool({ commands }),
    writeStdinTool({ commands }),
    killExecTool({ commands }),
    askUserTool(),
    todoTool(),
    recallTool({ recall, home }),
    rememberTool({ notes }),
    ...web.tools,
    ...languageTools(ports),
    messageTool(ports),
  );
  const mcp = setUpMcp(ports, tools);
  const chosenTools = new ChosenTools({
    ...{ registry: tools, editor: ports.mcpShell?.editorTools, log },
    chosen: () => settings().languageModelTools,
  });
  const { policy, rules } = setUpApproval({
    ...{ ...ports, settings, leases: sessions.leases, notify: warn },
    ...{ resultsFolder, attachmentsFolder: join(home, ATTACHMENTS_FOLDER) },
  });
  const attachables = new Attachables({ ...ports, sessions, fetchPage: web.fetchPage, editor: ports.editorSources });
  const { skills, texts } = setUpSkills(ports);
  const context = new ContextBuilder({ memory, workspace, clock, surroundings: ports.surroundings, skills: texts });
  const usage = new UsageLedger({ files, clock, log, home });
  const models = {
    registry,
    clock,
    chosen: () => ({ model: settings().model, fallbackModels: settings().fallbackModels }),
    used: (key: string, model: string, tokens: Usage) => {
      if (model !== `practice/${PRACTICE_MODEL}`) usage.add(key, model, tokens);
    },
  };
  const resolveModel = (options: { watched: boolean; model?: string }) => readyModel(models, options);
  const spill: Spill = async (name, text, { outside } = {}) => {
    const path = join(resultsFolder, `${name.replaceAll(/[^\w-]/g, '_')}${outside ? OUTSIDE_MARK : '.'}txt`);
    await files.writeAtomic(path, text);
    return path;
  };
  const folder = () => workspace.folders()[0]?.path;
  const transfer = sessionTransfer({ sessions, files, clock, newId, folder });
  const exporting = { ...transfer, files, resolve: (path: string) => workspace.resolve(path), ask: ports.exportChat };
  const mayStart = (model: ModelInfo) => model.practice !== true;
  const byline = (model: ModelInfo) => (model.practice ? model.label : undefined);
  const compaction = new Compaction({
    consolidator: new Consolidator({ history, clock, log }),
    context,
    tools,
    sessions,
    clock,
    log,
    settings,
    resolveModel,
    mayStart,
    isWorthNoting: (model) => model !== PRACTICE_MODEL,
    byline,
    ratio: (modelId) => tokens.ratio(modelId),
    project: folder,
    home,
    newId,
  });
  const prepareHome = async () => {
    await memory.createHome();
    await history.migrate().catch((error: unknown) => {
      warn(t('The old memory/HISTORY.md could not be taken over yet: {0}', String(error)));
    });
  };
  const { dream, dreaming } = setUpDream({
    ...{ files, clock, log, home, newId, bus, workspace, settings, history, git, prepareHome, models },
    builtInSkills: ports.builtInSkills,
    leases: sessions.leases,
    chats: compaction,
    notice: warn,
    onlyAsked: (model) => model.practice === true,
    mark: (model) => (model.practice ? { practice: true } : {}),
    byline: (commit) => (commit.practice ? PRACTICE_MODEL : undefined),
  });
  const cron = setUpCron({
    ...{ files, clock, log, home, newId, bus, tools, settings, resolveModel },
    leases: sessions.leases,
    notice: warn,
    onlyAsked: (model) => model.practice === true,
    heartbeatSeconds: () => ports.config().heartbeatSeconds ?? 1800,
    loop: () => loop,
  });
  const subagents = setUpSubagents({
    ...{ bus, sessions, tools, clock, log, newId, resolveModel, spill, notice: warn },
    loop: () => loop,
    models: async () => (await registry.listModels()).map(({ id }) => id),
    endCommands: (key) => commands.endSession(key),
  });
  const changes = new FileChanges({ snapshots, conversation: (key) => loop.conversation(key) });
  const reviews = new Reviews({
    ...{ bus, changes, workspace, clock, log, contents: snapshots },
    storage: ports.reviews ?? { load: () => [], save: () => undefined },
  });
  const serverPrompts = new ServerPrompts({ bus, mcp, ask: ports.mcpShell?.inputs?.argument });
  const proposals = new Proposals();
  const loop: AgentLoop = new AgentLoop({
    prompts: serverPrompts,
    earlyChoices: ports.earlyChoices,
    bus,
    sessions,
    context,
    policy,
    tools,
    snapshots,
    proposals,
    label: (path) => workspace.label(path),
    workspace,
    tokens,
    compaction,
    clock,
    log,
    settings,
    newId,
    home,
    files,
    folder,
    prepareHome,
    prepareTools: (options) => {
      chosenTools.refresh();
      return mcp.prepare(options);
    },
    resolveModel,
    spill,
    subagents,
    commands: {
      memory,
      clock,
      compact: (conversation) => compaction.compact(conversation),
      dreaming,
      skills,
      subagents,
      undo: async (key) => void (await changes.undo(key)),
      exportChat: (chat, argument) => exportByCommand(exporting, chat, argument),
      setModel: (id) => ports.storeModel(id),
      currentModel: () => settings().model,
    },
  });
  const checkpoints = new Checkpoints({ loop, snapshots, sessions, subagents, clock, newId });
  const conversation = (key: string) => loop.loadedConversation(key);
  const titles = new SessionTitles({ bus, clock, log, settings, conversation, resolveModel, mayStart, newId });
  const modelChoices = modelShelf({ registry, loop, clock, settings, storeModel: ports.storeModel, newId });
  sessions.allowHandover((key) => !loop.isBusy(key) && !compaction.isBusy(key) && !subagents.isLive(key));
  loop.start();

  return {
    bus,
    loop,
    changes,
    reviews,
    proposals,
    checkpoints,
    snapshots,
    context,
    attachables,
    compaction,
    git,
    dream,
    dreaming,
    cron,
    subagents,
    titles,
    sessions,
    history,
    notes,
    /** Adds to today's notes. Rejects where the text is blank or the disk refuses. */
    remember: (text: string) => notes.append(text),
    memory,
    recall,
    tools,
    skills,
    usage,
    mcp,
    serverPrompts,
    workspace,
    log,
    clock,
    home,
    settings,
    newId,
    newSessionKey: (channel: string) => `${channel}:${newId()}`,
    trusted: () => workspace.trusted(),
    /** Reads and loads in the background what the first message needs, so that it need not wait for that. */
    preload: (channel: string) => {
      registry.preload();
      context.runtimeContext(channel);
      context.system(channel).catch((cause: unknown) => {
        log.debug(`The prompt could not be prepared: ${String(cause)}`);
      });
    },
    keyProviders: () => [...registry.keyProviders(), ...web.keyProviders],
    checkKey: (provider: string, key: string) =>
      (web.keyProviders.includes(provider) ? web : registry).checkKey(provider, key),
    setKey: (provider: string, key: string | undefined) =>
      key === undefined ? ports.secrets.delete(secretName(provider)) : ports.secrets.set(secretName(provider), key),
    ...modelChoices,
    /** One question to the person's model, outside every chat. */
    complete: (request: CompletionRequest) => complete({ clock, settings, resolveModel, byline, newId }, request),
    /** Lines of MEMORY.md that say something. */
    rememberedFacts: async (): Promise<number> => {
      const text = (await memory.longTerm()) ?? '';
      return text.split('\n').filter((line) => /^\s*[-*]\s+\S/.test(line)).length;
    },
    ...transfer,
    ...sessionShelf({
      ...{ sessions, loop, subagents, log, folders: () => workspace.folders() },
      endCommands: (key) => commands.endSession(key),
      endRules: (key) => {
        rules.endSession(key);
      },
    }),
    diagnose: (): Promise<Finding[]> =>
      diagnoseApp({
        ports,
        sessions,
        registry,
        keys: keyOf,
        model: settings().model,
        testModel: modelChoices.testModel,
        problems: [...ports.config().problems, ...chosenTools.problems()],
      }),
    /** Deletes long results and snapshots older than seven days; call it once, when there is time. */
    cleanUp: async () => {
      await cleanUp({ files, clock, home, log });
      await snapshots.prune();
    },
    close: async (): Promise<void> => {
      await cron.dispose();
      await dream.dispose();
      await dreaming.close();
      subagents.close();
      reviews.dispose();
      await titles.close();
      await loop.close();
      skills.dispose();
      await tokens.close();
      await recall.close();
      await commands.dispose();
      await mcp.close();
      await usage.close();
      await sessions.dispose();
    },
  };
}

function secretName(provider: string): string {
  return `nanobot.key.${provider}`;
}
