import { english, translated, type Translate } from '../platform/words.js';
import type { Log } from '../platform/ports.js';
import { reasonOf } from '../platform/reason.js';
import type { ToolRegistry } from '../runner/registry.js';
import { ToolError } from '../runner/tool.js';
import type { EditorTool, EditorTools } from './editorServers.js';
import { plainName, ToolNames } from './names.js';
import { resultOf } from './results.js';
import { serverTool, type ToolRunner } from './tools.js';

/** Names of our own tools for other agents begin so: they are never offered to ourselves. */
const OURS = /^nanobot_/;
/** Tools that are offered at most. */
const MOST = 40;

export interface ChosenToolsDeps {
  registry: Pick<ToolRegistry, 'put'>;
  /** Undefined without an editor. */
  editor: EditorTools | undefined;
  /** The names a person chose, as the editor lists them. */
  chosen(): readonly string[];
  log: Log;
}

/** Tools of the editor's other extensions that a person lets the agent use. Each call is asked like one of an MCP server, and its answer is text from outside. */
export class ChosenTools {
  private readonly names = new ToolNames((_owner, tool) => `lm_${plainName(tool)}`);
  private readonly told = new Set<string>();
  private offered = new Set<string>();

  constructor(private readonly deps: ChosenToolsDeps) {}

  /** Offers what is chosen and there now. Called as a turn begins; never throws. */
  refresh(): void {
    const { registry, log } = this.deps;
    const found = this.found();
    for (const tool of found)
      registry.put(serverTool(this.names.of('', tool.name), described(tool), this.runner(tool)));
    this.offered = new Set(found.map(({ name }) => this.names.of('', name)));
    for (const problem of this.problems(english)) {
      if (!this.told.has(problem)) log.warn(problem);
      this.told.add(problem);
    }
  }

  /** What of the choice cannot be, in words for a person. */
  problems(t: Translate = translated): string[] {
    const { chosen, editor } = this.deps;
    if (!editor) return [];
    const known = new Set(editor.list().map(({ name }) => name));
    const names = [...new Set(chosen())];
    const missing = names.flatMap((name) => {
      if (OURS.test(name)) return [t('"{0}" is Nanobot\'s own tool and is not offered to itself.', name)];
      if (known.has(name)) return [];
      return [t('There is no tool "{0}": its extension is missing, off, or not started yet.', name)];
    });
    const more = names.length > MOST ? [t('Only the first {0} of {1} are offered.', MOST, names.length)] : [];
    return [...missing, ...more].map((words) =>
      t('nanobot.languageModelTools: {0} "Nanobot: Choose Tools of Other Extensions" shows what there is.', words),
    );
  }

  private found(): EditorTool[] {
    const { chosen, editor } = this.deps;
    const wanted = new Set([...chosen()].filter((name) => !OURS.test(name)));
    if (wanted.size === 0 || !editor) return [];
    return editor
      .list()
      .filter(({ name }) => wanted.has(name))
      .slice(0, MOST);
  }

  private runner({ name }: EditorTool): ToolRunner {
    return {
      name: 'VS Code',
      extension: true,
      offered: (ours) => this.offered.has(ours),
      run: async (args, signal) => {
        if (!this.found().some((tool) => tool.name === name))
          throw new ToolError(
            `The tool ${name} is no longer there, or no longer chosen by the person. Go on without it.`,
          );
        try {
          return resultOf(await this.deps.editor?.call(name, args, signal));
        } catch (cause) {
          if (signal.aborted) throw new ToolError(`Stopped before ${name} answered.`);
          throw new ToolError(`The tool ${name} failed: ${reasonOf(cause)}`);
        }
      },
    };
  }
}

function described({ name, description, inputSchema }: EditorTool) {
  return { name, description, inputSchema, readOnly: false };
}
