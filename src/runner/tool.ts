import * as z from 'zod';
import type { Question, TodoItem } from '../protocol/event.js';
import type { ContentBlock, FileRef } from '../protocol/message.js';

/** What a call would do, for the approval policy. A call that does several things lists each. */
export type Access =
  | { kind: 'read'; path: string }
  | {
      kind: 'write';
      path: string;
      /** A unified diff of what would change, for a person. */
      diff?: string;
      /** The whole text as it would be, where a person may change it before it is written: the run then asks `amended`. */
      after?: string;
    }
  | { kind: 'delete'; path: string }
  | { kind: 'exec'; command: string; cwd: string }
  | { kind: 'network'; url: string }
  | {
      kind: 'mcp';
      /** The MCP server; undefined for a tool of another extension. */
      server: string | undefined;
      /** What is called, with its arguments in short. */
      tool: string;
      /** The one that is called, where our tool stands for several. */
      part?: string;
      /** The workspace folder that the server came with: what a person allows holds for that folder's server only. */
      folder?: string;
    }
  /** Text that later turns are told as something remembered. */
  | { kind: 'remember'; text: string }
  /** Runs or removes what is scheduled. */
  | { kind: 'schedule'; title: string; id: string }
  /** Input for a command that runs already. */
  | { kind: 'input'; text: string };

/** What a tool gives back. A plain string is `{text}`. A tool that cannot do its work throws a `ToolError`. */
export interface ToolResult {
  /** What the model reads. */
  text: string;
  /** One line for people in place of the summary made from the arguments, such as "src/a.ts, 120 lines". */
  summary?: string;
  /** Images for the model, beside the text. */
  images?: Extract<ContentBlock, { type: 'image_url' }>[];
  files?: FileRef[];
  diff?: string;
  /** The call itself went well, yet what it did failed (a command with exit status 1). Shown as an error, given to the model as text. */
  failed?: boolean;
}

/** An expected failure: its message is written for the model (what was wrong, what to do) and shown to the person. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** What the model has read in this session: an edit needs the text it is based on. Keys are real paths. */
export interface ReadLedger {
  /** Remembers the content the model has seen. */
  note(path: string, bytes: Uint8Array): void;
  forget(path: string): void;
  /** `unread` never seen; `stale` changed since; `fresh` the same bytes. */
  check(path: string, bytes: Uint8Array): 'unread' | 'stale' | 'fresh';
}

/** What a call is given beside its arguments. */
export interface ToolContext {
  sessionKey: string;
  turnId: string;
  callId: string;
  /** One for the whole turn: Stop aborts it. A tool must end soon after. */
  signal: AbortSignal;
  /** False for turns that nobody watches: nothing may wait for a person, soft time limits are hard. */
  watched: boolean;
  reads: ReadLedger;
  /** The live tail shown while the call runs. Cheap; call it as often as there is news. */
  update(tail: string): void;
  /**
   * Must be called, and awaited, before a file is changed, created, deleted or renamed: keeps its content for Undo. For the new path of a rename,
   * `from` is the former one, so that both are one change.
   */
  beforeChange(path: string, from?: string): Promise<void>;
  /** The text that the person wants in place of the `after` that the call asked to write; undefined where they left it as it was. */
  amended(path: string): string | undefined;
  /** Text from outside (web, MCP, files out of the workspace) has entered the turn. */
  markUntrusted(source: string): void;
  /** Whether it has. */
  isUntrusted(): boolean;
  ask(question: Omit<Question, 'id' | 'callId'>): Promise<string>;
  setTodo(items: TodoItem[]): void;
  /** Asks what to do about unsaved files before a command runs. Throws with the person's words where they want neither. */
  askSave(files: string[]): Promise<'save' | 'run'>;
}

/** What is known when a call is to be judged; its id and the turn's signal for tools whose judging takes work. */
export type AccessContext = Pick<ToolContext, 'sessionKey'> & Partial<Pick<ToolContext, 'callId' | 'signal'>>;

/** A tool with its types erased, as the registry and the runner hold it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, made once from the zod schema. */
  readonly parameters: Record<string, unknown>;
  readonly schema: z.ZodType;
  /** Consecutive read-only calls of one answer run together. It says nothing about approval: that goes by `access`. */
  readonly readOnly: boolean;
  /** Offered only where this holds; once offered it stays for the session. */
  available?(sessionKey: string): boolean;
  access(args: unknown, context: AccessContext): Promise<Access[]>;
  /** What, on what: one line for a person, made from arguments that may be incomplete. */
  summary(args: unknown): string;
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** A tool as written in `src/tools/`: one file, one call of `defineTool`. */
export interface ToolDefinition<S extends z.ZodType> {
  name: string;
  description: string;
  params: S;
  readOnly?: boolean;
  available?(sessionKey: string): boolean;
  /** Default: nothing that needs an approval. */
  access?(args: z.output<S>, context: AccessContext): Access[] | Promise<Access[]>;
  summary(args: z.output<S>): string;
  run(args: z.output<S>, context: ToolContext): Promise<ToolResult | string>;
}

/** Makes a tool from its definition. The arguments given to `access`, `summary` and `run` have passed `params`. */
export function defineTool<S extends z.ZodType>(definition: ToolDefinition<S>): Tool {
  const { $schema: _schema, ...parameters } = z.toJSONSchema(definition.params, { io: 'input' }) as Record<
    string,
    unknown
  >;
  return {
    name: definition.name,
    description: definition.description,
    parameters,
    schema: definition.params,
    readOnly: definition.readOnly ?? false,
    ...(definition.available ? { available: (key: string) => definition.available?.(key) ?? true } : {}),
    access: async (args, context) => (definition.access ? definition.access(args as z.output<S>, context) : []),
    summary: (args) => {
      // Also called with arguments that failed validation: a summary must not be able to break a turn.
      try {
        return definition.summary(args as z.output<S>) || definition.name;
      } catch {
        return definition.name;
      }
    },
    run: async (args, context) => {
      const result = await definition.run(args as z.output<S>, context);
      return typeof result === 'string' ? { text: result } : result;
    },
  };
}
