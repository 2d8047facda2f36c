import { t } from '@vscode/l10n';
import type { ApprovalPolicy } from '../approval/policy.js';
import type { TurnFacts } from '../approval/verdict.js';
import { reasonOf } from '../platform/reason.js';
import type { ApprovalDecision, ApprovalRequest } from '../protocol/event.js';
import type { Verdict } from '../runner/run.js';
import { ToolError, type Access, type Tool } from '../runner/tool.js';
import type { Conversation } from './conversation.js';
import type { Proposals } from './proposals.js';

export interface AskingDeps {
  policy: ApprovalPolicy;
  proposals: Pick<Proposals, 'offer' | 'end'>;
  /** A path as people see it. */
  label(path: string): string;
  newId(): string;
}

/** What one turn asks of its person: whether a call may run, what a tool wants to know. */
export class TurnAsking {
  /** By call and path: texts that the person changed before they allowed them. */
  private readonly changed = new Map<string, ReadonlyMap<string, string>>();

  constructor(
    private readonly conversation: Conversation,
    private readonly request: { watched: boolean; controller: AbortController },
    private readonly deps: AskingDeps,
    private readonly facts: () => Pick<TurnFacts, 'untrusted' | 'wroteFromUntrusted'>,
  ) {}

  /** The text that the person wants in place of the one a call asked to write. */
  amended(callId: string, path: string): string | undefined {
    return this.changed.get(callId)?.get(path);
  }

  /** Whether a call may run: by the policy, and where that says so by asking. */
  async approve(tool: Tool, accesses: Access[], callId: string): Promise<Verdict> {
    const { conversation, deps, request } = this;
    const verdict = await deps.policy.decide(tool.name, accesses, {
      sessionKey: conversation.key,
      watched: request.watched,
      approval: conversation.choice.approval,
      ...this.facts(),
    });
    if (verdict.kind === 'allow') return { allow: true };
    if (verdict.kind === 'deny') return { allow: false, reason: verdict.reason };
    const approval: ApprovalRequest = {
      id: deps.newId(),
      callId,
      tool: tool.name,
      title: verdict.title,
      detail: verdict.detail,
      reasons: verdict.reasons,
      rules: verdict.rules,
      ...(verdict.diff ? { diff: verdict.diff } : {}),
    };
    const decision = await this.decided(approval, accesses);
    if (decision.kind === 'deny') {
      const words = decision.reason ? ` They said: ${decision.reason}` : '';
      return {
        allow: false,
        reason: `The person denied this.${words} Do not try the same in another way; ask or go on without it.`,
      };
    }
    if (decision.kind === 'always') {
      await deps.policy
        .remember(conversation.key, tool.name, accesses, decision.ruleId, decision.scope)
        .catch((cause: unknown) => {
          // The call was allowed all the same; only the rule could not be kept.
          conversation.notice('rule', 'warning', t('The rule could not be kept: {0}', reasonOf(cause)));
        });
    }
    return { allow: true };
  }

  /** Asks, with the texts that would be written at hand: what the person changed in them is what the call writes. */
  private async decided(approval: ApprovalRequest, accesses: readonly Access[]): Promise<ApprovalDecision> {
    const { conversation, deps } = this;
    const proposals = accesses.flatMap((access) =>
      access.kind === 'write' && access.after !== undefined
        ? [{ path: access.path, label: deps.label(access.path), text: access.after }]
        : [],
    );
    if (proposals.length === 0) return conversation.interaction.approve(approval, this.signal);
    deps.proposals.offer(approval.id, conversation.key, proposals);
    try {
      const files = proposals.map(({ path, label }) => ({ path, label }));
      return await conversation.interaction.approve({ ...approval, proposals: files }, this.signal);
    } finally {
      this.changed.set(approval.callId, deps.proposals.end(approval.id));
    }
  }

  /** Asks a question for a tool. Throws a `ToolError` where nobody watches, or the turn is stopped. */
  async ask(callId: string, text: string, options: string[]): Promise<string> {
    if (!this.request.watched)
      throw new ToolError('Nobody is watching this turn, so nothing can be asked. Decide yourself or stop.');
    const question = { id: this.deps.newId(), callId, text, options };
    const answer = await this.conversation.interaction.ask(question, this.signal);
    if (answer === undefined) throw new ToolError('Stopped before the person answered.');
    return answer;
  }

  /** See `ToolContext.askSave`. */
  async askSave(callId: string, files: string[]): Promise<'save' | 'run'> {
    if (!this.request.watched) return 'run';
    const named = files.slice(0, 3).join(', ');
    const rest = files.length - 3;
    const question =
      rest > 0
        ? t('A command is about to run, and these files have unsaved changes: {0} and {1} more', named, rest)
        : t('A command is about to run, and these files have unsaved changes: {0}', named);
    const [save, run] = [t('Save'), t('Run anyway')];
    const chosen = await this.ask(callId, question, [save, run]);
    if (chosen !== save && chosen !== run) {
      const names = rest > 0 ? `${named} and ${String(rest)} more` : named;
      throw new ToolError(`The command was not run: of the unsaved changes in ${names} the person said: ${chosen}`);
    }
    return chosen === save ? 'save' : 'run';
  }

  private get signal(): AbortSignal {
    return this.request.controller.signal;
  }
}
