import { t } from '@vscode/l10n';
import * as vscode from 'vscode';
import { commitView, listed } from './commitWords.js';
import { momentWords, type Present } from './dates.js';
import type { CommitRow, DreamsRow } from './dreamsTree.js';
import type { DayRow, DividerRow, EntryRow, HistoryRow, MoreRow } from './historyItems.js';

/** Letters of a tooltip at most. */
const MAX_TOOLTIP = 2_000;

/** A row of the History view. */
export type HistoryNode =
  | HistoryRow
  | EntryRow
  | DreamsRow
  /** Stands for the memory's commits. */
  | { kind: 'dreams'; id: string }
  /** Something could not be read. */
  | { kind: 'problem'; id: string; reason: string };

/** How VS Code draws a row. */
export function treeItem(node: HistoryNode, present: Present): vscode.TreeItem {
  const item = itemOf(node, present);
  item.id = node.id;
  return item;
}

/** The tooltip of a row, made when it is looked at. Plain text: what was remembered is never drawn as Markdown, which could load pictures. */
export function tooltipOf(node: HistoryNode, present: Present): string | undefined {
  if (node.kind === 'entry') {
    const { timestamp, content, project, session_key } = node.entry;
    const facts = [timestamp, project, session_key, node.unread ? t('not read by Dream yet') : t('read by Dream')];
    return shortened(`${facts.filter(Boolean).join(' · ')}\n\n${content}`);
  }
  if (node.kind !== 'commit') return undefined;
  const { commit } = node;
  return `${momentWords(commit.time, present)}\n${commit.message}\n${listed(commit.files)}\n${commit.sha.slice(0, 7)}`;
}

function itemOf(node: HistoryNode, present: Present): vscode.TreeItem {
  switch (node.kind) {
    case 'day':
      return dayItem(node);
    case 'entry':
      return entryItem(node);
    case 'divider':
      return dividerItem(node);
    case 'more':
      return moreItem(node);
    case 'dreams':
      return dreamsItem();
    case 'commit':
      return commitItem(node, present);
    case 'moreDreams':
      return acting(t('Show more…'), 'ellipsis', 'nanobot.history.showMore', node);
    case 'noDreams':
      return acting(t('No Dreams yet: dream now'), 'sparkle', 'nanobot.dream');
    case 'problem':
      return problemItem(node.reason);
  }
}

function dayItem({ label, description, expanded }: DayRow): vscode.TreeItem {
  const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, expanded ? Expanded : Collapsed);
  item.description = description;
  item.contextValue = 'day';
  return item;
}

function entryItem(node: EntryRow): vscode.TreeItem {
  const { entry, time, text, marks, raw, unread } = node;
  const lead = time === '' ? '' : `${time}  `;
  const highlights = marks.map(([from, to]): [number, number] => [from + lead.length, to + lead.length]);
  const item = new vscode.TreeItem({ label: lead + text, highlights });
  if (raw) {
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
    item.description = t('not summarised');
  } else {
    item.iconPath = unread
      ? new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.blue'))
      : new vscode.ThemeIcon('circle-outline', new vscode.ThemeColor('disabledForeground'));
  }
  item.contextValue = entry.session_key === undefined ? 'entry' : 'entry chat';
  item.command = { title: t('Open'), command: 'nanobot.history.openEntry', arguments: [node] };
  const heard = [time, text, raw ? t('not summarised') : '', unread ? t('not read by Dream yet') : ''];
  item.accessibilityInformation = { label: heard.filter(Boolean).join(', ') };
  return item;
}

function dividerItem({ everything }: DividerRow): vscode.TreeItem {
  const item = new vscode.TreeItem(everything ? t('Dream has read everything') : t('Dream has read all below'));
  item.iconPath = new vscode.ThemeIcon('sparkle', new vscode.ThemeColor('charts.purple'));
  item.contextValue = 'divider';
  return item;
}

function moreItem(node: MoreRow): vscode.TreeItem {
  const label = node.date === undefined ? t('Show earlier days…') : t('Show more…');
  return acting(label, 'ellipsis', 'nanobot.history.showMore', node);
}

function dreamsItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Dreams'), vscode.TreeItemCollapsibleState.Collapsed);
  item.iconPath = new vscode.ThemeIcon('sparkle');
  item.contextValue = 'dreams';
  item.tooltip = t('What Dream and you changed in the memory, newest first');
  return item;
}

function commitItem(node: CommitRow, present: Present): vscode.TreeItem {
  const { commit, undone } = node;
  const { icon, description, canRestore } = commitView(commit, undone);
  const when = momentWords(commit.time, present);
  const item = new vscode.TreeItem(when.charAt(0).toUpperCase() + when.slice(1));
  item.description = description;
  item.iconPath = undone
    ? new vscode.ThemeIcon(icon, new vscode.ThemeColor('disabledForeground'))
    : new vscode.ThemeIcon(icon);
  item.contextValue = canRestore ? 'commit restorable' : 'commit';
  item.command = { title: t('Show Changes'), command: 'nanobot.history.showChanges', arguments: [node] };
  const kind = commit.kind === 'dream' ? 'Dream' : '';
  item.accessibilityInformation = { label: [kind, when, description].filter(Boolean).join(', ') };
  return item;
}

function problemItem(reason: string): vscode.TreeItem {
  const item = acting(t('This could not be read'), 'error', 'nanobot.openLog');
  item.description = reason;
  item.tooltip = `${reason}\n\n${t('A click opens the log.')}`;
  return item;
}

/** A row that does something. */
function acting(label: string, icon: string, command: string, ...args: unknown[]): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon(icon);
  item.command = { title: label, command, arguments: args };
  return item;
}

function shortened(text: string): string {
  return text.length > MAX_TOOLTIP ? `${text.slice(0, MAX_TOOLTIP)}…` : text;
}
