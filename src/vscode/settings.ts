import * as vscode from 'vscode';
import { scopeOf, settingsSchema, type SettingName, type Settings } from '../config/schema.js';

/** Settings as VS Code knows them, and where they could not be used. */
export interface EditorSettings {
  /** Only what a person set; anything else comes from config.json or the default. */
  set: Partial<Settings>;
  problems: string[];
}

/** Values in the order from loose to strict, for settings that a workspace may only tighten. */
const STRICTNESS: Partial<Record<SettingName, unknown[]>> = {
  approveEdits: ['after', 'before'],
  restrictToWorkspace: [false, true],
};

/**
 * Reads every setting. What a repository says counts for nothing where the scope is not `window` (VS Code already leaves it out; a workspace file may
 * still hold it), and only where it is stricter than what the person chose where the scope is `window`. A value of the wrong kind is named
 * and left out.
 */
export function readSettings(): EditorSettings {
  const configuration = vscode.workspace.getConfiguration('nanobot');
  const result: EditorSettings = { set: {}, problems: [] };
  for (const name of Object.keys(settingsSchema.shape) as SettingName[]) {
    const found = configuration.inspect(name);
    const own = checked(name, found?.globalValue, result.problems);
    const workspace =
      scopeOf(name) === 'window'
        ? checked(name, found?.workspaceFolderValue ?? found?.workspaceValue, result.problems)
        : undefined;
    const value = stricter(name, own, workspace);
    if (value !== undefined) (result.set as Record<string, unknown>)[name] = value;
  }
  return result;
}

/** Writes a setting of the person, for all their windows. */
export async function writeSetting(name: SettingName, value: unknown): Promise<void> {
  await vscode.workspace.getConfiguration('nanobot').update(name, value, vscode.ConfigurationTarget.Global);
}

function checked(name: SettingName, value: unknown, problems: string[]): unknown {
  if (value === undefined) return undefined;
  const parsed = settingsSchema.shape[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const expected = parsed.error.issues[0]?.message ?? 'another value';
  problems.push(`Setting nanobot.${name}: ${expected}; the default is used.`);
  return undefined;
}

function stricter(name: SettingName, own: unknown, workspace: unknown): unknown {
  const order = STRICTNESS[name];
  if (workspace === undefined || !order) return own;
  return order.indexOf(workspace) > order.indexOf(own ?? order[0]) ? workspace : own;
}
