import { sensitiveName } from '../approval/sensitive.js';
import type { Languages } from '../platform/languages.js';
import type { Clock, Workspace } from '../platform/ports.js';
import type { Tool } from '../runner/tool.js';
import { referencesTool } from './references.js';
import { renameSymbolTool } from './renameSymbol.js';
import { symbolsTool } from './symbols.js';

/** The tools over the editor's language services; none where there is no editor. */
export function languageTools(ports: { languages?: Languages; workspace: Workspace; clock: Clock }): Tool[] {
  const { languages, workspace, clock } = ports;
  if (!languages) return [];
  const needs = { languages, workspace, clock, sensitive: (path: string) => sensitiveName(path) !== undefined };
  return [symbolsTool(needs), referencesTool(needs), renameSymbolTool(needs)];
}
