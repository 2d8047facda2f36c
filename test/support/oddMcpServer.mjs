// An MCP server that misbehaves in the way its first argument names. Speaks the protocol by hand, so that it can break it.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = '', file = ''] = process.argv.slice(2);
const object = (properties = {}, more = {}) => ({ type: 'object', properties, ...more });
let changed = false;

const toolsOf = {
  many: () =>
    Array.from({ length: 300 }, (_, n) => ({
      name: `tool_${n}`,
      description: n === 217 ? 'Waters the plants.' : `Does thing ${n}.`,
      inputSchema: object({ text: { type: 'string' } }),
    })),
  odd: () => [
    {
      name: 'reference',
      inputSchema: {
        $ref: '#/$defs/args',
        $defs: {
          args: object({ node: { $ref: '#/$defs/node' } }, { required: ['node'] }),
          node: object({ next: { $ref: '#/$defs/node' }, name: { type: 'string' } }),
        },
      },
    },
    {
      name: 'either',
      inputSchema: {
        anyOf: [
          object({ a: { type: 'string' } }, { required: ['a', 'c'] }),
          object({ b: { type: ['number', 'null'] } }, { required: ['c'] }),
        ],
        properties: { c: { enum: ['x', 'y'] } },
      },
    },
    { name: 'no type', inputSchema: { properties: { list: { items: { type: 'string' } }, any: {} } } },
    { name: 'no schema' },
    { name: 'n'.repeat(100), inputSchema: object() },
    { name: 'same.name', inputSchema: object() },
    { name: 'same name', inputSchema: object() },
    { name: 17, inputSchema: object() },
  ],
  changing: () => [
    { name: 'change', inputSchema: object() },
    { name: changed ? 'after' : 'before', inputSchema: object() },
  ],
};
const plain = () => [
  {
    name: 'go',
    description: 'Goes.',
    inputSchema: object({ text: { type: 'string' } }),
    annotations: { readOnlyHint: true },
  },
];

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words) => ({ content: [{ type: 'text', text: words }] });

/** What a call does in each mode; `plain` answers what it was told. */
const calls = {
  crash: () => {
    process.stderr.write('out of cheese\n');
    process.exit(3);
  },
  big: (id) => send({ id, result: text('x'.repeat(10 * 1024 * 1024)) }),
  large: (id) => send({ id, result: text('y'.repeat(2_000_000)) }),
  silent: () => undefined,
  changing: (id) => {
    changed = true;
    send({ method: 'notifications/tools/list_changed' });
    send({ id, result: text('changed') });
  },
  progress: (id, params) => {
    for (let n = 1; n <= 3; n++)
      send({
        method: 'notifications/progress',
        params: { progressToken: params._meta.progressToken, progress: n, total: 3, message: 'steps' },
      });
    // Work takes its time: what is sent in one piece with the answer may be overtaken by it.
    setTimeout(() => send({ id, result: text('all done') }), 50);
  },
  ask: (id) =>
    send({
      id: `ask-${id}`,
      method: 'elicitation/create',
      params: {
        message: 'Who?',
        requestedSchema: object({ name: { type: 'string', title: 'Your name' }, sure: { type: 'boolean' } }),
      },
    }),
  refuse: (id) => send({ id, error: { code: -32000, message: 'not today' } }),
  fail: (id) => send({ id, result: { ...text('it broke'), isError: true } }),
  folder: (id) => send({ id, result: text(process.cwd()) }),
  environment: (id) => send({ id, result: text(JSON.stringify(process.env)) }),
};

const handlers = {
  initialize: (id, params) => {
    if (mode === 'hang') return;
    if (mode === 'dies') {
      process.stderr.write('no database\n');
      process.exit(1);
    }
    if (mode === 'noisy') process.stdout.write('Welcome to the noisy server!\n{"not":"a message"}\n\n');
    if (mode === 'family') {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      appendFileSync(file, `${child.pid}\n`);
      process.on('SIGTERM', () => undefined);
      setInterval(() => undefined, 1000);
    }
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: mode, version: '1' },
      },
    });
  },
  'tools/list': (id) => send({ id, result: { tools: (toolsOf[mode] ?? plain)() } }),
  'tools/call': (id, params) => {
    (calls[mode] ?? (() => send({ id, result: text(`${params.name} ${JSON.stringify(params.arguments)}`) })))(
      id,
      params,
    );
  },
  ping: (id) => send({ id, result: {} }),
};

if (mode !== 'family' && file) appendFileSync(file, `started ${process.pid}\n`);
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (typeof message.id === 'string' && message.id.startsWith('ask-')) {
    send({ id: Number(message.id.slice(4)), result: text(JSON.stringify(message.result)) });
    return;
  }
  if (mode !== 'family' && file) appendFileSync(file, `heard ${message.method}\n`);
  handlers[message.method]?.(message.id, message.params);
});
