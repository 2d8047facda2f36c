import { parseArgs } from 'node:util';
import type { ApprovalSettings } from '../approval/verdict.js';
import { reasonOf } from '../platform/reason.js';

export const USAGE = `Usage: node dist/cli.js agent [options]
       node dist/cli.js recall "question" [options]   (recall --help lists them)
       node dist/cli.js cron add|list|remove|run …   (cron --help)
       node dist/cli.js gateway [options]            (gateway --help)

  -m, --message TEXT     send one message and end; without it, a conversation on the terminal
      --session KEY      the session to go on with (default cli:direct)
      --home DIR         the agent's home (default ~/.nanobot/workspace)
      --config FILE      config.json
      --workspace DIR    the project (default: the current folder)
      --approval MODE    ask, auto, readonly or all (default ask; without a terminal, ask denies)
      --model ID         provider/model, or auto
      --json             print one event a line

Exit status: 0 done, 1 the turn failed, 2 wrong usage.
`;

export interface AgentOptions {
  message?: string;
  session: string;
  home?: string;
  config?: string;
  workspace?: string;
  approval?: ApprovalSettings['mode'];
  model?: string;
  json: boolean;
}

const MODES = ['ask', 'auto', 'readonly', 'all'];

/** Reads the command line. A problem is a sentence for the person; `help` asks for the usage text. */
export function readOptions(args: string[]): { options: AgentOptions } | { problem: string } | { help: true } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (cause) {
    return { problem: reasonOf(cause) };
  }
  const { values, positionals } = parsed;
  if (values.help) return { help: true };
  const [command, ...rest] = positionals;
  if (command !== 'agent')
    return {
      problem:
        command === undefined
          ? 'No command: write agent, recall, cron or gateway.'
          : `There is no command "${command}".`,
    };
  if (rest.length > 0) return { problem: `Not expected: ${rest.join(' ')}. A message goes behind -m.` };
  if (values.approval !== undefined && !MODES.includes(values.approval)) {
    return { problem: `--approval is one of ${MODES.join(', ')}, not "${values.approval}".` };
  }
  if (values.message?.trim() === '') return { problem: 'The message behind -m is empty.' };
  const { message, session, home, config, workspace, approval, model, json } = values;
  return {
    options: {
      ...(message === undefined ? {} : { message }),
      session: session ?? 'cli:direct',
      ...(home === undefined ? {} : { home }),
      ...(config === undefined ? {} : { config }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(approval === undefined ? {} : { approval: approval as ApprovalSettings['mode'] }),
      ...(model === undefined ? {} : { model }),
      json: json ?? false,
    },
  };
}

function parse(args: string[]) {
  return parseArgs({
    args,
    allowPositionals: true,
    options: {
      message: { type: 'string', short: 'm' },
      session: { type: 'string' },
      home: { type: 'string' },
      config: { type: 'string' },
      workspace: { type: 'string' },
      approval: { type: 'string' },
      model: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}
