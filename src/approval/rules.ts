import { t } from '@vscode/l10n';
import * as z from 'zod';
import type { ApprovalScope } from '../protocol/event.js';
import type { Clock, Files, Log } from '../platform/ports.js';
import type { Leases } from '../session/lease.js';
import { withLease } from '../session/withLease.js';
import { isWindowsPath, styleOf } from './pathText.js';

/** What a person allowed for good. Neither `exact` nor `prefix`: every use of the tool that is not dangerous. */
export interface StoredRule {
  tool: string;
  /** The command line, path or address, whole; or the one tool of several that ours stands for. */
  exact?: string | undefined;
  /** The first words of a command. */
  prefix?: string[] | undefined;
  /** The workspace folder whose MCP server it is for; absent for the person's own. */
  from?: string | undefined;
}

const ruleSchema = z.looseObject({
  tool: z.string(),
  exact: z.string().optional(),
  prefix: z.array(z.string()).min(1).optional(),
  from: z.string().optional(),
});
/** Lists by workspace folder, or `*` for everywhere. Fields that are not known survive. */
const fileSchema = z.looseObject({ version: z.number(), rules: z.record(z.string(), z.array(z.unknown())) });
type RulesFile = z.output<typeof fileSchema>;

const EVERYWHERE = '*';
const LEASE = 'approvals';
/** Milliseconds to wait for another window that writes the file at the same moment. */
const WAIT_MS = 3_000;

/**
 * The rules that people made with "Allow always…": in memory for a session, in the home's `.nanobot/approvals.json` for a workspace or
 * everywhere. The file is read again whenever it changed, so another window's rules count at once, and written under a lease after reading it
 * anew, so two windows lose nothing. A file that cannot be understood is set aside with a notice and never overwritten.
 */
export class RuleStore {
  private readonly sessions = new Map<string, StoredRule[]>();
  private cache: { stamp: string; file: RulesFile } | undefined;

  constructor(
    private readonly deps: {
      files: Files;
      clock: Clock;
      leases: Pick<Leases, 'acquire' | 'release'>;
      /** The agent's home. */
      home: string;
      log: Log;
      /** Tells the person something in plain words. */
      notify: (text: string) => void;
      /** True where the disk takes `A` and `a` for the same name. */
      ignoreCase: boolean;
    },
  ) {}

  /** Rules in force for a session in a workspace folder (undefined without one). Never rejects: rules that cannot be read allow nothing. */
  async list(sessionKey: string, folder: string | undefined): Promise<StoredRule[]> {
    const session = this.sessions.get(sessionKey) ?? [];
    try {
      const { rules } = await this.read();
      const keys = Object.keys(rules).filter(
        (key) => key === EVERYWHERE || (folder !== undefined && this.same(key, folder)),
      );
      const stored = keys.flatMap((key) => (rules[key] ?? []).flatMap((rule) => ruleSchema.safeParse(rule).data ?? []));
      return [...session, ...stored];
    } catch (error) {
      this.deps.log.error(`The rules in ${this.path()} could not be read; none of them counts.`, error);
      return session;
    }
  }

  /**
   * Keeps a rule. Scope `workspace` without a folder is kept for the session. Rejects in plain words where the file cannot be written; nothing
   * is kept then.
   */
  async add(rule: StoredRule, scope: ApprovalScope, sessionKey: string, folder: string | undefined): Promise<void> {
    const key = scope === 'everywhere' ? EVERYWHERE : scope === 'workspace' ? folder : undefined;
    if (key === undefined) {
      this.sessions.set(sessionKey, [...(this.sessions.get(sessionKey) ?? []), rule]);
      return;
    }
    await this.write(key, rule);
  }

  /** Forgets what was allowed for one session. */
  endSession(sessionKey: string): void {
    this.sessions.delete(sessionKey);
  }

  private path(): string {
    return styleOf(this.deps.home).join(this.deps.home, '.nanobot', 'approvals.json');
  }

  private same(left: string, right: string): boolean {
    const fold = (path: string) => {
      const clean = styleOf(path)
        .normalize(path)
        .replace(/(.)[\\/]+$/, '$1');
      return this.deps.ignoreCase || isWindowsPath(path) ? clean.toLowerCase() : clean;
    };
    return fold(left) === fold(right);
  }

  private async write(key: string, rule: StoredRule): Promise<void> {
    const { leases, clock, files } = this.deps;
    const busy = () =>
      new Error(t('The rule was not kept: another window is writing {0}. Allow it again in a moment.', this.path()));
    const work = async () => {
      this.cache = undefined;
      const file = await this.read();
      const existing = Object.keys(file.rules).find(
        (candidate) => candidate === key || (key !== EVERYWHERE && this.same(candidate, key)),
      );
      const list = file.rules[existing ?? key] ?? [];
      if (list.some((each) => sameRule(each, rule))) return;
      const rules = { ...file.rules, [existing ?? key]: [...list, rule] };
      await files.writeAtomic(this.path(), `${JSON.stringify({ ...file, rules }, null, 2)}\n`);
      this.cache = undefined;
    };
    await withLease(leases, LEASE, clock, work, { busy, waitMs: WAIT_MS });
  }

  private async read(): Promise<RulesFile> {
    const { files } = this.deps;
    const stat = await files.stat(this.path());
    if (!stat) return { version: 1, rules: {} };
    const stamp = `${stat.mtime} ${stat.size}`;
    if (this.cache?.stamp === stamp) return this.cache.file;
    const text = new TextDecoder().decode(await files.read(this.path())).replace(/^\ufeff/, '');
    const file = parseFile(text);
    if (!file) return this.setAside();
    this.cache = { stamp, file };
    return file;
  }

  private async setAside(): Promise<RulesFile> {
    const { files, clock, log, notify } = this.deps;
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]/g, '').replace(/\..*$/, 'Z');
    const aside = `${this.path()}.corrupt-${stamp}`;
    await files.rename(this.path(), aside);
    this.cache = undefined;
    log.warn(`approvals.json could not be understood and was set aside as ${aside}.`);
    notify(
      t(
        "Nanobot's list of allowed actions could not be read. It was set aside as {0}; you will be asked again until you fix it and move it back.",
        aside,
      ),
    );
    return { version: 1, rules: {} };
  }
}

function parseFile(text: string): RulesFile | undefined {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Not JSON: the caller sets the file aside and says so.
  }
}

/** Whether what is stored says the same as the rule. */
export function sameRule(stored: unknown, rule: StoredRule): boolean {
  const parsed = ruleSchema.safeParse(stored).data;
  if (!parsed) return false;
  return (
    parsed.tool === rule.tool &&
    parsed.exact === rule.exact &&
    parsed.from === rule.from &&
    JSON.stringify(parsed.prefix) === JSON.stringify(rule.prefix)
  );
}
