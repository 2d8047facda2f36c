import { expect, it } from 'vitest';
import { RecallEngine } from '../../../../src/memory/recall/engine.js';
import { nodeFiles } from '../../../../src/platform/nodeFiles.js';
import { IMPROVED, PLAIN, searchBaseline } from '../../../support/recallBaseline.js';
import {
  placeOf,
  readCorpus,
  recallAt,
  writeHome,
  type Corpus,
  type Part,
  type Question,
} from '../../../support/recallCorpus.js';
import { tempHome } from '../../../support/tempHome.js';

async function engineOver(corpus: Pick<Corpus, 'files'>): Promise<RecallEngine> {
  const { home } = await tempHome();
  writeHome(home, { turns: [], questions: [], ...corpus });
  return new RecallEngine({ files: nodeFiles(), home });
}

async function ours(corpus: Corpus): Promise<Map<Question, string[]>> {
  const engine = await engineOver(corpus);
  const found = new Map<Question, string[]>();
  for (const question of corpus.questions) {
    const hits = await engine.search(question.text, { limit: 10, now: Date.parse('2025-01-01') });
    found.set(
      question,
      hits.map(({ source, line }) => placeOf({ file: source.split(/[\\/]/).at(-1) ?? '', line })),
    );
  }
  return found;
}

/** A small home: one session a list, each line "Name: text" at the time given or at noon. */
function talk(...sessions: { at: string; lines: string[] }[]): Pick<Corpus, 'files'> {
  return {
    files: new Map(
      sessions.map(({ at, lines }, number) => [
        `s${String(number)}.jsonl`,
        lines
          .map(
            (content, turn) =>
              `${JSON.stringify({ role: turn % 2 === 0 ? 'user' : 'assistant', content, timestamp: at })}\n`,
          )
          .join(''),
      ]),
    ),
  };
}

async function first(
  home: Pick<Corpus, 'files'>,
  question: string,
  now = '2023-07-01T12:00:00',
): Promise<string | undefined> {
  const engine = await engineOver(home);
  return (await engine.search(question, { limit: 1, now: Date.parse(now) }))[0]?.text;
}

it.each(['held', 'tuned'] as Part[])('beats both baselines clearly on the %s part', async (part) => {
  const corpus = readCorpus(part);
  const found = await ours(corpus);
  for (const count of [5, 10]) {
    const share = recallAt(count, corpus.questions, found);
    const improved = recallAt(count, corpus.questions, searchBaseline(corpus, IMPROVED, 10));
    const plain = recallAt(count, corpus.questions, searchBaseline(corpus, PLAIN, 10));
    expect(share, `the first ${String(count)}`).toBeGreaterThan(improved + 0.1);
    expect(share, `the first ${String(count)}`).toBeGreaterThan(plain + 0.15);
  }
});

it.each(['chinese', 'heldChinese'] as Part[])('is no worse than single characters on the %s part', async (part) => {
  const corpus = readCorpus(part);
  const found = await ours(corpus);
  const plain = searchBaseline(corpus, PLAIN, 10);
  expect(recallAt(5, corpus.questions, found)).toBeGreaterThan(recallAt(5, corpus.questions, plain) + 0.05);
  expect(recallAt(10, corpus.questions, found)).toBeGreaterThanOrEqual(recallAt(10, corpus.questions, plain));
});

it('finds other words for the same thing', async () => {
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: ['Anna: I got the puppy on Sunday', 'Ben: We had soup', 'Anna: The weather is bad'],
  });
  expect(await first(home, 'What animal does she have?')).toContain('puppy');
  expect(await first(home, 'What food did they have?')).toContain('soup');
});

it('finds an answer by the question before it', async () => {
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: [
      'Anna: Lovely light today.',
      'Ben: Which instrument do you play?',
      'Anna: The thing with seventy-six keys, since I was a child.',
      'Ben: I see.',
    ],
  });
  const engine = await engineOver(home);
  const hits = await engine.search('instrument', { limit: 2, now: 0 });
  expect(hits.map(({ text }) => text)).toContain('Anna: The thing with seventy-six keys, since I was a child.');
});

it('prefers what the named person said', async () => {
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: [
      'Anna: I like swimming.',
      'Ben: I like swimming too.',
      'Anna: Nice.',
      'Ben: Yes.',
      'Anna: Good.',
      'Ben: Right.',
    ],
  });
  expect(await first(home, 'Does Ben like swimming?')).toBe('Ben: I like swimming too.');
  expect(await first(home, 'Does Anna like swimming?')).toBe('Anna: I like swimming.');
});

it('learns whose messages are whose from the names that are called', async () => {
  const calls = ['Hey Ben!', 'Hi Anna!', 'Thanks, Ben!', 'Oh Anna, sure.', 'Take care, Ben!', 'Bye Anna!'];
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: [...calls, 'I like fishing a lot.', 'I like fishing as well.'],
  });
  expect(await first(home, 'Does Ben like fishing?')).toBe('I like fishing as well.');
  expect(await first(home, 'Does Anna like fishing?')).toBe('I like fishing a lot.');
});

it('finds by dates that are worked out', async () => {
  const lines = (what: string) => ['Anna: Good day.', `Ben: ${what}`];
  const home = talk(
    { at: '2022-03-10T12:00:00', lines: lines('I went to the fair today.') },
    { at: '2023-05-08T12:00:00', lines: lines('I went to the fair last month.') },
    { at: '2023-06-30T12:00:00', lines: lines('I went to the fair yesterday.') },
  );
  expect(await first(home, 'Who went to the fair in April 2023?')).toContain('last month');
  expect(await first(home, 'Who went to the fair in March 2022?')).toContain('today');
  expect(await first(home, 'Who went to the fair on 29 June 2023?')).toContain('yesterday');
  expect(await first(home, 'Who went to the fair the day before yesterday?', '2023-07-01T12:00:00')).toContain(
    'yesterday',
  );
});

it('counts "last spring" from the last thing said, where nothing was said since', async () => {
  const lines = (what: string) => ['Anna: Good day.', `Ben: ${what}`];
  const home = talk(
    { at: '2019-04-10T12:00:00', lines: lines('Cranes, cranes, nothing but cranes, and that for a whole day.') },
    { at: '2020-04-10T12:00:00', lines: lines('We saw cranes by the lake.') },
    { at: '2020-11-10T12:00:00', lines: lines('It is dark.') },
  );
  expect(await first(home, 'Where were the cranes last spring?', '2026-11-21T12:00:00')).toContain('by the lake');
});

it('prefers a text that says when, where the question asks when', async () => {
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: [
      'Anna: My pottery class began two weeks ago.',
      'Ben: Hm.',
      'Ben: So.',
      'Anna: My pottery class began with dear friends from the old choir downtown.',
    ],
  });
  expect(await first(home, 'When did the pottery class begin?')).toContain('two weeks ago');
  expect(await first(home, 'Did the pottery class begin with friends?')).toContain('dear friends');
});

it('does not take words for one another that only share a stem', async () => {
  const home = talk({ at: '2023-05-08T12:00:00', lines: ['Anna: I am busy, so busy.', 'Ben: My business sells tea.'] });
  expect(await first(home, 'Which business is it?')).toContain('tea');
});

it('finds Chinese, Japanese and Korean by words and by parts of words', async () => {
  const home = talk({
    at: '2023-05-08T12:00:00',
    lines: [
      '我上周在上海找到了新工作',
      '周末去爬山了',
      '昨日、京都でラーメンを食べました',
      '저는 어제 부산에서 회를 먹었어요',
    ],
  });
  expect(await first(home, '他在哪个城市上班？')).toContain('上海');
  expect(await first(home, '登山')).toContain('爬山');
  expect(await first(home, '京都のラーメン')).toContain('京都');
  expect(await first(home, '부산에 갔어요?')).toContain('부산');
});

it('finds a word that is misspelt in the question', async () => {
  const home = talk({ at: '2023-05-08T12:00:00', lines: ['Anna: The trombone is loud.', 'Ben: So it is.'] });
  for (const word of ['trombonne', 'trombne', 'tromvone', 'trmobone'])
    expect(await first(home, `Where is my ${word}?`), word).toContain('trombone');
});
