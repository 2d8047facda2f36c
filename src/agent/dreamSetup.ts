import { join } from 'node:path';
import type { MessageBus } from '../bus/bus.js';
import type { Settings } from '../config/schema.js';
import { Dream, type DreamDeps } from '../memory/dream.js';
import type { DreamEditors, DreamModel } from '../memory/dream/ports.js';
import type { GitStore } from '../memory/gitStore.js';
import type { DreamFacts, MemoryCommit } from '../memory/memoryCommit.js';
import type { Workspace } from '../platform/ports.js';
import type { ModelInfo } from '../protocol/event.js';
import type { ErrorInfo } from '../protocol/message.js';
import { dreamFileTools } from '../tools/dreamFiles.js';
import { Dreaming } from './dreaming.js';
import { readyModel, type ModelDeps } from './models.js';
import { RunningTurns } from './runningTurns.js';
import type { ReadyModel } from './readyModel.js';

export interface DreamSetup extends Omit<
  DreamDeps,
  'editors' | 'realPath' | 'skillGuide' | 'model' | 'tools' | 'turns' | 'settings' | 'git'
> {
  bus: MessageBus;
  git: GitStore;
  /** The folder of the built-in skills. */
  builtInSkills: string;
  workspace: Workspace;
  models: Omit<ModelDeps, 'chosen'>;
  settings(): Settings;
  /** Whether a model may be used only where a person asked. */
  onlyAsked(model: ModelInfo): boolean;
  /** What the commits of a model have to say of it. */
  mark(model: ModelInfo): Partial<DreamFacts>;
  /** The same for people. */
  byline(commit: MemoryCommit): string | undefined;
}

/** Dream over the parts of the app, and what people start of it. */
export function setUpDream(setup: DreamSetup): { dream: Dream; dreaming: Dreaming } {
  const { bus, git, workspace, settings, byline, files, builtInSkills } = setup;
  const guide = join(builtInSkills, 'skill-creator', 'SKILL.md');
  const turns = new RunningTurns(bus);
  const dream = new Dream({
    ...setup,
    editors: editorsOf(workspace),
    realPath: (path) => workspace.realPath(path),
    skillGuide: async () => new TextDecoder().decode(await files.read(guide)),
    model: (options) => modelFor(setup, options),
    tools: dreamFileTools,
    turns,
    settings: () => ({
      enabled: settings()['dream.enabled'],
      intervalHours: settings()['dream.intervalHours'],
      maxTokensPerDay: settings()['dream.maxTokensPerDay'],
    }),
  });
  return { dream, dreaming: new Dreaming({ dream, git, turns, byline }) };
}

/** Files with changes that are not saved, as the workspace knows them. One that cannot be read has none. */
function editorsOf(workspace: Workspace): DreamEditors {
  return {
    unsaved: async (paths) => {
      const found = await Promise.all(
        paths.map((path) =>
          workspace.read(path).then(
            ({ dirty }) => dirty,
            () => false,
          ),
        ),
      );
      return paths.filter((_, at) => found[at]);
    },
    save: (paths) => workspace.save(paths),
  };
}

/**
 * Dream's model: `nanobot.dream.model`, else that of the chat. Where nobody asked and no model may be used unwatched, a model that a person could
 * use by asking is told apart from none.
 */
async function modelFor(setup: DreamSetup, { asked }: { asked: boolean }): Promise<DreamModel | { error: ErrorInfo }> {
  const settings = setup.settings();
  const chosen = () => ({ model: settings['dream.model'] || settings.model, fallbackModels: settings.fallbackModels });
  const deps = { ...setup.models, chosen };
  const ready = await readyModel(deps, { watched: asked });
  if (!('error' in ready)) return dreamModel(setup, ready);
  const watched = asked ? ready : await readyModel(deps, { watched: true });
  return 'error' in watched || !setup.onlyAsked(watched.info) ? ready : dreamModel(setup, watched);
}

function dreamModel({ settings, onlyAsked, mark }: DreamSetup, { info, stream }: ReadyModel): DreamModel {
  const { contextWindowTokens, maxTokens } = settings();
  const contextWindow = Math.min(contextWindowTokens, info.window);
  return {
    info,
    contextWindow,
    maxTokens: Math.min(maxTokens, Math.floor(contextWindow / 4)),
    onlyAsked: onlyAsked(info),
    mark: mark(info),
    stream: (request, signal) => stream(request, { signal, onWait: () => undefined, refusedImages: new Set() }),
  };
}
