import { t } from '@vscode/l10n';
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Files, Log, Ui } from '../platform/ports.js';
import { describeTarget, type McpServer } from './config.js';

const fileSchema = z.looseObject({ version: z.number(), allowed: z.record(z.string(), z.array(z.string())) });

/** Characters of a question that are certain to be shown whole. */
const LONGEST = 900;

/**
 * What a person said to servers that came with a workspace. A yes is kept in the home, for this folder and this very definition: a changed one is asked again.
 * A no, or no answer, lasts as long as the process.
 */
export class Consent {
  private readonly asked = new Map<string, 'waiting' | 'refused' | 'allowed'>();
  private allowed: Promise<Record<string, string[]>> | undefined;

  constructor(
    private readonly deps: {
      files: Pick<Files, 'read' | 'writeAtomic'>;
      ui: Pick<Ui, 'notify'>;
      log: Log;
      /** The file in the home that keeps what was allowed. */
      path: string;
      /** Called after the person allowed a server. */
      allowed(): void;
    },
  ) {}

  /** Whether the server may be started. Where that is not known yet the person is asked, without waiting for the answer. */
  async check(folder: string, server: McpServer): Promise<'allowed' | 'waiting' | 'refused'> {
    const mark = markOf(server);
    this.allowed ??= this.read();
    if ((await this.allowed)[folder]?.includes(mark)) return 'allowed';
    const key = `${folder}\0${mark}`;
    const known = this.asked.get(key);
    if (known) return known;
    this.asked.set(key, 'waiting');
    void this.ask(key, folder, server);
    return 'waiting';
  }

  private async ask(key: string, folder: string, server: McpServer): Promise<void> {
    const text =
      server.target.kind === 'stdio'
        ? t(
            'Nanobot: this workspace\'s .vscode/mcp.json wants to run this program on your machine as the MCP server "{0}": {1}',
            server.name,
            wholeTarget(server),
          )
        : t(
            'Nanobot: this workspace\'s .vscode/mcp.json wants to reach this address as the MCP server "{0}": {1}',
            server.name,
            wholeTarget(server),
          );
    if (text.length > LONGEST) {
      this.deps.log.warn(
        `The MCP server ${server.name} of this workspace is not started: its command is too long to be shown before.`,
      );
      this.asked.set(key, 'refused');
      return;
    }
    const start = t({ message: 'Start', comment: 'a server' });
    const chosen = await this.deps.ui.notify('warning', text, [start, t('Not now')]).catch(() => undefined);
    this.asked.set(key, chosen === start ? 'allowed' : 'refused');
    if (chosen !== start) return;
    await this.keep(folder, markOf(server)).catch((cause: unknown) => {
      this.deps.log.warn(
        `That an MCP server was allowed could not be kept, so it is asked again next time: ${String(cause)}`,
      );
    });
    this.deps.allowed();
  }

  private async keep(folder: string, mark: string): Promise<void> {
    const allowed = await this.read();
    const next = { ...allowed, [folder]: [...new Set([...(allowed[folder] ?? []), mark])] };
    this.allowed = Promise.resolve(next);
    await this.deps.files.writeAtomic(this.deps.path, `${JSON.stringify({ version: 1, allowed: next }, null, 2)}\n`);
  }

  /** What cannot be read allows nothing. */
  private async read(): Promise<Record<string, string[]>> {
    try {
      const text = new TextDecoder().decode(await this.deps.files.read(this.deps.path));
      return fileSchema.parse(JSON.parse(text)).allowed;
    } catch {
      return {};
    }
  }
}

/** What is agreed to: the program with the variables it is given, the person's own by their names, and where it runs, or the address and the names of the headers it is sent. */
function wholeTarget(server: McpServer): string {
  const target = server.shown ?? server.target;
  if (target.kind === 'http') {
    const headers = Object.keys(target.headers);
    return headers.length === 0 ? target.url : t('{0} with the headers {1}', target.url, headers.join(', '));
  }
  const variables = Object.entries(target.env).map(([name, value]) => `${name}=${value}`);
  const file = target.envFile ? [t('(with the variables of {0})', target.envFile)] : [];
  return [
    ...variables,
    describeTarget(server),
    ...file,
    ...(target.cwd ? [t({ message: '(in {0})', args: [target.cwd], comment: 'the folder a program runs in' })] : []),
  ].join(' ');
}

/** Of what was shown: another value of the person's own variable is no other server. */
export function markOf({ name, target, shown }: McpServer): string {
  return createHash('sha256')
    .update(JSON.stringify([name, shown ?? target]))
    .digest('hex');
}
