import { closest } from '../platform/closest.js';
import type { ToolSpec } from '../providers/provider.js';
import type { Tool } from './tool.js';

/**
 * The tools of a session. What is offered only grows while the session lasts: a tool that became available stays, so that the request's prefix,
 * and with it the provider's cache, changes as rarely as possible.
 */
export class ToolRegistry {
  private readonly tools = new Map<string, Tool>();
  private readonly offered = new Map<string, Set<string>>();

  /** @param withheld whether a session never has a tool, whatever it offers. */
  constructor(private readonly withheld: (tool: string, sessionKey: string) => boolean = () => false) {}

  /** Names must be unique: a second tool of the same name is a programming error and throws. */
  register(...tools: Tool[]): void {
    for (const tool of tools) {
      if (this.tools.has(tool.name)) throw new Error(`Two tools are named ${tool.name}.`);
      this.tools.set(tool.name, tool);
    }
  }

  /** Adds a tool, or puts it in place of the one of the same name: for tools that come and go while the process runs. */
  put(tool: Tool): void {
    this.tools.set(tool.name, tool);
  }

  /** Forgets what was offered to a session that is gone. */
  forget(sessionKey: string): void {
    this.offered.delete(sessionKey);
  }

  /** The tools of a session's next request, sorted by name. */
  for(sessionKey: string): Tool[] {
    const sticky = this.offered.get(sessionKey) ?? new Set<string>();
    this.offered.set(sessionKey, sticky);
    for (const tool of this.tools.values()) if (tool.available?.(sessionKey) ?? true) sticky.add(tool.name);
    return [...this.tools.values()]
      .filter((tool) => sticky.has(tool.name) && !this.withheld(tool.name, sessionKey))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  find(name: string): Tool | undefined {
    return this.tools.get(name);
  }

  /** What to tell a model that called a tool which is not there. */
  unknown(name: string, sessionKey: string): string {
    const names = this.for(sessionKey).map((tool) => tool.name);
    const near = closest(name, names);
    const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
    return `There is no tool named "${name}".${hint} Available: ${names.join(', ')}.`;
  }
}

/** A tool as a provider is told of it. */
export function specOf(tool: Tool): ToolSpec {
  return { name: tool.name, description: tool.description, parameters: tool.parameters };
}
