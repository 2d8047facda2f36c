import { describe, expect, it } from 'vitest';
import { nodeClock } from '../../src/platform/nodeClock.js';
import type { StoredMessage } from '../../src/protocol/message.js';
import type { AppLab, LabOptions } from '../support/appLab.js';
import { historyLines, isConsolidation, seedSession, SMALL_WINDOW, turns } from '../support/consolidation.js';
import { expectGolden, normalise } from '../support/golden.js';
import type { ModelServer, Reply, SeenBody } from '../support/modelServer.js';
import { expectPaired, expectSameOnDisk, served } from '../support/served.js';
import { tempHome } from '../support/tempHome.js';
import { until } from '../support/until.js';

/** A chat on a small window whose model answers the n-th consolidation, counted from 1, as told. */
async function chat(
  messages: StoredMessage[],
  consolidation: (n: number) => Reply,
  options: LabOptions = {},
): Promise<{ lab: AppLab; server: ModelServer }> {
  const { root } = await tempHome();
  if (messages.length > 0) seedSession(`${root}/workspace`, 'vscode:test', messages, { metadata: { title: 'Tea' } });
  let n = 0;
  const script = (request: { body: SeenBody }) =>
    isConsolidation(request) ? { usage: null, ...consolidation(++n) } : { usage: null, text: 'A fine answer.' };
  // Where the built-in skills lie differs from machine to machine, and so does what they weigh in a small window.
  const ports = { builtInSkills: `${root}/no-skills`, ...options.ports };
  return served(script, { ...options, root, settings: SMALL_WINDOW, ports });
}

const both = (n: number): Reply => ({
  text: `<facts>\n- Fact number ${String(n)}.\n</facts>\n\n<summary>\nGoal: tea, part ${String(n)}.\n</summary>`,
});

/** What the person saw of it, what the model was sent, and what stands on disk; what a chat consists of otherwise is left out. */
function transcript(lab: AppLab, { requests }: ModelServer): string {
  const shown = new Set(['user_message', 'turn_start', 'text', 'turn_end', 'compaction', 'notice', 'switch_session']);
  const events = lab.events.filter(({ type }) => shown.has(type)).map(({ type, ...rest }) => `${type} ${line(rest)}`);
  const metadata = lab.lines().filter((each) => each['_type'] === 'metadata');
  const text = [
    '# Events',
    ...events,
    '',
    '# Requests',
    ...requests.map(({ body }) => requestText(body)),
    '',
    `# Session file: ${String(lab.stored().length)} messages, metadata lines`,
    ...metadata.map(line),
    '',
    '# history.jsonl',
    ...historyLines(lab.home).map(line),
  ].join('\n');
  return `${normalise(text, lab).replace(/today is \d{4}-\d\d-\d\d/g, 'today is <date>')}\n`;
}

function requestText({ messages }: SeenBody): string {
  const sent = messages.filter(({ role }) => role !== 'system');
  const head = sent.slice(0, 3).map((message) => `  ${line(message)}`);
  const tail = sent.slice(Math.max(3, sent.length - 2)).map((message) => `  ${line(message)}`);
  return [`${String(sent.length)} messages`, ...head, ...(sent.length > 5 ? ['  …'] : []), ...tail, '  --'].join('\n');
}

function line(value: object): string {
  return JSON.stringify(value)
    .replace(/(?:tea ){4,}/g, 'tea … ')
    .replace(/"timestamp":"\d{4}-\d\d-\d\d \d\d:\d\d"/g, '"timestamp":"<time>"');
}

describe('consolidation', () => {
  it('in one round, before a turn', async () => {
    const { lab, server } = await chat(turns(20, 800), both);
    expect((await lab.say('and now?')).status).toBe('done');
    expectPaired(server);
    await expectSameOnDisk(lab);
    expectGolden('consolidation-one-round', transcript(lab, server));
  });

  it('in five rounds, all of whose summaries stay', async () => {
    const { lab, server } = await chat(turns(200, 160), both);
    expect((await lab.say('and now?')).status).toBe('done');
    expect(server.requests).toHaveLength(6);
    expectGolden('consolidation-five-rounds', transcript(lab, server));
  });

  it('of a model that gives nothing usable: the messages are kept as they are', async () => {
    const { lab, server } = await chat(turns(20, 800), () => ({ text: '<facts>\n- half', stopReason: 'length' }));
    expect((await lab.say('and now?')).status).toBe('done');
    expectGolden('consolidation-raw', transcript(lab, server));
  });

  it('of a model that cannot be asked: the turn runs, and the card says what is left out', async () => {
    const refused = { status: 401, body: { error: { message: 'invalid key', type: 'authentication_error' } } };
    const { lab, server } = await chat(turns(20, 800), () => refused);
    expect((await lab.say('and now?')).status).toBe('done');
    expectGolden('consolidation-refused', transcript(lab, server));
  });

  it('of an idle chat: facts alone', async () => {
    const waiting = new Set<() => void>();
    const clock = nodeClock();
    const patient = {
      ...clock,
      after: (ms: number, run: () => void) => {
        if (ms < 600_000) return clock.after(ms, run);
        waiting.add(run);
        return { dispose: () => waiting.delete(run) };
      },
      now: () => clock.now() + passed,
    };
    let passed = 0;
    const { lab, server } = await chat([], () => ({ text: '<facts>\n- Drinks tea.\n</facts>' }), {
      ports: { clock: patient },
    });
    await lab.say('I drink tea');
    passed = 15 * 60_000;
    for (const run of [...waiting]) run();
    await until('the mark', () => lab.lines().some((each) => JSON.stringify(each).includes('"archivedTo":2')));
    await lab.say('and biscuits');
    expectGolden('consolidation-idle', transcript(lab, server));
  });

  it('by /compact, then /new', async () => {
    const { lab, server } = await chat(turns(3, 20), both);
    lab.publish('/compact');
    await lab.event('compaction', ({ status }) => status === 'done');
    lab.publish('/new');
    await until('the facts of the rest', () => historyLines(lab.home).length === 2);
    await lab.app.compaction.settled(lab.session);
    expectGolden('consolidation-new', transcript(lab, server));
  });
});
