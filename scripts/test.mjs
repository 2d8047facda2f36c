// npm test: everything that has to hold, on a machine with Node and nothing else.
import { parseArgs } from 'node:util';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureUnpacked } from './lib/extension.mjs';
import { ensureBuilt, ensureDependencies, ensureNode } from './lib/needs.mjs';
import { root } from './lib/paths.mjs';
import { main, PlainError, runNpm, say } from './lib/run.mjs';
import { runSuite } from './lib/suite.mjs';
import { ensureWorkbench } from './lib/workbench.mjs';

const help = `Runs all checks and tests; stops at the first stage that fails.

  npm test                              all stages: check, unit, golden, workbench
  npm test -- --only unit,golden        these stages only

Real processes, real disks and a real browser are slow now and then: a file that fails is run once more, from its beginning. One
that passes only then is named in the last lines: look at it when you can.
`;

/** The stages in order: what a person reads, and what runs. */
const stages = {
  check: ['Types, lint and format', () => runNpm(['run', '--silent', 'check'], { cwd: root })],
  unit: ['Unit tests', () => vitest('unit')],
  golden: ['Golden transcripts', () => vitest('golden')],
  workbench: ['Tests in a real VS Code', testWorkbench],
};

const counts = { passed: 0, failed: 0 };
/** Files that were run twice. */
const secondRuns = [];

await main(async () => {
  const wanted = readArguments();
  if (!wanted) return;
  ensureNode();
  let isSound = true;
  try {
    await stage('Packages and build', prepare);
    for (const name of wanted) await stage(...stages[name]);
  } catch (error) {
    isSound = false;
    say(error instanceof PlainError ? error.message : error.stack);
  }
  // A stage can fail without a failed test, for example by a type error. Then the last line must not look like success.
  if (!isSound && counts.failed === 0) counts.failed = 1;
  if (secondRuns.length > 0) say(`\nNeeded a second run: ${secondRuns.join(', ')}`);
  say(`\n${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = isSound ? 0 : 1;
});

function readArguments() {
  const options = { only: { type: 'string', multiple: true }, help: { type: 'boolean', short: 'h' } };
  const { values } = parseArgs({ options });
  if (values.help) {
    say(help);
    return undefined;
  }
  const names = Object.keys(stages);
  const only = (values.only ?? names).flatMap((text) => text.split(','));
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new PlainError(`There is no stage "${unknown}".\n\n${help}`);
  return names.filter((name) => only.includes(name));
}

async function stage(title, body) {
  const start = Date.now();
  say(`\n== ${title} ==`);
  const seconds = () => ((Date.now() - start) / 1000).toFixed(1);
  try {
    await body();
  } catch (error) {
    say(`== ${title}: FAILED after ${seconds()} s ==`);
    throw error;
  }
  say(`== ${title}: ${seconds()} s ==`);
}

async function prepare() {
  await ensureDependencies();
  await ensureBuilt();
}

async function testWorkbench() {
  const extension = await ensureUnpacked();
  await ensureWorkbench();
  const browser = await ensureBrowser();
  await vitest('workbench', { NANOBOT_BROWSER: browser, NANOBOT_TEST_EXTENSION: extension });
}

/** Runs one project of the tests and adds its numbers to the sum, whether it passes or not. */
function vitest(project, env = {}) {
  const onResult = ({ passed, failed, again }) => {
    counts.passed += passed;
    counts.failed += failed;
    secondRuns.push(...again);
  };
  return runSuite(project, { env, onResult });
}
