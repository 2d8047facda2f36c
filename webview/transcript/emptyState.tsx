import type { VNode } from 'preact';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';

/** What a new conversation shows: where to begin, and what Nanobot works with. */
export function EmptyState(): VNode {
  const page = usePage();
  const setup = page.setup.value;
  const { model } = page.chat.value;
  return (
    <section class="empty">
      <h2>{strings.welcome}</h2>
      <div role="group" aria-label={strings.examples}>
        {setup?.examples.map((example) => (
          <button type="button" class="example" onClick={() => page.sendText(example, [])}>
            {example}
          </button>
        ))}
      </div>
      {setup && !setup.trusted && <p class="notice warning">{strings.restricted}</p>}
      {model?.practice && (
        <div class="notice info">
          <p>{strings.practiceExplained}</p>
          <Button label={strings.nextStep('setKey')} appearance="primary" onPress={() => page.next('setKey', {})} />
          <Button label={strings.nextStep('switchModel')} onPress={() => page.next('switchModel', {})} />
        </div>
      )}
      <ul>
        {model && <li>{strings.modelInUse(model.label)}</li>}
        <li>
          <span>{strings.remembered(setup?.remembered ?? '')}</span>{' '}
          <button type="button" class="link" onClick={() => page.post({ type: 'openMemory' })}>
            {strings.openMemory}
          </button>
        </li>
        <li title={setup?.home}>{strings.homeAt(setup?.home ?? '')}</li>
      </ul>
    </section>
  );
}
