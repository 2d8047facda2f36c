import type { ModelRequestSeen, Reply, ScriptedCall } from './modelServer.js';

/** The project the killed turns work in. Each call leaves one line of its own in `log` or in `notes.txt`, so that a call that ran twice shows. */
export const KILL_FILES = { 'notes.txt': 'notes\n# end\n' };

/** What the model does in the turn of a message that names it, a step an answer. */
export interface KillTurn {
  steps: ScriptedCall[][];
  answer: string;
}

const run = (word: string): ScriptedCall => ({ name: 'exec', args: { command: `echo ${word} >> log` } });
const look: ScriptedCall = { name: 'read_file', args: { path: 'notes.txt', force: true } };
const change = (word: string): ScriptedCall => ({
  name: 'edit_file',
  args: { path: 'notes.txt', edits: [{ old_text: '# end', new_text: `${word}\n# end` }] },
});

/** A streamed answer with three calls, one an edit and one a command, an answer, and a second turn. */
export const TWO_TURNS: Record<string, KillTurn> = {
  alpha: { steps: [[look, change('edit-alpha'), run('alpha')]], answer: 'The first turn is over. '.repeat(8) },
  beta: { steps: [[run('beta')]], answer: 'The second turn is over. '.repeat(8) },
};

/** A turn of ten calls, some together in one answer. */
export const TEN_CALLS: Record<string, KillTurn> = {
  gamma: {
    steps: [
      [look, change('edit-1'), run('run-1')],
      [run('run-2')],
      [look, look, change('edit-2')],
      [run('run-3'), change('edit-3')],
      [run('run-4')],
    ],
    answer: 'Ten calls are over. '.repeat(8),
  },
};

/**
 * A model without a memory of its own: what it answers follows from the request alone, so it does the same after a restart. It goes on behind
 * the last call of the newest turn that was answered with a result, whatever the result says.
 */
export function scripted(turns: Record<string, KillTurn>): (request: ModelRequestSeen) => Reply {
  return ({ body }) => {
    const from = body.messages.findLastIndex((message) => message.role === 'user');
    const said = JSON.stringify(body.messages[from]?.content);
    const name = Object.keys(turns).findLast((word) => said.includes(word));
    const turn = name === undefined ? undefined : turns[name];
    if (!turn) return { text: 'All is well again.' };
    const answers = body.messages.slice(from + 1).filter((message) => message['tool_calls'] !== undefined);
    const calls = turn.steps[answers.length];
    const at = `${name ?? ''}_${String(answers.length)}`;
    if (!calls) return { text: turn.answer };
    return { text: `Step ${at}. `, toolCalls: calls.map((call, n) => ({ ...call, id: `call_${at}_${String(n)}` })) };
  };
}
