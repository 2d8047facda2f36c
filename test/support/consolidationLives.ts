import { beginAnew } from '../../src/memory/sessionMarks.js';
import { products, questionsIn, turns, type Answers, type ConsolidationLab } from './consolidation.js';

/** Turns of the chat that is consolidated. */
export const TURNS = 60;

/** Says of which questions it was told, so that what is noted twice, or not at all, shows. */
export const answers: Answers = ({ messages }) => {
  const told = questionsIn(messages).join(' ');
  return products(`- noted ${told}`, `summed ${told}`);
};

export type Life = (lab: ConsolidationLab) => Promise<unknown>;

const signal = () => new AbortController().signal;

export const fit: Life = ({ consolidator, session, frame, card }) =>
  consolidator.fit(session, frame, { signal: signal(), card });
export const archive: Life = ({ consolidator, session, frame }) =>
  consolidator.archive(session, frame, { signal: signal() });

/** What a process does before it is killed. Knows nothing of the test runner, so that a process of its own can use it too. */
export const LIVES: Record<string, Life> = {
  'several rounds': fit,
  'facts alone, then rounds': async (lab) => {
    await archive(lab);
    await lab.session.append(turns(30, 200, TURNS));
    await fit(lab);
  },
  '/new': async (lab) => {
    await fit(lab);
    await beginAnew(lab.session);
    await archive(lab);
  },
};
