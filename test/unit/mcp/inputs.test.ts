import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readVariables } from '../../../src/mcp/envFile.js';
import type { InputDefinition } from '../../../src/mcp/inputs.js';
import type { Log } from '../../../src/platform/ports.js';
import type { McpPorts } from '../../../src/mcp/ports.js';
import { mcpLab, oddServer, type McpLab } from '../../support/mcpLab.js';
import { saying } from '../../support/saying.js';
import { until } from '../../support/until.js';

const TOKEN = { type: 'promptString', id: 'token', description: 'Your token', password: true };
const PLACE = { type: 'pickString', id: 'place', options: ['north', { label: 'South', value: 'south' }] };
const garden = { ...oddServer('environment'), env: { TOKEN: '${input:token}', PLACE: 'far ${input:place}' } };

interface Lab extends McpLab {
  secrets: Map<string, string>;
  questions: InputDefinition[];
  write(file: object): void;
  watched(): Promise<void>;
  environment(server?: string): Promise<Record<string, string>>;
  reason(server?: string): string | undefined;
}

/** A workspace's file, and a person who agrees to its servers and answers by script; undefined gives nothing. */
async function labWith(
  file: object,
  answers: (string | undefined)[],
  more: { port?: false; log?: Log } = {},
): Promise<Lab> {
  const secrets = new Map<string, string>();
  const questions: InputDefinition[] = [];
  const notices: string[] = [];
  let write: (content: object) => void = () => undefined;
  const mcpShell: McpPorts['mcpShell'] = {
    browser: { open: () => Promise.resolve(), listen: () => Promise.reject(new Error('no browser')) },
    editorTools: { list: () => [], call: () => Promise.reject(new Error('no tools')) },
    inputs: {
      ask: (_server, input) => Promise.resolve((questions.push(input), answers.shift())),
      argument: () => Promise.resolve(undefined),
    },
  };
  const lab = await mcpLab(
    (project) => {
      mkdirSync(join(project, '.vscode'), { recursive: true });
      write = (content) => writeFileSync(join(project, '.vscode', 'mcp.json'), JSON.stringify(content));
      write(file);
      return {};
    },
    {
      env: { PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: 'sk-person' },
      secrets: {
        get: (name) => Promise.resolve(secrets.get(name)),
        set: (name, value) => Promise.resolve(void secrets.set(name, value)),
        delete: (name) => Promise.resolve(void secrets.delete(name)),
      },
      ui: { notify: (_level, text) => Promise.resolve((notices.push(text), 'Start')) },
      ...(more.log ? { log: more.log } : {}),
      ...(more.port === false ? {} : { mcpShell }),
    },
  );
  const find = (server: string) => lab.manager.status().find(({ name }) => name === server);
  return {
    ...{ ...lab, notices, secrets, questions, write },
    watched: () => lab.manager.prepare({ watched: true, signal: new AbortController().signal }),
    environment: async (server = 'garden') => {
      await until('the tool', () => lab.tools().includes(`mcp_${server}_go`) && find(server)?.state.kind === 'ready');
      return JSON.parse((await lab.call(`mcp_${server}_go`)).text) as Record<string, string>;
    },
    reason: (server = 'garden') => {
      const state = find(server)?.state;
      return state && 'reason' in state ? state.reason : undefined;
    },
  };
}

describe("inputs of a workspace's file", () => {
  it('are asked once after the person agreed, kept in the key store, and shown nowhere', async () => {
    const lab = await labWith({ servers: { garden }, inputs: [TOKEN, PLACE] }, ['s3cret', 'south']);
    await lab.watched();
    await until('the question', async () => {
      await lab.watched();
      return lab.questions.length === 2;
    });
    expect(await lab.environment()).toMatchObject({ TOKEN: 's3cret', PLACE: 'far south' });
    expect(lab.notices).toEqual([saying('TOKEN=${input:token} PLACE=far ${input:place}')]);
    expect(lab.questions).toMatchObject([
      { id: 'token', password: true },
      { id: 'place', options: [{ label: 'north', value: 'north' }, { label: 'South' }] },
    ]);
    expect(JSON.stringify(lab.manager.status())).not.toContain('s3cret');
    expect([...lab.secrets.values()]).toEqual([saying('s3cret')]);
    await lab.manager.restart('garden');
    await lab.watched();
    expect(lab.questions).toHaveLength(2);
  });

  it('are not asked in a turn that nobody watches, and asked in the next one that somebody does', async () => {
    const lab = await labWith({ servers: { garden }, inputs: [TOKEN, PLACE] }, ['a', 'b', 'c', 'd']);
    await lab.watched();
    await lab.environment();
    lab.secrets.clear();
    await lab.ready();
    expect(lab.reason()).toContain('asked when you send a message');
    expect(lab.questions).toHaveLength(2);
    await lab.watched();
    expect(await lab.environment()).toMatchObject({ TOKEN: 'c' });
  });

  it('that the person does not give are asked again only when they want that, as are those of a changed server', async () => {
    const lab = await labWith({ servers: { garden }, inputs: [TOKEN, PLACE] }, [undefined, 'a', 'b', 'c', 'd']);
    await until('the refusal', async () => {
      await lab.watched();
      return lab.reason()?.includes('which you did not give') === true;
    });
    expect(lab.questions).toHaveLength(1);
    await lab.manager.askAgain('garden');
    expect(await lab.environment()).toMatchObject({ TOKEN: 'a', PLACE: 'far b' });
    lab.write({ servers: { garden: { ...garden, args: [...garden.args, 'more'] } }, inputs: [TOKEN, PLACE] });
    await until('more questions', async () => {
      await lab.watched();
      return lab.questions.length === 5;
    });
    expect(await lab.environment()).toMatchObject({ TOKEN: 'c' });
    expect(lab.notices).toHaveLength(2);
  });

  it('that cannot be asked are named with the reason', async () => {
    const uses = (id: string) => ({ command: 'never-started', args: [`\${input:${id}}`] });
    const inputs = [
      { type: 'command', id: 'run', command: 'x' },
      { type: 'pickString', id: 'odd', options: [] },
      7,
      {},
    ];
    const lab = await labWith({ servers: { a: uses('run'), b: uses('odd'), c: uses('none') }, inputs }, []);
    await lab.watched();
    expect(lab.reason('a')).toContain('${input:run} is the answer of a command');
    expect(lab.reason('b')).toContain('${input:odd} is not written as it should be: options');
    expect(lab.reason('c')).toContain('${input:none} is not among the inputs');
    expect(lab.notices).toEqual([]);
    const headless = await labWith({ servers: { garden }, inputs: [TOKEN, PLACE] }, [], { port: false });
    await until('the reason', async () => {
      await headless.watched();
      return headless.reason()?.includes('nobody can be asked here') === true;
    });
  });
});

describe('an envFile', () => {
  it('adds its variables, but no key of ours, and the entry wins', async () => {
    const server = { ...oddServer('environment'), envFile: '${workspaceFolder}/.env', env: { B: 'of the entry' } };
    const lab = await labWith({ servers: { garden: server } }, []);
    writeFileSync(
      join(lab.project, '.env'),
      '# mine\nexport A="one\\ntwo" # yes\nB=x\r\nC = \'$HOME\'\nOPENAI_API_KEY=sk-x\n',
    );
    await lab.watched();
    await until('the start', async () => {
      await lab.watched();
      return lab.reason() === undefined;
    });
    const seen = await lab.environment();
    expect(seen).toMatchObject({ A: 'one\ntwo', B: 'of the entry', C: '$HOME' });
    expect(Object.keys(seen)).not.toContain('OPENAI_API_KEY');
    expect(lab.notices).toEqual([saying(/\(with the variables of .*\.env\)/)]);
  });

  it('gives nothing that loads code or redirects traffic, and says so; the entry itself may', async () => {
    const server = { ...oddServer('environment'), envFile: '.env', env: { RUBYOPT: '-w' } };
    const warned: string[] = [];
    const nothing = () => undefined;
    const log = { debug: nothing, info: nothing, warn: (text: string) => void warned.push(text), error: nothing };
    const lab = await labWith({ servers: { garden: server } }, [], { log });
    const bad = [
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'Path',
      'https_proxy',
      'GIT_SSH_COMMAND',
      'RUBYOPT',
      'npm_config_registry',
    ];
    const file = (names: string[]) => names.map((name) => `${name}=x`).join('\n');
    writeFileSync(join(lab.project, '.env'), file([...bad, 'GIT_AUTHOR_NAME', 'GARDEN_PATH']));
    await until('the start', async () => {
      await lab.watched();
      return lab.reason() === undefined;
    });
    const seen = await lab.environment();
    expect(seen).toMatchObject({ GIT_AUTHOR_NAME: 'x', GARDEN_PATH: 'x', RUBYOPT: '-w' });
    expect(bad.filter((name) => seen[name] === 'x')).toEqual([]);
    const [status] = lab.manager.status();
    expect(status?.withheld).toEqual(bad);
    expect(status?.log).toContain('not given NODE_OPTIONS, LD_PRELOAD');
    expect(warned).toContainEqual(saying(/garden is not given NODE_OPTIONS, LD_PRELOAD.*Set it in the server's env/));
  });

  it('that is missing, elsewhere or no list of variables keeps its server from starting, with the reason', async () => {
    const withFile = (envFile: string) => ({ ...oddServer('plain'), envFile });
    const names = { missing: '.env', outside: '../.env', link: 'link', odd: 'odd.env' };
    const servers = Object.fromEntries(Object.entries(names).map(([name, file]) => [name, withFile(file)]));
    const lab = await labWith({ servers }, []);
    writeFileSync(join(lab.project, '..', '.env'), 'A=1\n');
    symlinkSync(join(lab.project, '..', '.env'), join(lab.project, 'link'));
    writeFileSync(join(lab.project, 'odd.env'), 'A=1\nthis is no variable\n');
    await until('the reasons', async () => {
      await lab.watched();
      return Object.keys(names).every((name) => lab.reason(name)?.startsWith('envFile') === true);
    });
    expect(lab.reason('missing')).toContain('there is no such file');
    expect(lab.reason('outside')).toContain('has to lie inside');
    expect(lab.reason('link')).toContain('has to lie inside');
    expect(lab.reason('odd')).toContain('line 2 is not NAME=value');
  });

  it('is read line by line', () => {
    expect(readVariables('\uFEFFA=\nB= x y # z\nC="a#b"\n\n#\n  D.e=\'q\' \n')).toEqual({
      variables: { A: '', B: 'x y', C: 'a#b', 'D.e': 'q' },
    });
    expect(readVariables('1A=2')).toEqual({ line: 1 });
  });
});
