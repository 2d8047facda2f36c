import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Question } from '../../src/protocol/event.js';
import { usePage } from '../pageContext.js';
import { strings } from '../strings.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/fields.js';

/** What Nanobot wants to know before it goes on. */
export function Questions(): VNode {
  const { questions } = usePage().chat.value;
  return (
    <>
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </>
  );
}

function QuestionCard({ question }: { question: Question }): VNode {
  const page = usePage();
  const [own, setOwn] = useState('');
  const [isAnswered, setAnswered] = useState(false);
  const answer = (text: string) => {
    if (isAnswered || text.trim() === '') return;
    setAnswered(true);
    page.post({ type: 'answer', id: question.id, text: text.trim() });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing && event.keyCode !== 229) answer(own);
  };
  return (
    <div class="card question" role="group" aria-label={strings.question}>
      <h3 dir="auto">{question.text}</h3>
      <div class="options">
        {question.options.map((option) => (
          <Button label={option} disabled={isAnswered} onPress={() => answer(option)} />
        ))}
      </div>
      <div class="own">
        <TextField
          label={strings.ownAnswer}
          placeholder={strings.ownAnswer}
          value={own}
          onType={setOwn}
          onKey={onKey}
        />
        <Button label={strings.answer} disabled={isAnswered || own.trim() === ''} onPress={() => answer(own)} />
      </div>
    </div>
  );
}
