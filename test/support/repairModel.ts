import type { ModelRequestSeen, Reply, ScriptedCall } from './modelServer.js';

/**
 * A model that repairs a project it has never seen: it looks for the test command, runs it, greps for the name of the test that fails, reads that test,
 * finds what it calls, and tries small changes there until the test passes. It knows only what the tools told it.
 */
export function repairModel(): (request: ModelRequestSeen) => Reply {
  const steps = repair();
  let started = false;
  return (request) => {
    const next = started ? steps.next(lastResult(request)) : steps.next('');
    started = true;
    return next.value;
  };
}

type Steps = Generator<Reply, Reply, string>;

function call(name: string, args: object): ScriptedCall {
  return { name, args };
}

function* ask(text: string, name: string, args: object): Generator<Reply, string, string> {
  return yield { text, toolCalls: [call(name, args)] };
}

function* repair(): Steps {
  const listing = yield* ask('I look around first.', 'list_dir', { path: '.' });
  const command = listing.includes('package.json') ? 'npm test' : 'python3 -m unittest';
  let output = yield* ask(`Running \`${command}\`.`, 'exec', { command });
  const failing = failingTest(output);
  if (!failing) return { text: `Nothing fails:\n\n${output.slice(0, 300)}` };
  const found = yield* ask(`\`${failing}\` fails. Where is it?`, 'grep', {
    pattern: failing,
    fixed_strings: true,
    output_mode: 'content',
  });
  const test = placeIn(found);
  const testText = yield* ask('', 'read_file', { path: test.path, offset: test.line, limit: 6 });
  for (const name of calledIn(testText)) {
    const where = yield* ask('', 'grep', { pattern: `(function|def|const) ${name}\\b`, output_mode: 'content' });
    if (!/^\d+:/m.test(where)) continue;
    const place = placeIn(where);
    const body = yield* ask(`It calls \`${name}\`, in \`${place.path}:${String(place.line)}\`.`, 'read_file', {
      path: place.path,
      force: true,
    });
    for (const [before, after] of candidates(body, place.line)) {
      const edited = yield* ask('', 'edit_file', { path: place.path, edits: [{ old_text: before, new_text: after }] });
      if (!edited.startsWith('Edited')) continue;
      output = yield* ask('Again:', 'exec', { command });
      if (!failingTest(output)) {
        return {
          text: `Fixed. In \`${place.path}:${String(place.line)}\` it says now:\n\n\`\`\`\n${after.trim()}\n\`\`\`\n\nAll tests pass.`,
        };
      }
      yield* ask('', 'edit_file', { path: place.path, edits: [{ old_text: after, new_text: before }] });
    }
  }
  return { text: `I could not find what makes \`${failing}\` fail.` };
}

function lastResult(request: ModelRequestSeen): string {
  const { content } = request.body.messages.findLast((message) => message.role === 'tool') ?? { content: '' };
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** TAP and Python's unittest name a failing test each in their way. */
function failingTest(output: string): string | undefined {
  return /^\s*not ok \d+ - (.+)$/m.exec(output)?.[1] ?? /^FAIL: (\w+)/m.exec(output)?.[1];
}

/** The first hit of a grep: a line with the path, then `line: text`. */
function placeIn(found: string): { path: string; line: number } {
  const lines = found.split('\n');
  const hit = lines.findIndex((line) => /^\d+:/.test(line));
  return {
    path: lines.slice(0, hit).findLast((line) => line !== '' && !/^\d/.test(line)) ?? '',
    line: Number.parseInt(lines[hit] ?? '1', 10),
  };
}

function calledIn(text: string): string[] {
  const names = [...text.matchAll(/\b([a-zA-Z_]\w*)\(/g)].map((match) => match[1] ?? '');
  return [...new Set(names)]
    .filter((name) => !/^(test|it|describe|assert\w*|equal|deepEqual|def|self)$/.test(name))
    .filter((name) => !name.startsWith('test_'));
}

const CHANGES: [RegExp, string][] = [
  [/\$\{([^{}]+)\}`/, "${String($1).padStart(2, '0')}`"],
  [/ <= /, ' < '],
  [/ < /, ' <= '],
  [/ >= /, ' > '],
  [/ > /, ' >= '],
  [/ - /, ' + '],
  [/ \+ /, ' - '],
];

/** Small changes of the lines from `from` on: what is there, and what to put in its place. */
function candidates(numbered: string, from: number): [string, string][] {
  const lines = numbered
    .split('\n')
    .map((line) => /^\s*(\d+)\| (.*)$/.exec(line))
    .filter((match) => match !== null)
    .filter((match) => Number(match[1]) >= from && Number(match[1]) < from + 10)
    .map((match) => match[2] ?? '');
  return lines.flatMap((line) =>
    CHANGES.filter(([pattern]) => pattern.test(line)).map(([pattern, change]): [string, string] => [
      line,
      line.replace(pattern, change),
    ]),
  );
}
