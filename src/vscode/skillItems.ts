import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import type { SkillProblem } from '../skills/frontmatter.js';
import {
  errorOf,
  STATUS_TITLES,
  statusOf,
  whyNot,
  type OverriddenSkill,
  type Skill,
  type SkillStatus,
} from '../skills/skill.js';

/** A row of the Skills view. */
export type SkillNode =
  | { kind: 'group'; status: SkillStatus; skills: readonly Skill[] }
  | { kind: 'skill'; skill: Skill }
  /** Something about a skill; a click opens the line. */
  | { kind: 'problem'; skill: Skill; problem: SkillProblem }
  /** A skill of the same name that this one hides. */
  | { kind: 'overridden'; skill: Skill; other: OverriddenSkill };

/** The groups that have a skill, in their order. */
export function groupsOf(skills: readonly Skill[]): SkillNode[] {
  return (Object.keys(STATUS_TITLES) as SkillStatus[]).flatMap((status) => {
    const own = skills.filter((skill) => statusOf(skill) === status);
    return own.length === 0 ? [] : [{ kind: 'group' as const, status, skills: own }];
  });
}

/** The rows below a row. */
export function childrenOf(node: SkillNode): SkillNode[] {
  if (node.kind === 'group') return node.skills.map((skill) => ({ kind: 'skill', skill }));
  if (node.kind !== 'skill') return [];
  const { skill } = node;
  return [
    ...skill.problems.map((problem) => ({ kind: 'problem' as const, skill, problem })),
    ...skill.overrides.map((other) => ({ kind: 'overridden' as const, skill, other })),
  ];
}

/** How VS Code draws a row. */
export function skillTreeItem(node: SkillNode): vscode.TreeItem {
  switch (node.kind) {
    case 'group':
      return groupItem(node.status, node.skills.length);
    case 'skill':
      return skillItem(node);
    case 'problem':
      return problemItem(node);
    case 'overridden':
      return overriddenItem(node);
  }
}

function groupItem(status: SkillStatus, count: number): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(STATUS_TITLES[status], status === 'disabled' ? Collapsed : Expanded);
  item.id = status;
  item.description = String(count);
  item.contextValue = 'group';
  item.accessibilityInformation = {
    label: `${STATUS_TITLES[status]}, ${count === 1 ? t('1 skill') : t('{0} skills', count)}`,
  };
  return item;
}

function skillItem(node: Extract<SkillNode, { kind: 'skill' }>): vscode.TreeItem {
  const { skill } = node;
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(skill.name, childrenOf(node).length > 0 ? Collapsed : None);
  item.id = `skill ${skill.path}`;
  const why = skill.disabled ? undefined : whyNot(skill);
  const hidden = skill.overrides.map(({ source }) => source.label).join(', ');
  item.description = [why, skill.source.label, hidden === '' ? '' : t('overrides {0}', hidden)]
    .filter(Boolean)
    .join(' · ');
  item.iconPath = iconOf(skill);
  item.contextValue = `skill ${skill.disabled ? 'disabled' : 'enabled'} ${whyNot(skill) === undefined ? 'usable' : 'unusable'}`;
  item.command = { title: t('Open'), command: 'nanobot.skills.open', arguments: [node] };
  item.tooltip = tooltipOf(skill);
  item.accessibilityInformation = {
    label: [skill.name, item.description, skill.description].filter(Boolean).join(', '),
  };
  return item;
}

function iconOf(skill: Skill): vscode.ThemeIcon {
  const colored = (icon: string, color: string) => new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  if (skill.disabled) return colored('circle-slash', 'disabledForeground');
  if (errorOf(skill)) return colored('error', 'list.errorForeground');
  if (skill.missing.length > 0) return colored('debug-disconnect', 'disabledForeground');
  if (skill.problems.length > 0) return colored('warning', 'list.warningForeground');
  return new vscode.ThemeIcon(skill.always ? 'pinned' : 'mortar-board');
}

/** Plain text: what a repository says of itself is never drawn as Markdown. */
function tooltipOf(skill: Skill): string {
  const { needs, license, allowedTools, emoji } = skill;
  const programs = [...needs.bins, ...(needs.anyBins.length > 0 ? [t('one of {0}', needs.anyBins.join(', '))] : [])];
  return [
    [emoji, skill.name].filter(Boolean).join(' '),
    skill.description,
    '',
    skill.path,
    ...(programs.length + needs.env.length > 0 ? [t('Needs {0}', [...programs, ...needs.env].join(', '))] : []),
    ...(needs.os.length > 0 ? [t('Works on {0}', needs.os.join(', '))] : []),
    ...(skill.missing.length > 0 ? [t('Missing: {0}', skill.missing.join(', '))] : []),
    ...(skill.modelMayUse ? [] : [t('Only you can call for it')]),
    ...(allowedTools.length > 0
      ? [t('Names these tools: {0} (what is asked is still asked)', allowedTools.join(', '))]
      : []),
    ...(license === '' ? [] : [t('Licence: {0}', license)]),
  ].join('\n');
}

function problemItem(node: Extract<SkillNode, { kind: 'problem' }>): vscode.TreeItem {
  const { skill, problem } = node;
  const item = new vscode.TreeItem(problem.message);
  item.id = `problem ${skill.path} ${String(skill.problems.indexOf(problem))}`;
  item.description = t('line {0}', problem.line);
  const [icon, color] =
    problem.severity === 'error' ? ['error', 'list.errorForeground'] : ['warning', 'list.warningForeground'];
  item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
  item.contextValue = 'problem';
  item.tooltip = `${problem.message}\n\n${t('A click opens line {0} of {1}', problem.line, skill.path)}`;
  item.command = { title: t('Open'), command: 'nanobot.skills.open', arguments: [node] };
  return item;
}

function overriddenItem(node: Extract<SkillNode, { kind: 'overridden' }>): vscode.TreeItem {
  const { source, path } = node.other;
  const item = new vscode.TreeItem(t('overrides that of {0}', source.label));
  item.id = `overridden ${path}`;
  item.iconPath = new vscode.ThemeIcon('layers', new vscode.ThemeColor('disabledForeground'));
  item.contextValue = 'overridden';
  item.tooltip = path;
  item.command = { title: t('Open'), command: 'nanobot.skills.open', arguments: [node] };
  return item;
}
