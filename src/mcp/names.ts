import { createHash } from 'node:crypto';

/** Characters of a tool's name that every provider takes. */
const LONGEST = 64;

/** `mcp_<server>_<tool>`: letters, digits, `_` and `-` only, at most 64 characters; a longer one is cut and told apart by a hash of the whole. */
export function toolName(server: string, tool: string): string {
  return fitted(`mcp_${plainName(server)}_${plainName(tool)}`, `${server}\0${tool}`);
}

function fitted(whole: string, of: string): string {
  if (whole.length <= LONGEST) return whole;
  const hash = createHash('sha256').update(of).digest('hex').slice(0, 6);
  return `${whole.slice(0, LONGEST - 7)}_${hash}`;
}

/**
 * Gives each tool of each server a name of its own, the same as long as the process lasts. Two that would be called the same are numbered in the
 * order in which they came.
 */
export class ToolNames {
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();

  /** `nameOf` makes a name of letters, digits, `_` and `-`, of any length. */
  constructor(private readonly nameOf: (server: string, tool: string) => string = toolName) {}

  /** `ours` is a tool of ours about a server, which may be called like one of its own. */
  of(server: string, tool: string, whose: 'theirs' | 'ours' = 'theirs'): string {
    const key = JSON.stringify([server, tool, whose]);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const wanted = fitted(this.nameOf(server, tool), `${server}\0${tool}`);
    let name = wanted;
    for (let n = 2; this.taken.has(name); n++) {
      const number = `_${String(n)}`;
      name = wanted.slice(0, LONGEST - number.length) + number;
    }
    this.names.set(key, name);
    this.taken.add(name);
    return name;
  }
}

/** The text with `_` for everything that no provider takes in a name. */
export function plainName(text: string): string {
  return text.replaceAll(/[^\w-]/g, '_') || '_';
}
