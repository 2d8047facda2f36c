import type { ToolRegistry } from '../runner/registry.js';
import { spawnTool } from '../tools/spawn.js';
import { SubagentManager, type SubagentDeps } from './subagent.js';

/** Joins subagents with the loop: their turns run through the bus like everybody's. Nothing is read before the first use. */
export function setUpSubagents(setup: SubagentDeps & { tools: ToolRegistry }): SubagentManager {
  const { tools, ...deps } = setup;
  const subagents = new SubagentManager(deps);
  tools.register(spawnTool({ subagents }));
  return subagents;
}
