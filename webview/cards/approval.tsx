import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApprovalDecision, ApprovalRequest, ApprovalScope } from '../../src/protocol/event.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Diff } from '../transcript/diff.js';
import { Button } from '../ui/button.js';

const SCOPES: ApprovalScope[] = ['session', 'workspace', 'everywhere'];

/** The oldest waiting approval; the others follow one by one. */
export function Approvals(): VNode | null {
  const { approvals } = usePage().chat.value;
  const [first] = approvals;
  return first ? <Approval key={first.id} approval={first} more={approvals.length - 1} /> : null;
}

/** What Nanobot asks to do, whole, with the choice. It never takes the focus: a person may be typing. */
function Approval({ approval, more }: { approval: ApprovalRequest; more: number }): VNode {
  const page = usePage();
  const [isChoosing, setChoosing] = useState(false);
  // Until the host confirms, a second press must not answer the next request.
  const [isDecided, setDecided] = useState(false);
  const decide = (decision: ApprovalDecision) => {
    if (isDecided) return;
    setDecided(true);
    page.post({ type: 'approval', id: approval.id, decision });
  };
  return (
    <div class="card approval" role="group" aria-label={strings.approval} data-tool={approval.tool}>
      <h3>
        {approval.title}
        {more > 0 && <em>{strings.moreApprovals(more)}</em>}
      </h3>
      {approval.reasons.map((reason) => (
        <p class="reason">{reason}</p>
      ))}
      <pre class="detail" tabIndex={0}>
        {approval.detail}
      </pre>
      {approval.diff && <Diff text={approval.diff} label={strings.toolDiff} />}
      {approval.proposals?.map(({ path, label }) => (
        <button type="button" class="link" onClick={() => page.post({ type: 'openProposal', id: approval.id, path })}>
          {strings.openProposal(label)}
        </button>
      ))}
      {isChoosing ? (
        <AlwaysChoice approval={approval} onDecide={decide} onCancel={() => setChoosing(false)} />
      ) : (
        <div class="buttons">
          <Button
            label={strings.allow}
            appearance="primary"
            disabled={isDecided}
            title={strings.approvalKeys}
            onPress={() => decide({ kind: 'allow' })}
          />
          {approval.rules.length > 0 && (
            <Button label={strings.allowAlways} disabled={isDecided} onPress={() => setChoosing(true)} />
          )}
          <Button label={strings.deny} disabled={isDecided} onPress={() => decide({ kind: 'deny' })} />
        </div>
      )}
    </div>
  );
}

interface AlwaysChoiceProps {
  approval: ApprovalRequest;
  onDecide: (decision: ApprovalDecision) => void;
  onCancel: () => void;
}

/** Which rule, and where it holds; the narrowest of both is chosen first. */
function AlwaysChoice({ approval, onDecide, onCancel }: AlwaysChoiceProps): VNode {
  const [ruleId, setRule] = useState(approval.rules[0]?.id ?? '');
  const [scope, setScope] = useState<ApprovalScope>('session');
  return (
    <div class="always">
      <Choice
        legend={strings.alwaysWhat}
        name={`rule-${approval.id}`}
        options={approval.rules.map(({ id, label }) => ({ value: id, label }))}
        chosen={ruleId}
        onChoose={setRule}
        autofocus
      />
      <Choice
        legend={strings.alwaysWhere}
        name={`scope-${approval.id}`}
        options={SCOPES.map((value) => ({ value, label: strings.scopes[value] }))}
        chosen={scope}
        onChoose={setScope}
      />
      <div class="buttons">
        <Button
          label={strings.confirmAlways}
          appearance="primary"
          onPress={() => onDecide({ kind: 'always', ruleId, scope })}
        />
        <Button label={strings.cancel} onPress={onCancel} />
      </div>
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  legend: string;
  name: string;
  options: { value: Value; label: string }[];
  chosen: Value;
  onChoose: (value: Value) => void;
  autofocus?: boolean;
}

function Choice<Value extends string>(props: ChoiceProps<Value>): VNode {
  const { legend, name, options, chosen, onChoose, autofocus } = props;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(({ value, label }, index) => (
        <label>
          <input
            type="radio"
            name={name}
            checked={value === chosen}
            autofocus={autofocus === true && index === 0}
            onChange={() => onChoose(value)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
