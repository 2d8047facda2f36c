import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentEvent, Compaction } from '../../../src/protocol/event.js';
import { nodeClock } from '../../../src/platform/nodeClock.js';
import type { Clock } from '../../../src/platform/ports.js';
import type { StoredMessage } from '../../../src/protocol/message.js';
import { SessionStore } from '../../../src/session/store.js';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';
import { nodeIdentity } from '../../../src/platform/nodeIdentity.js';
import { appLab, type AppLab, type LabOptions } from '../../support/appLab.js';
import { historyLines, isConsolidation, seedSession, SMALL_WINDOW, turns } from '../../support/consolidation.js';
import type { ModelRequestSeen, Reply, Script } from '../../support/modelServer.js';
import { expectNextTurn, expectPaired, expectSameOnDisk, served } from '../../support/served.js';
import { tempHome } from '../../support/tempHome.js';
import { until } from '../../support/until.js';

const PRODUCTS = '<facts>\n- Drinks tea.\n</facts>\n<summary>\nGoal: tea.\n</summary>';
const FACTS = '<facts>\n- Drinks tea.\n</facts>';
/** A chat that fills the small window. */
const LONG = turns(20, 800);

/** Answers questions with words and consolidations with both products, or as told. Usage is left out: it would correct the estimates. */
function model(more: { consolidation?: Reply | ((n: number) => Reply); answer?: Reply } = {}): Script {
  let n = 0;
  return (request) => {
    if (!isConsolidation(request)) return { usage: null, text: 'All is well.', ...more.answer };
    const { consolidation } = more;
    const reply = typeof consolidation === 'function' ? consolidation(n++) : consolidation;
    return { usage: null, ...(reply ?? { text: PRODUCTS }) };
  };
}

async function chat(script: Script, messages: StoredMessage[] = LONG, options: LabOptions & { key?: string } = {}) {
  const root = options.root ?? (await tempHome()).root;
  const session = options.key ?? 'vscode:test';
  if (messages.length > 0) seedSession(`${root}/workspace`, session, messages, { metadata: { title: 'Tea' } });
  return served(script, { ...options, root, session, settings: { ...SMALL_WINDOW, ...options.settings } });
}

const cards = ({ events }: AppLab) =>
  events.filter((event): event is { type: 'compaction' } & Compaction => event.type === 'compaction');
const state = async (lab: AppLab) => (await lab.app.loop.conversation(lab.session)).state;
const metadata = async (lab: AppLab) => (await lab.app.loop.conversation(lab.session)).session.metadata;
const asked = (requests: ModelRequestSeen[]) => requests.filter(isConsolidation);
const textOf = (request: ModelRequestSeen | undefined) => JSON.stringify(request?.body.messages);
const notices = (events: AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.notice.text] : []));

/** The machine's clock, but for waits of minutes, which end when the test says so. */
function patientClock(): { clock: Clock; waiting(): number; pass(): void } {
  const clock = nodeClock();
  const timers = new Set<{ run: () => void }>();
  let passed = 0;
  return {
    clock: {
      ...clock,
      now: () => clock.now() + passed,
      after: (ms, run) => {
        if (ms < 600_000) return clock.after(ms, run);
        const timer = { run };
        timers.add(timer);
        return { dispose: () => timers.delete(timer) };
      },
    },
    waiting: () => timers.size,
    pass: () => {
      passed += 15 * 60_000;
      for (const timer of [...timers]) {
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

describe('a chat that has outgrown the window', () => {
  it('is summarised before the turn, which then begins with the summary, and a card tells', async () => {
    const { lab, server } = await chat(model());
    expect((await lab.say('and now?')).status).toBe('done');
    expect(server.requests.map(isConsolidation)).toEqual([true, false]);
    expect(cards(lab).map(({ status }) => status)).toEqual(['running', 'done']);
    const done = cards(lab)[1];
    expect(done).toMatchObject({ after: 'message-1', summary: 'Goal: tea.' });
    expect(done?.messages).toBe((await metadata(lab)).last_consolidated);
    const [first] = server.requests[1]?.body.messages.filter(({ role }) => role === 'user') ?? [];
    expect(JSON.stringify(first)).toMatch(/Summary of the earlier part.*Goal: tea\./);
    expect(textOf(server.requests[1])).not.toContain('question 0.');
    expect(historyLines(lab.home)).toMatchObject([
      { content: '- Drinks tea.', session_key: 'vscode:test', project: lab.project },
    ]);
    expectPaired(server);
    await expectSameOnDisk(lab);
  });

  it('asks with the same system text, tools and beginning as a turn, so that the cache hits', async () => {
    const { lab, server } = await chat(model(), turns(20));
    await lab.say('one');
    await lab.app.loop.conversation(lab.session).then((found) => lab.app.compaction.compact(found));
    expect(await lab.app.compaction.settled(lab.session)).toBe(true);
    const [turn, consolidation] = server.requests;
    expect(consolidation?.body.tools).toEqual(turn?.body.tools);
    const wire = consolidation?.body.messages ?? [];
    expect(turn?.body.messages.slice(0, wire.length - 1)).toEqual(wire.slice(0, -1));
    expect(consolidation?.body['tool_choice']).toBeUndefined();
  });

  it("keeps the prompt's beginning the same from turn to turn after it", async () => {
    const { lab, server } = await chat(model());
    await lab.say('one');
    await lab.say('two');
    const [, first, second] = server.requests.map(({ body }) => body.messages);
    expect(second?.slice(0, first?.length)).toEqual(first);
  });

  it('shows its card again after a restart, and goes on with the summary', async () => {
    const { lab } = await chat(model());
    await lab.say('one');
    const { compaction } = await state(lab);
    await lab.close();
    const again = await served(model(), { root: lab.root, settings: SMALL_WINDOW });
    expect((await state(again.lab)).compaction).toEqual(compaction);
    await again.lab.say('two');
    expect(textOf(again.server.requests[0])).toContain('Goal: tea.');
  });

  it('reads files again that it had read before they left the prompt', async () => {
    const { lab } = await chat(model());
    const conversation = await lab.app.loop.conversation(lab.session);
    const before = conversation.reads;
    await lab.say('one');
    expect(conversation.reads).not.toBe(before);
  });

  it('is summarised in the background when a turn has filled it, and the next turn waits for that', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { lab, server } = await chat(
      model({ answer: { text: 'tea '.repeat(6_000) }, consolidation: { text: PRODUCTS, gate: () => gate } }),
      turns(15, 800),
    );
    expect((await lab.say('tell me much')).status).toBe('done');
    await server.received(2);
    expect(asked(server.requests)).toHaveLength(1);
    server.setScript(model());
    const ended = lab.say('and now?');
    await until('the turn to begin', async () => (await state(lab)).turn);
    expect(server.requests).toHaveLength(2);
    open();
    expect((await ended).status).toBe('done');
    expect(textOf(server.requests.at(-1))).toContain('Goal: tea.');
  });

  it('of 10,000 messages goes on after five requests, with one card and nothing else to see', async () => {
    const { lab, server } = await chat(model(), turns(5_000, 160));
    expect((await lab.say('and now?')).status).toBe('done');
    const turn = server.requests[5];
    expect(server.requests.slice(0, 6).map(isConsolidation)).toEqual([true, true, true, true, true, false]);
    const before = lab.events.slice(
      0,
      lab.events.findIndex(({ type }) => type === 'turn_end'),
    );
    expect(cards({ ...lab, events: before }).map(({ status, messages }) => [status, messages])).toEqual([
      ...[60, 120, 180, 240, 300].map((count) => ['running', count]),
      ['done', 300],
    ]);
    expect(new Set(cards({ ...lab, events: before }).map(({ id }) => id)).size).toBe(1);
    expect(notices(lab.events)).toEqual([]);
    expect(turn?.body.messages.at(-1)?.content).toMatch(/^and now\?/);
    expect(textOf(turn)).toContain('Goal: tea.');
    expect(turn?.bytes).toBeLessThan(80_000);
    expectPaired(server);
  });

  it('can be stopped while it is summarised', async () => {
    const { lab, server } = await chat(model({ consolidation: { text: PRODUCTS, stall: 1 } }));
    const ended = lab.say('and now?');
    await server.received(1);
    lab.app.loop.stop(lab.session);
    expect((await ended).status).toBe('aborted');
    expect((await state(lab)).compaction).toMatchObject({ status: 'failed', error: { code: 'stopped' } });
    await until('the request to end', () => server.aborted() > 0);
    server.setScript(model());
    expect((await lab.say('again')).status).toBe('done');
    expect((await state(lab)).compaction).toMatchObject({ status: 'done' });
  });

  it('asks again in words only where the model calls a tool in place of answering', async () => {
    const call = { toolCalls: [{ name: 'exec', args: { command: 'echo no > made' } }] };
    const { lab, server } = await chat(model({ consolidation: (n) => (n === 0 ? call : { text: PRODUCTS }) }));
    expect((await lab.say('and now?')).status).toBe('done');
    expect(asked(server.requests).map(({ body }) => body['tool_choice'])).toEqual([undefined, 'none']);
    expect(() => lab.text('made')).toThrow();
  });
});

describe('a model that cannot be asked for a summary', () => {
  it('does not keep the turn from running: the oldest are left out, the card says so, and it rests', async () => {
    const refused = { status: 401, body: { error: { message: 'invalid key' } } };
    const { lab, server } = await chat(model({ consolidation: refused }));
    expect((await lab.say('and now?')).status).toBe('done');
    const card = (await state(lab)).compaction;
    expect(card).toMatchObject({ status: 'failed', error: { code: 'auth', next: ['setKey', 'switchModel'] } });
    expect(card?.error?.message).toMatch(/stay in the chat.*left out of requests, the oldest first/);
    expect(textOf(server.requests.at(-1))).not.toContain('question 0.');
    expect((await metadata(lab)).last_consolidated).toBe(0);
    await lab.say('once more');
    expect(asked(server.requests)).toHaveLength(1);
    server.setScript(model());
    lab.publish('/compact');
    await until('the summary', async () => (await state(lab)).compaction?.status === 'done');
    await expectNextTurn(lab, server);
  });

  it('and history that cannot be written does not either', async () => {
    const files = nodeFiles();
    const refuse = (path: string) =>
      path.includes('/memory/') ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })) : undefined;
    const { lab, server } = await chat(model(), LONG, {
      ports: {
        files: {
          ...files,
          append: (path, data, options) => refuse(path) ?? files.append(path, data, options),
          writeAtomic: (path, data, options) => refuse(path) ?? files.writeAtomic(path, data, options),
          createExclusive: (path, data, options) => refuse(path) ?? files.createExclusive(path, data, options),
        },
      },
    });
    expect((await lab.say('and now?')).status).toBe('done');
    expect((await state(lab)).compaction).toMatchObject({ status: 'failed', error: { code: 'storage' } });
    expect((await metadata(lab)).last_consolidated).toBe(0);
    await lab.close();
    const again = await served(model(), { root: lab.root, settings: SMALL_WINDOW });
    await again.lab.say('and now?');
    expect(asked(again.server.requests).length).toBeLessThanOrEqual(1);
    expect(historyLines(lab.home).filter(({ content }) => content === '- Drinks tea.')).toHaveLength(1);
    expect(asked(server.requests)).toHaveLength(1);
  });
});

describe('/compact', () => {
  it('summarises everything but the newest turn, however much room there is', async () => {
    const { lab, server } = await chat(model(), turns(5));
    lab.publish('/compact');
    await until('the summary', async () => (await state(lab)).compaction?.status === 'done');
    expect((await state(lab)).compaction).toMatchObject({ messages: 8, after: 'a4' });
    await lab.say('and now?');
    expect(textOf(server.requests.at(-1))).toMatch(/Goal: tea\..*question 4\./);
  });

  it('says so where there is nothing to summarise, and where a turn runs', async () => {
    const { lab, server } = await chat(model({ answer: { stall: 1 } }), turns(1));
    const said = lab.event('notice');
    lab.publish('/compact');
    expect((await said).notice.text).toMatch(/nothing to summarise/i);
    const ended = lab.say('hello');
    await server.received(1);
    const refused = lab.event('notice');
    lab.publish('/compact');
    expect((await refused).notice.text).toMatch(/A turn is running/);
    lab.app.loop.stop(lab.session);
    await ended;
    expect(asked(server.requests)).toEqual([]);
  });

  it('can be stopped, although no turn runs', async () => {
    const { lab, server } = await chat(model({ consolidation: { text: PRODUCTS, stall: 1 } }), turns(5));
    lab.publish('/compact');
    await server.received(1);
    lab.publish('/stop');
    await until('the end', async () => (await state(lab)).compaction?.status === 'failed');
    expect(await lab.app.compaction.settled(lab.session)).toBe(true);
  });

  it('leaves a chat alone that another window works on', async () => {
    const { lab, server } = await chat(model(), turns(5));
    const other = new SessionStore({
      files: nodeFiles(),
      clock: nodeClock(),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      home: lab.home,
      holder: 'another',
      processes: nodeIdentity(),
      notice: () => undefined,
    });
    onTestFinished(() => other.dispose());
    expect(await (await other.open(lab.session)).acquire()).toBe('held');
    const said = lab.event('notice');
    lab.publish('/compact');
    expect((await said).notice).toMatchObject({ next: ['continueHere'] });
    expect(server.requests).toEqual([]);
  });
});

describe('the facts of a chat', () => {
  it('are noted when it has been idle for 15 minutes, once, with one timer, and none after', async () => {
    const { clock, waiting, pass } = patientClock();
    const { lab, server } = await chat(model({ consolidation: { text: FACTS } }), [], { ports: { clock } });
    expect(waiting()).toBe(0);
    await lab.say('I drink tea');
    await lab.say('only tea');
    expect(waiting()).toBe(1);
    pass();
    await until('the entry', () => historyLines(lab.home).length === 1);
    await until('the mark', async () => (await metadata(lab)).metadata['archivedTo'] === 4);
    expect((await metadata(lab)).last_consolidated).toBe(0);
    expect(waiting()).toBe(0);
    expect(cards(lab)).toEqual([]);
    await lab.say('and biscuits');
    expect(textOf(server.requests.at(-1))).toContain('I drink tea');
    pass();
    await until('the second entry', () => historyLines(lab.home).length === 2);
    expect(textOf(asked(server.requests)[1])).not.toContain('I drink tea');
  });

  it('are not noted of a chat whose turn runs', async () => {
    const { clock, waiting, pass } = patientClock();
    const { lab, server } = await chat(model(), [], { ports: { clock } });
    await lab.say('one');
    server.setScript(model({ answer: { stall: 1 } }));
    const ended = lab.say('two');
    await server.received(2);
    expect(waiting()).toBe(0);
    pass();
    expect(asked(server.requests)).toEqual([]);
    lab.app.loop.stop(lab.session);
    await ended;
  });

  it('are tried three times where the model cannot be asked, and then left for the next turn', async () => {
    const { clock, waiting, pass } = patientClock();
    const refused = { status: 401, body: { error: { message: 'invalid key' } } };
    const { lab, server } = await chat(model({ consolidation: refused }), [], { ports: { clock } });
    await lab.say('one');
    for (let n = 1; n <= 3; n++) {
      pass();
      await until('the request', () => asked(server.requests).length === n);
      await until('the end of it', () => !lab.app.compaction.isBusy(lab.session) && waiting() === (n < 3 ? 1 : 0));
    }
    expect(historyLines(lab.home)).toEqual([]);
  });

  it('are noted when a person leaves it with /new, in the background', async () => {
    const { lab, server } = await chat(model({ consolidation: { text: FACTS } }), []);
    await lab.say('I drink tea');
    const switched = lab.event('switch_session');
    lab.publish('/new');
    expect((await switched).key).toMatch(/^vscode:/);
    await until('the entry', () => historyLines(lab.home).length === 1);
    expect(asked(server.requests)).toHaveLength(1);
    expect((await metadata(lab)).last_consolidated).toBe(0);
  });

  it('are noted of chats that an ended window left behind, by the next one in which a turn ends well', async () => {
    const { root } = await tempHome();
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const left = (key: string, minutes: number) => {
      const messages = turns(1).map((message) => ({ ...message, timestamp: ago(minutes), content: `${key} tea` }));
      seedSession(`${root}/workspace`, key, messages);
    };
    left('vscode:yesterday', 24 * 60);
    left('vscode:just-now', 1);
    left('vscode:long-ago', 30 * 24 * 60);
    const { lab, server } = await chat(model({ consolidation: { text: FACTS } }), [], { root });
    await lab.say('hello');
    await until('the entry', () => historyLines(lab.home).length === 1);
    await lab.say('hello again');
    expect(historyLines(lab.home)).toMatchObject([{ session_key: 'vscode:yesterday' }]);
    expect(asked(server.requests)).toHaveLength(1);
  });

  it('are not asked for where only commands were sent', async () => {
    const { clock, pass } = patientClock();
    const { lab, server } = await chat(model(), [], { ports: { clock } });
    lab.publish('/help');
    await lab.event('notice');
    pass();
    lab.publish('/new');
    await lab.event('switch_session');
    await lab.close();
    expect(server.requests).toEqual([]);
    expect(historyLines(lab.home)).toEqual([]);
  });
});

describe('/new on a key that stays', () => {
  it('begins the prompt anew at once, and what it held is noted behind', async () => {
    const { lab, server } = await chat(model({ consolidation: { text: FACTS } }), turns(3), { key: 'cli:direct' });
    const publish = (text: string) =>
      lab.app.bus.publish({ id: text, channel: 'cli', sessionKey: 'cli:direct', text, attachments: [], watched: true });
    const said = lab.event('notice');
    publish('/new');
    expect((await said).notice.text).toBe('A new conversation begins.');
    expect(await lab.app.compaction.settled('cli:direct')).toBe(true);
    expect(historyLines(lab.home)).toMatchObject([{ content: '- Drinks tea.', session_key: 'cli:direct' }]);
    expect(await metadata(lab)).toMatchObject({ last_consolidated: 6, metadata: { archivedTo: 6 } });
    const end = lab.event('turn_end');
    publish('hello');
    await end;
    expect(textOf(server.requests.at(-1))).not.toContain('question 2.');
  });
});

describe('taking back a message that a summary covers', () => {
  it('takes the summary away with it', async () => {
    const { lab, server } = await chat(model(), turns(6));
    lab.publish('/compact');
    await until('the summary', async () => (await state(lab)).compaction?.status === 'done');
    const end = lab.event('turn_end');
    await lab.app.loop.resend(lab.session, 'u2', {
      id: 'new',
      channel: 'vscode',
      sessionKey: lab.session,
      text: 'something else',
      attachments: [],
      watched: true,
    });
    expect((await end).status).toBe('done');
    expect((await state(lab)).compaction).toBeNull();
    const sent = textOf(server.requests.at(-1));
    expect(sent).toMatch(/question 0\..*question 1\..*something else/);
    expect(sent).not.toContain('Goal: tea.');
    expect(sent).not.toContain('question 2.');
  });
});

describe('a model that may not start this by itself', () => {
  it('leaves out the oldest in silence, notes nothing on /new, and on /compact learns what it was told to remember', async () => {
    const { clock, waiting } = patientClock();
    const { root } = await tempHome();
    const told = { ...turns(1)[0], content: 'Please remember that I drink green tea. Thanks!', id: 'told' };
    seedSession(`${root}/workspace`, 'vscode:test', [told as StoredMessage, ...LONG.slice(1)]);
    const lab = await appLab({ root, ports: { clock }, settings: SMALL_WINDOW });
    expect((await lab.say('hello')).status).toBe('done');
    expect(cards(lab)).toEqual([]);
    expect(waiting()).toBe(0);
    lab.publish('/compact');
    await until('the summary', async () => (await state(lab)).compaction?.status === 'done');
    expect((await state(lab)).compaction).toMatchObject({ by: 'Practice' });
    expect((await state(lab)).compaction?.summary).toContain('only lists what you asked');
    const facts = historyLines(lab.home).map(({ content }) => content);
    expect(facts).toEqual(['- Remember that I drink green tea']);
    lab.publish('/new');
    await lab.event('switch_session');
    await lab.close();
    expect(historyLines(lab.home)).toHaveLength(1);
    expect(notices(lab.events).join()).not.toMatch(/summar/i);
  });
});
