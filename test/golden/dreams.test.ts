import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, it } from 'vitest';
import { nodeClock } from '../../src/platform/nodeClock.js';
import type { AgentEvent } from '../../src/protocol/event.js';
import { filesBelow, type AppLab } from '../support/appLab.js';
import { expectGolden } from '../support/golden.js';
import type { ModelServer, Reply, Script, ScriptedCall } from '../support/modelServer.js';
import { served } from '../support/served.js';

const NOW = Date.parse('2026-04-15T13:23:00Z');

async function start(script: Script, entries: string[]) {
  const clock = { ...nodeClock(() => 'Europe/Berlin'), now: () => NOW };
  const { lab, server } = await served(script, { ports: { clock } });
  await lab.app.memory.createHome();
  writeFileSync(join(lab.home, 'memory/MEMORY.md'), MEMORY);
  await lab.app.git.ensure();
  await lab.app.history.append(
    entries.map((content) => ({ content, session_key: 'vscode:1', project: '/projects/tea' })),
  );
  return { lab, server };
}

const MEMORY = `# Memory

- Lives in Berlin
- The release of the tea timer is on 2026-03-01
- Prefers tabs

## Project: tea

- The timer counts in minutes
`;
const USER_NAME: ScriptedCall = {
  name: 'edit_file',
  args: { path: 'USER.md', edits: [{ old_text: '- Name:', new_text: '- Name: Ada' }] },
};
const memoryEdit = (...pairs: [string, string][]): ScriptedCall => ({
  name: 'edit_file',
  args: { path: 'memory/MEMORY.md', edits: pairs.map(([old_text, new_text]) => ({ old_text, new_text })) },
});

async function command(lab: AppLab, text: string): Promise<void> {
  const taken = lab.event('rejected');
  lab.publish(text);
  await taken;
  await lab.app.dreaming.settled(lab.session);
}

const FACTS: Reply[] = [
  { text: '[USER] Is called Ada\n[MEMORY] (project tea) The timer counts in seconds since 2026-04-14' },
  {
    toolCalls: [
      USER_NAME,
      memoryEdit(['- The timer counts in minutes', '- The timer counts in seconds since 2026-04-14']),
    ],
  },
  { text: 'Both findings are written down.' },
];

describe('Dreams', () => {
  it('facts', async () => {
    const { lab, server } = await start(FACTS, ['- The person is called Ada', '- The timer now counts in seconds']);
    await command(lab, '/dream');
    expectGolden('dream-facts', await transcript(lab, server));
  });

  it('removals', async () => {
    const { lab, server } = await start(
      [
        { text: '[MEMORY-REMOVE] "The release of the tea timer is on 2026-03-01": it is over' },
        { toolCalls: [memoryEdit(['- The release of the tea timer is on 2026-03-01\n', ''])] },
        { text: 'Removed.' },
      ],
      ['- The tea timer was released'],
    );
    await command(lab, '/dream');
    expectGolden('dream-removals', await transcript(lab, server));
  });

  it('skill', async () => {
    const content =
      '---\nname: release-tea\ndescription: "Use when the tea timer is to be released."\n---\n\n# Release tea\n\n1. npm test\n2. npm version minor\n';
    const { lab, server } = await start(
      [
        { text: '[SKILL] release-tea: Use when the tea timer is to be released' },
        { toolCalls: [{ name: 'write_file', args: { path: 'skills/release-tea/SKILL.md', content } }] },
        { toolCalls: [{ name: 'read_file', args: { path: 'skills/skill-creator/SKILL.md' } }] },
        { toolCalls: [{ name: 'write_file', args: { path: 'skills/release-tea/SKILL.md', content } }] },
        { text: 'The skill is written.' },
      ],
      ['- Released the tea timer: npm test, npm version minor', '- Released it again in the same way'],
    );
    await command(lab, '/dream');
    expectGolden('dream-skill', await transcript(lab, server));
  });

  it('skip', async () => {
    const { lab, server } = await start([{ text: '[SKIP]' }], ['- It rained']);
    await command(lab, '/dream');
    expectGolden('dream-skip', await transcript(lab, server));
  });

  it('failure', async () => {
    const { lab, server } = await start(
      [FACTS[0] ?? {}, FACTS[1] ?? {}, { status: 401, body: { error: { message: 'invalid key' } } }, ...FACTS],
      ['- The person is called Ada', '- The timer now counts in seconds'],
    );
    await command(lab, '/dream');
    await command(lab, '/dream');
    expectGolden('dream-failure', await transcript(lab, server));
  });

  it('loop', async () => {
    const same: Reply = { toolCalls: [memoryEdit(['- Lives in Munich', '- Lives in Hamburg'])] };
    const { lab, server } = await start(
      [{ text: '[MEMORY] Lives in Hamburg' }, same, same, same, same, same, same],
      ['- The person lives in Hamburg'],
    );
    await command(lab, '/dream');
    expectGolden('dream-loop', await transcript(lab, server));
  });

  it('three strikes', async () => {
    const { lab, server } = await start(
      [{ text: 'They talked about tea.' }, { text: '<html>502</html>' }, { text: 'Tea again.' }, { text: '[SKIP]' }],
      ['- Tea'],
    );
    await command(lab, '/dream');
    await command(lab, '/dream');
    await command(lab, '/dream');
    await lab.app.history.append([{ content: '- More tea' }]);
    await command(lab, '/dream');
    expectGolden('dream-three-strikes', await transcript(lab, server));
  });

  it('restore', async () => {
    const { lab, server } = await start(
      [...FACTS, FACTS[0] ?? {}],
      ['- The person is called Ada', '- The timer now counts in seconds'],
    );
    await command(lab, '/dream');
    const sha = (await lab.app.git.log(1))[0]?.sha ?? '';
    await command(lab, `/dream-log ${sha}`);
    await command(lab, `/dream-restore ${sha}`);
    await lab.app.dream.run({ asked: false, signal: new AbortController().signal });
    await lab.app.dream.run({ asked: false, signal: new AbortController().signal });
    await command(lab, '/dream');
    expectGolden('dream-restore', await transcript(lab, server));
  });
});

/** What the person was told, what the model was asked, and what the home holds in the end. */
async function transcript(lab: AppLab, server: ModelServer): Promise<string> {
  const notices = lab.events.filter(
    (event): event is Extract<AgentEvent, { type: 'notice' }> => event.type === 'notice',
  );
  const log = await lab.app.git.log(20);
  const parts = [
    '# What was said',
    ...notices.map(
      ({ notice }) => `${notice.level}: ${notice.text}${notice.next.length > 0 ? ` [${notice.next.join(', ')}]` : ''}`,
    ),
    '',
    '# What the model was asked, and answered with',
    ...server.requests.map(({ body }) => requestText(body.messages, body.tools ?? [])),
    '',
    '# The history of the memory',
    ...log.map(
      ({ kind, message, files, cursors }) =>
        `${kind}: ${message} · ${files.join(', ')} · entries ${(cursors ?? []).join(' ')}`,
    ),
    '',
    ...kept(lab).flatMap((name) => [`# ${name}`, readFileSync(join(lab.home, name), 'utf8')]),
  ];
  return normalised(
    parts.join('\n'),
    lab,
    log.map(({ sha }) => sha),
  );
}

const KEPT = [
  'SOUL.md',
  'USER.md',
  'memory/MEMORY.md',
  'memory/.dream_cursor',
  '.nanobot/undone.jsonl',
  '.nanobot/dream.json',
];

function kept({ home }: AppLab): string[] {
  const more = ['skills', '.nanobot/quarantine'].flatMap((folder) => filesBelow(join(home, folder)));
  return [...KEPT, ...more.map((path) => relative(home, path))].filter((name) => existsSync(join(home, name)));
}

/** The first message of each phase whole, later ones as what was added: calls and results. */
function requestText(
  messages: { role: string; content: unknown; [field: string]: unknown }[],
  tools: unknown[],
): string {
  const system = String(messages[0]?.content).split('\n')[0] ?? '';
  const rest = messages.slice(1);
  const shown = rest.length > 1 ? rest.slice(rest.findLastIndex(({ role }) => role === 'assistant')) : rest;
  const lines = shown.map(({ role, content, tool_calls }) => {
    const calls = tool_calls === undefined ? '' : ` ${JSON.stringify(tool_calls)}`;
    return `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}${calls}`;
  });
  return [`--- ${system} (${String(tools.length)} tools)`, ...lines].join('\n');
}

function normalised(text: string, lab: AppLab, shas: string[]): string {
  let plain = text.replaceAll(lab.home, '<home>').replaceAll(lab.root, '<root>');
  for (const [at, sha] of shas.toReversed().entries()) {
    const name = `<sha${String(at + 1)}>`;
    plain = plain.replaceAll(sha, name).replaceAll(new RegExp(`\\b${sha.slice(0, 7)}\\b`, 'g'), name);
  }
  return `${plain
    .replace(/"call_[\w-]+"/g, '"<call>"')
    .replace(/http:\/\/127[^ "]*/g, '<url>')
    .trimEnd()}\n`;
}
