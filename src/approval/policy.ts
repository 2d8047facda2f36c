import { t } from '@vscode/l10n';
import { reasonOf } from '../platform/reason.js';
import { english, translated, type Translate, type Words } from '../platform/words.js';
import type { ApprovalRule, ApprovalScope } from '../protocol/event.js';
import type { Log, Workspace } from '../platform/ports.js';
import type { Access } from '../runner/tool.js';
import type { CommandLineParser } from './commandLine.js';
import { folderHolding, judgeExec } from './execJudge.js';
import { everyUse, exactly, judgeFile, RESTRICTED_MODE } from './fileJudge.js';
import { openPathJudge, type PathJudge, type Places } from './paths.js';
import { sameRule, type RuleStore, type StoredRule } from './rules.js';
import {
  tightened,
  type ApprovalSettings,
  type Finding,
  type Offers,
  type TurnFacts,
  type Verdict,
} from './verdict.js';

export type { ApprovalSettings, TurnFacts, Verdict } from './verdict.js';

export interface ApprovalDeps {
  /** Read at every decision, so a changed setting counts at once. */
  settings: () => ApprovalSettings;
  workspace: Workspace;
  places: Places;
  rules: RuleStore;
  parser: CommandLineParser;
  log: Log;
  /** Whether commands are written for a POSIX shell. */
  posix: () => boolean;
}

/**
 * Decides what a call may do before it runs: allowed, asked, or denied with a reason. Looks only at what the call says it would do, the
 * settings of the person (never of the workspace), the person's rules, and the turn. On an error of its own it denies.
 */
export class ApprovalPolicy {
  constructor(private readonly deps: ApprovalDeps) {}

  /** Never rejects. An `accesses` list that is empty needs no approval. */
  async decide(tool: string, accesses: readonly Access[], turn: TurnFacts): Promise<Verdict> {
    if (accesses.length === 0) return { kind: 'allow' };
    try {
      const settings = tightened(this.deps.settings(), turn.approval);
      const findings = await this.judge(tool, accesses, turn, settings);
      return verdictOf(tool, findings, turn, settings, this.deps.workspace.trusted());
    } catch (error) {
      this.deps.log.error(`The approval of ${tool} could not be decided.`, error);
      return {
        kind: 'deny',
        reason: `This could not be checked (${reasonOf(error)}), so it was not done. Try it another way, or tell the person; the log has more.`,
      };
    }
  }

  /**
   * Keeps the rule that a person chose under "Allow always…". Rejects in plain words where the rule is not one that was offered, or cannot be
   * kept; the call itself was allowed all the same.
   */
  async remember(
    sessionKey: string,
    tool: string,
    accesses: readonly Access[],
    ruleId: string,
    scope: ApprovalScope,
  ): Promise<void> {
    const turn: TurnFacts = { sessionKey, watched: true, untrusted: false, wroteFromUntrusted: [] };
    const findings = await this.judge(tool, accesses, turn, this.deps.settings());
    const offers = offersOf(findings.filter((finding) => finding.grade !== 'free'));
    const rules = offers.get(ruleId)?.rules;
    if (!rules)
      throw new Error(t('There is no rule "{0}" for {1}. Choose one of those that were offered.', ruleId, tool));
    const folder = this.folderOf(accesses);
    for (const rule of rules) await this.deps.rules.add(rule, scope, sessionKey, folder);
  }

  private folderOf(accesses: readonly Access[]): string | undefined {
    const folders = this.deps.workspace.folders().map((folder) => folder.path);
    const first = accesses[0];
    const path = first?.kind === 'exec' ? first.cwd : first && 'path' in first ? first.path : undefined;
    return folderHolding(path, folders, this.deps.places.ignoreCase);
  }

  private async judge(
    tool: string,
    accesses: readonly Access[],
    turn: TurnFacts,
    settings: ApprovalSettings,
  ): Promise<Finding[]> {
    const { workspace, places, rules } = this.deps;
    const judge = await openPathJudge(workspace, places);
    const stored = await rules.list(turn.sessionKey, this.folderOf(accesses));
    const findings: Finding[] = [];
    for (const access of accesses) findings.push(await this.judgeOne(access, tool, turn, settings, judge, stored));
    return findings;
  }

  private async judgeOne(
    access: Access,
    tool: string,
    turn: TurnFacts,
    settings: ApprovalSettings,
    judge: PathJudge,
    rules: readonly StoredRule[],
  ): Promise<Finding> {
    const { workspace, places, parser, posix } = this.deps;
    switch (access.kind) {
      case 'read':
      case 'write':
      case 'delete': {
        const isFolder = async (path: string) => (await workspace.stat(path))?.type === 'directory';
        return judgeFile(access, tool, { judge, places, settings, rules, trusted: workspace.trusted(), isFolder });
      }
      case 'exec':
      case 'input': {
        const cwd = access.kind === 'exec' ? access.cwd : (workspace.folders()[0]?.path ?? places.userHome);
        const exec: Extract<Access, { kind: 'exec' }> =
          access.kind === 'exec' ? access : { kind: 'exec', command: access.text, cwd };
        const context = {
          parser,
          judge,
          places,
          settings,
          posix: posix(),
          rules,
          wroteFromUntrusted: turn.wroteFromUntrusted,
        };
        const finding = await judgeExec(exec, tool, context, access.kind === 'input');
        const refusal = this.cannotRun();
        return refusal === undefined || finding.grade === 'refused'
          ? finding
          : { ...finding, grade: 'refused', refusal };
      }
      case 'network':
        return outward(access, tool, rules);
      case 'mcp':
        return usingServer(access, tool, rules);
      case 'remember':
        return remembering(access, turn.untrusted || !workspace.trusted());
      case 'schedule':
        return scheduling(access, turn.untrusted || !workspace.trusted());
    }
  }

  private cannotRun(): string | undefined {
    if (!this.deps.workspace.trusted()) return RESTRICTED_MODE;
    if (this.deps.workspace.onDisk()) return undefined;
    return 'This workspace is not on a disk, so no commands can run in it. Use the file tools instead.';
  }
}

function outward(access: Extract<Access, { kind: 'network' }>, tool: string, rules: readonly StoredRule[]): Finding {
  const { url } = access;
  const allowed = rules.some(
    (rule) => rule.tool === tool && rule.prefix === undefined && (rule.exact === undefined || rule.exact === url),
  );
  const offers: Offers = new Map([exactly(tool, url), everyUse(tool)]);
  const title: Words = (t) => t('Reach the network');
  return { access, grade: 'ordinary', title, detail: url, reasons: [], sendsOut: true, allowed, offers };
}

/**
 * A tool of a server or of another extension. A rule is for one tool: where ours stands for several, for the one that is called. And it is for the
 * person's own servers, or for one folder's: a repository may name a server as the person named theirs.
 */
function usingServer(access: Extract<Access, { kind: 'mcp' }>, tool: string, rules: readonly StoredRule[]): Finding {
  const { server, part, folder } = access;
  const rule: StoredRule = {
    tool,
    ...(part === undefined ? {} : { exact: part }),
    ...(folder === undefined ? {} : { from: folder }),
  };
  const whole = part === undefined ? tool : `${part} (${tool})`;
  const label: Words = (t) =>
    folder === undefined
      ? t('every use of {0}', whole)
      : t("every use of {0}, as this workspace's server {1}", whole, server ?? '');
  return {
    access,
    grade: 'ordinary',
    title: (t) =>
      server === undefined ? t('Use a tool of another extension') : t('Use a tool of the MCP server {0}', server),
    detail: access.tool,
    reasons: [],
    sendsOut: true,
    allowed: rules.some((each) => sameRule(each, rule)),
    offers: new Map([['tool', { label, rule }]]),
  };
}

/**
 * The agent's own notes are free, in every mode. Text from outside could ask to be remembered, and later turns would take it for the person's wish: after
 * such text each note is asked, and no rule covers it.
 */
function remembering(access: Extract<Access, { kind: 'remember' }>, untrusted: boolean): Finding {
  return {
    access,
    grade: untrusted ? 'dangerous' : 'free',
    title: (t) => t('Remember this for later chats'),
    detail: access.text,
    reasons: untrusted ? [UNTRUSTED] : [],
    sendsOut: false,
    allowed: false,
    offers: new Map(),
  };
}

/** What the tool says in English. */
const SCHEDULING: Readonly<Record<string, Words>> = {
  'Remove a schedule': (t) => t('Remove a schedule'),
  'Run a schedule now': (t) => t('Run a schedule now'),
};

/** What is scheduled is run or removed unasked, except in read-only mode and after text from outside. */
function scheduling(access: Extract<Access, { kind: 'schedule' }>, untrusted: boolean): Finding {
  return {
    access,
    grade: untrusted ? 'dangerous' : 'edit',
    title: SCHEDULING[access.title] ?? (() => access.title),
    detail: access.id,
    reasons: untrusted ? [UNTRUSTED] : [],
    sendsOut: false,
    allowed: !untrusted,
    offers: new Map(),
  };
}

/** What the mode, the turn and the rules make of the findings. */
function verdictOf(
  tool: string,
  findings: readonly Finding[],
  turn: TurnFacts,
  settings: ApprovalSettings,
  trusted: boolean,
): Verdict {
  const refused = findings.find((finding) => finding.grade === 'refused');
  if (refused) return { kind: 'deny', reason: refused.refusal ?? refused.title(english) };
  if (settings.mode === 'all') return { kind: 'allow' };
  const restrained = settings.mode === 'readonly' ? findings.find((finding) => finding.grade !== 'free') : undefined;
  if (restrained) {
    return {
      kind: 'deny',
      reason: `${restrained.title(english)}: refused, because Nanobot is in read-only mode (nanobot.approval: readonly) and only reads files of the workspace. Say what you would do instead, or ask the person to change the mode.`,
    };
  }
  const untrusted = turn.untrusted || !trusted;
  const asked = findings.filter((finding) => {
    if (untrusted && finding.sendsOut) return true;
    return isAsked(finding, settings) && !finding.allowed;
  });
  const [first] = asked;
  if (!first) return { kind: 'allow' };
  return turn.watched ? question(first, asked, untrusted) : unwatched(tool, first, asked, untrusted);
}

function isAsked(finding: Finding, settings: ApprovalSettings): boolean {
  if (finding.grade === 'dangerous') return true;
  if (settings.mode === 'auto') return false;
  return finding.grade === 'ordinary' || (finding.grade === 'edit' && settings.approveEdits === 'before');
}

const UNTRUSTED: Words = (t) => t('This turn has read text from outside, which may ask for this');

function question(first: Finding, asked: readonly Finding[], untrusted: boolean): Verdict {
  const again = untrusted && asked.some((finding) => finding.sendsOut);
  const diffs = asked.flatMap(({ access }) => (access.kind === 'write' && access.diff ? [access.diff] : []));
  const worst = asked.find((finding) => finding.grade === 'dangerous') ?? first;
  return {
    kind: 'ask',
    title: worst.title(translated),
    detail: [...new Set(asked.map((finding) => finding.detail))].join('\n'),
    reasons: reasonsOf(asked, untrusted, translated),
    ...(diffs.length > 0 ? { diff: diffs.join('\n') } : {}),
    rules: again
      ? []
      : [...offersOf(asked)].map(([id, { labels }]): ApprovalRule => ({ id, label: labels.join(', ') })),
  };
}

function unwatched(tool: string, first: Finding, asked: readonly Finding[], untrusted: boolean): Verdict {
  const reasons = reasonsOf(asked, untrusted, english);
  const why = reasons.length > 0 ? ` (${reasons.join('; ')})` : '';
  return {
    kind: 'deny',
    reason: `${first.title(english)}: ${shorten(first.detail)} needs a person's approval${why}, and nobody watches this turn. Go on without it and say in your answer what is left to do; a person can allow ${tool === 'exec' ? 'the command with the setting nanobot.exec.allow or' : 'it'} with "Allow always…" in a chat.`,
  };
}

function reasonsOf(asked: readonly Finding[], untrusted: boolean, t: Translate): string[] {
  const again = untrusted && asked.some((finding) => finding.sendsOut);
  const reasons = [...asked.flatMap((finding) => finding.reasons), ...(again ? [UNTRUSTED] : [])];
  return [...new Set(reasons.map((reason) => reason(t)))];
}

/** Rules that cover every one of the findings at once, by id. */
function offersOf(findings: readonly Finding[]): Map<string, { labels: string[]; rules: StoredRule[] }> {
  const offers = new Map<string, { labels: string[]; rules: StoredRule[] }>();
  const [first, ...rest] = findings;
  for (const [id, offer] of first?.offers ?? []) {
    const all = [offer, ...rest.flatMap((finding) => finding.offers.get(id) ?? [])];
    if (all.length < findings.length) continue;
    const rules = all
      .map((each) => each.rule)
      .filter((rule, index, list) => list.findIndex((other) => same(other, rule)) === index);
    offers.set(id, { labels: [...new Set(all.map((each) => each.label(translated)))], rules });
  }
  return offers;
}

function same(left: StoredRule, right: StoredRule): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
