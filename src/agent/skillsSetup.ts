import { join } from 'node:path';
import { t } from '@vscode/l10n';
import type { ConfigFile } from '../config/file.js';
import type { Settings } from '../config/schema.js';
import type { Clock, Files, Log, Workspace } from '../platform/ports.js';
import { isUri } from '../platform/workspacePaths.js';
import { SkillsLoader } from '../skills/loader.js';
import type { SkillSource } from '../skills/skill.js';
import type { SkillTexts, Surroundings } from './context.js';
import { skillTexts } from './skillUse.js';

/** Where a project keeps skills, this agent's place first and then those of others. */
export const WORKSPACE_SKILLS = ['.nanobot/skills', '.agents/skills', '.claude/skills', 'skills'];

/** What the skills need of the app's ports. */
export interface SkillsPorts {
  files: Files;
  workspace: Workspace;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, string | undefined>>;
  surroundings: Surroundings;
  home: string;
  /** The folder of the built-in skills. */
  builtInSkills: string;
  config(): Pick<ConfigFile, 'settings'>;
  settings(): Partial<Settings>;
}

/** The skills over the app's ports. Nothing is read before they are asked for. */
export function setUpSkills(ports: SkillsPorts): { skills: SkillsLoader; texts: SkillTexts } {
  const { files, clock, log, env, workspace, surroundings } = ports;
  const skills = new SkillsLoader({
    ...{ files, clock, log, env, os: surroundings.os },
    realPath: (path) => workspace.realPath(path),
    sources: () => skillSources(ports),
    // Either may switch a skill off; neither switches on what the other has off.
    disabled: () => [...(ports.config().settings.disabledSkills ?? []), ...(ports.settings().disabledSkills ?? [])],
  });
  return { skills, texts: skillTexts(skills) };
}

/** The sources in the order of their precedence. Those of a workspace count only where it is trusted, and on a disk. */
export function skillSources({
  workspace,
  home,
  builtInSkills,
}: Pick<SkillsPorts, 'workspace' | 'home' | 'builtInSkills'>): SkillSource[] {
  const folders = workspace.trusted() ? workspace.folders().filter(({ path }) => !isUri(path)) : [];
  const named = folders.length > 1;
  return [
    ...folders.flatMap(({ name, path }) =>
      WORKSPACE_SKILLS.map((place): SkillSource => ({
        kind: 'workspace',
        folder: join(path, place),
        label: t('workspace ({0})', named ? `${name}/${place}` : place),
        within: path,
      })),
    ),
    { kind: 'personal', folder: join(home, 'skills'), label: t('personal') },
    { kind: 'built-in', folder: builtInSkills, label: t('built-in') },
  ];
}
