import { t } from '@vscode/l10n';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { WORKSPACE_SKILLS } from '../agent/skillsSetup.js';
import { plain } from '../platform/plainText.js';
import type { Files, Log, Workspace } from '../platform/ports.js';
import { isUri } from '../platform/workspacePaths.js';
import type { SkillsLoader } from '../skills/loader.js';
import { createSkill, nameProblem } from '../skills/newSkill.js';
import { errorOf, statusOf, whyNot, type Skill } from '../skills/skill.js';
import type { ChatController } from './chat/chatController.js';
import type { SkillCommandId } from './commandIds.js';
import { writeSetting } from './settings.js';
import type { SkillNode } from './skillItems.js';
import { tellReason, told, type Run } from './told.js';

/** What the commands of skills work with. */
export interface SkillDeps {
  skills: SkillsLoader;
  home: string;
  configPath: string;
  files: Files;
  workspace: Pick<Workspace, 'folders' | 'trusted'>;
  log: Log;
  /** What the person's own settings switch off, and what config.json does. */
  disabled(): { bySetting: readonly string[]; byConfig: readonly string[] };
  /** The chat, brought into view. */
  showChat(): Promise<ChatController>;
}

/** What each command of skills does. Without a row they ask which skill is meant. What goes wrong is said in words. */
export function createSkillCommands(deps: SkillDeps): Record<SkillCommandId, Run> {
  const commands: Record<SkillCommandId, Run> = {
    'skills.new': ([name]) => newSkill(deps, name),
    'skills.open': ([row]) => openSkill(deps, row),
    'skills.enable': async ([row]) => enable(deps, await chosen(deps, row, (skill) => skill.disabled)),
    'skills.disable': async ([row]) => disable(deps, await chosen(deps, row, (skill) => !skill.disabled)),
    'skills.use': async ([row]) => use(deps, await chosen(deps, row, (skill) => whyNot(skill) === undefined)),
    'skills.refresh': () => deps.skills.refresh(),
  };
  return told(commands, (cause) => tellReason(deps.log, 'skills', cause));
}

function isNode(value: unknown): value is SkillNode {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** The skill of a row, that of a name, or the one a person picks of those that fit. */
async function chosen(
  { skills }: SkillDeps,
  given: unknown,
  fits: (skill: Skill) => boolean,
): Promise<Skill | undefined> {
  if (isNode(given)) return given.kind === 'group' ? undefined : given.skill;
  if (typeof given === 'string') {
    const found = await skills.find(given);
    if (!found) throw new Error(t('There is no skill {0}. The Skills view shows those there are.', given));
    return found;
  }
  const fitting = (await skills.current()).filter(fits);
  if (fitting.length === 0) {
    void vscode.window.showInformationMessage(plain(t('Nanobot: there is no such skill.')));
    return undefined;
  }
  const items = fitting.map((skill) => ({
    label: skill.name,
    description: [statusOf(skill) === 'unavailable' ? whyNot(skill) : '', skill.source.label]
      .filter(Boolean)
      .join(' · '),
    detail: skill.description,
    skill,
  }));
  const placeHolder = t('Which skill?');
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.skill;
}

/** At the line of what is wrong: with the row of a problem that one, else the first error. */
async function openSkill(deps: SkillDeps, row: unknown): Promise<void> {
  if (isNode(row) && row.kind === 'overridden') return showFile(row.other.path, 1);
  if (isNode(row) && row.kind === 'problem') return showFile(row.skill.path, row.problem.line);
  const skill = await chosen(deps, row, () => true);
  if (skill) await showFile(skill.path, errorOf(skill)?.line ?? 1);
}

async function showFile(path: string, line: number): Promise<void> {
  const at = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(vscode.Uri.file(path), { selection: new vscode.Range(at, at), preview: true });
}

async function disable({ disabled }: SkillDeps, skill: Skill | undefined): Promise<void> {
  if (!skill || skill.disabled) return;
  await writeSetting('disabledSkills', [...disabled().bySetting, skill.name].sort());
}

async function enable(deps: SkillDeps, skill: Skill | undefined): Promise<void> {
  if (!skill?.disabled) return;
  const { bySetting, byConfig } = deps.disabled();
  const isOther = (name: string) => name.toLowerCase() !== skill.name.toLowerCase();
  if (!bySetting.every(isOther)) await writeSetting('disabledSkills', bySetting.filter(isOther));
  if (byConfig.every(isOther)) return;
  const text = t(
    'Nanobot: {0} is switched off in config.json too, under agents.defaults.disabledSkills. Take it out there.',
    skill.name,
  );
  if (await vscode.window.showWarningMessage(plain(text), t('Open {0}', 'config.json')))
    await showFile(deps.configPath, 1);
}

/** Puts the skill's name into the chat, for the person to go on writing. */
async function use({ showChat }: SkillDeps, skill: Skill | undefined): Promise<void> {
  if (!skill) return;
  const why = whyNot(skill);
  if (why !== undefined) throw new Error(t('The skill {0} cannot be used now ({1}).', skill.name, why));
  (await showChat()).insert(`/${skill.name} `);
}

/** A name as one writes it. */
const SUCH_AS = 'release-notes';

async function newSkill(deps: SkillDeps, given: unknown): Promise<void> {
  const name =
    typeof given === 'string'
      ? given
      : await vscode.window.showInputBox({
          title: t('Nanobot: New Skill'),
          prompt: t('What is it called? You will use it as /name.'),
          placeHolder: SUCH_AS,
          validateInput: (text) => (text === '' ? undefined : nameProblem(text)),
        });
  if (!name) return;
  const folder = await folderFor(deps);
  if (folder === undefined) return;
  const purpose = await vscode.window.showInputBox({
    title: t('Nanobot: New Skill {0}', name),
    prompt: t('What does it do, and when is it to be used? Nanobot reads this to know when it fits.'),
    placeHolder: t('Gathers what changed since the last tag, for release notes or a changelog'),
  });
  if (purpose === undefined) return;
  const path = await createSkill(deps.files, folder, { name, purpose });
  await deps.skills.refresh();
  await showFile(path, 1);
}

/** Where a new skill goes: the home, unless the person wants it in a project that is open. */
async function folderFor({ home, workspace }: SkillDeps): Promise<string | undefined> {
  const personal = join(home, 'skills');
  const projects = workspace.trusted() ? workspace.folders().filter(({ path }) => !isUri(path)) : [];
  if (projects.length === 0) return personal;
  const [place = ''] = WORKSPACE_SKILLS;
  const items = [
    { label: t('For me, in every project'), description: personal, folder: personal },
    ...projects.map(({ name, path }) => ({
      label: t('For the project {0}', name),
      description: join(path, place),
      folder: join(path, place),
    })),
  ];
  return (await vscode.window.showQuickPick(items, { placeHolder: t('Where is it to be used?') }))?.folder;
}
