import type { AgentEvent, ApprovalDecision, ApprovalRequest, Question } from '../protocol/event.js';

type Emit = (event: AgentEvent) => void;

/**
 * What a session waits for from its person: approvals and questions. Each is announced, and ends with an answer or with the turn's signal; an
 * answer to something that no longer waits is ignored (two windows, a double click).
 */
export class Interaction {
  private readonly approvals = new Map<string, (decision: ApprovalDecision) => void>();
  private readonly questions = new Map<string, (answer: string) => void>();

  constructor(private readonly emit: Emit) {}

  /** Whether anything waits for the person. */
  get waiting(): number {
    return this.approvals.size + this.questions.size;
  }

  /** Asks and waits. An abort counts as a denial. */
  async approve(approval: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
    this.emit({ type: 'approval_start', approval });
    const decision = await waitFor(this.approvals, approval.id, signal);
    const outcome = decision === undefined ? 'aborted' : decision.kind === 'deny' ? 'denied' : 'allowed';
    this.emit({ type: 'approval_end', id: approval.id, decision: outcome });
    return decision ?? { kind: 'deny', reason: 'Stopped by the person.' };
  }

  /** Asks a question; undefined after an abort. */
  async ask(question: Question, signal: AbortSignal): Promise<string | undefined> {
    this.emit({ type: 'question_start', question });
    const answer = await waitFor(this.questions, question.id, signal);
    this.emit({ type: 'question_end', id: question.id, answer: answer ?? '' });
    return answer;
  }

  decide(id: string, decision: ApprovalDecision): void {
    this.approvals.get(id)?.(decision);
  }

  answer(id: string, text: string): void {
    this.questions.get(id)?.(text);
  }
}

function waitFor<T>(waiting: Map<string, (value: T) => void>, id: string, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const settle = (value: T | undefined) => {
      waiting.delete(id);
      signal.removeEventListener('abort', aborted);
      resolve(value);
    };
    const aborted = () => {
      settle(undefined);
    };
    if (signal.aborted) {
      resolve(undefined);
      return;
    }
    waiting.set(id, settle);
    signal.addEventListener('abort', aborted, { once: true });
  });
}
