import { t } from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Log, Secrets } from '../platform/ports.js';

const common = { id: z.string().min(1), description: z.string().optional(), default: z.string().optional() };
const choice = z.union([
  z.string().transform((value) => ({ label: value, value })),
  z.object({ label: z.string(), value: z.string() }),
]);
const inputSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('promptString'), ...common, password: z.boolean().optional() }),
  z.object({ type: z.literal('pickString'), ...common, options: z.array(choice).min(1) }),
]);

/** A value that a workspace's file wants of the person. */
export type InputDefinition = z.output<typeof inputSchema>;
/** By id; one that cannot be asked with the reason. */
export type InputDefinitions = ReadonlyMap<string, InputDefinition | { problem: string }>;

/** Asks the person for one value; undefined where they gave none. */
export interface InputPort {
  ask(server: string, input: InputDefinition): Promise<string | undefined>;
  /** The same for an argument of a prompt, which is not kept. */
  argument(prompt: string, argument: { name: string; description: string }): Promise<string | undefined>;
}

/** What `inputs` of a workspace's file says. Whatever is no input is left out: using it names it. */
export function readInputs(value: unknown): InputDefinitions {
  const found = new Map<string, InputDefinition | { problem: string }>();
  for (const each of Array.isArray(value) ? (value as unknown[]) : []) {
    const { id, type } = (typeof each === 'object' && each !== null ? each : {}) as { id?: unknown; type?: unknown };
    if (typeof id !== 'string') continue;
    const { data, error } = inputSchema.safeParse(each);
    if (data) found.set(id, data);
    else if (type === 'command')
      found.set(id, { problem: t('is the answer of a command of the editor, which is not run for a server') });
    else
      found.set(id, {
        problem: t('is not written as it should be: {0} is wrong', error?.issues[0]?.path.join('.') ?? 'it'),
      });
  }
  return found;
}

/** The ids of the inputs that an entry uses. */
export function inputsIn(entry: unknown): string[] {
  const found = [...(JSON.stringify(entry) ?? '').matchAll(/\$\{input:([^}"]*)\}/g)].map(([, id = '']) => id);
  return [...new Set(found)];
}

/** A server whose values are wanted. */
export interface Wanting {
  folder: string;
  server: string;
  /** Stands for the whole definition: what was given to another is not given to this one. */
  mark: string;
  inputs: InputDefinition[];
}

/**
 * The values people gave to servers of a workspace, kept in the key store, for one folder, server and definition. They are asked for once, one after the other, where
 * somebody watches.
 */
export class ServerInputs {
  private readonly asked = new Map<string, 'waiting' | 'refused'>();
  private asking: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: {
      secrets: Secrets;
      /** Undefined where nobody can be asked. */
      port: InputPort | undefined;
      log: Log;
      /** Called after the person gave what was wanted. */
      given(): void;
    },
  ) {}

  /** The values, or why they are not there yet. Asks without waiting for the answer. Never rejects. */
  async values(wanting: Wanting, watched: boolean): Promise<{ values: Record<string, string> } | { problem: string }> {
    const kept = await this.kept(wanting);
    if (wanting.inputs.every(({ id }) => kept[id] !== undefined)) return { values: kept };
    const names = wanting.inputs.map(({ id }) => id).join(', ');
    if (!this.deps.port)
      return {
        problem: t(
          'It wants {0}, and nobody can be asked here. Open the folder in VS Code, or write the server into config.json.',
          names,
        ),
      };
    const key = secretOf(wanting);
    const state = this.asked.get(key);
    if (state === 'refused')
      return {
        problem: t(
          'It wants {0}, which you did not give. "Ask for its inputs again" in the list of MCP servers does.',
          names,
        ),
      };
    if (state !== 'waiting' && !watched)
      return { problem: t('It wants {0}, which is asked when you send a message in a chat.', names) };
    if (state === undefined) {
      this.asked.set(key, 'waiting');
      this.asking = this.asking.then(() => this.ask(key, wanting));
    }
    return { problem: t('It waits for you to give {0}.', names) };
  }

  /** Forgets what was given, so that it is asked again. */
  async forget(place: Pick<Wanting, 'folder' | 'server'>): Promise<void> {
    const key = secretOf(place);
    if (this.asked.get(key) === 'refused') this.asked.delete(key);
    await this.deps.secrets.delete(key);
  }

  private async ask(key: string, { server, mark, inputs }: Wanting): Promise<void> {
    const { port, secrets, log } = this.deps;
    try {
      const values: Record<string, string> = {};
      for (const input of inputs) {
        const value = await port?.ask(server, input);
        if (value === undefined) {
          this.asked.set(key, 'refused');
          return;
        }
        values[input.id] = value;
      }
      await secrets.set(key, JSON.stringify({ mark, values }));
      this.asked.delete(key);
      this.deps.given();
    } catch (cause) {
      this.asked.set(key, 'refused');
      log.error(`What the MCP server ${server} wants could not be asked or kept.`, cause);
    }
  }

  private async kept({ mark, ...place }: Wanting): Promise<Record<string, string>> {
    try {
      const shape = z.object({ mark: z.string(), values: z.record(z.string(), z.string()) });
      const kept = shape.parse(JSON.parse((await this.deps.secrets.get(secretOf(place))) ?? ''));
      return kept.mark === mark ? kept.values : {};
    } catch {
      // Nothing was given, or it cannot be read: it is asked.
      return {};
    }
  }
}

function secretOf({ folder, server }: Pick<Wanting, 'folder' | 'server'>): string {
  return `nanobot.mcpInputs.${createHash('sha256').update(`${folder}\0${server}`).digest('hex').slice(0, 32)}`;
}
