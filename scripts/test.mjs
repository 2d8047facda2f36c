// npm test: everything that has to hold, on a machine with Node and nothing else.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBrowser } from './lib/browser.mjs';
import { ensureUnpacked } from './lib/extension.mjs';
import { ensureBuilt, ensureDependencies, ensureNode } from './lib/needs.mjs';
import { reportsDir, root } from './lib/paths.mjs';
import { main, PlainError, run, runNpm, say } from './lib/run.mjs';
import { ensureWorkbench } from './lib/workbench.mjs';

const help = `Runs all checks and tests; stops at the first stage that fails.

  npm test                              all stages: check, unit, golden, workbench
  npm test -- --only unit,golden        these stages only

Real processes, real disks and a real browser are slow now and then: a test that fails is run once more. One that passes only
then is marked "retry" in its line: look at it when you can.
`;

/** The stages in order: what a person reads, and what runs. */
const stages = {
  check: ['Types, lint and format', () => runNpm(['run', '--silent', 'check'], { cwd: root })],
  unit: ['Unit tests', () => vitest('unit')],
  golden: ['Golden transcripts', () => vitest('golden')],
  workbench: ['Tests in a real VS Code', testWorkbench],
};

const counts = { passed: 0, failed: 0 };

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
async function vitest(project, env = {}) {
  const report = join(reportsDir, `${project}.json`);
  mkdirSync(reportsDir, { recursive: true });
  rmSync(report, { force: true });
  const cli = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const args = [cli, 'run', '--project', project, '--retry=1', ...reporters];
    await run(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
  } finally {
    if (existsSync(report)) {
      const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
      counts.passed += numPassedTests;
      counts.failed += numFailedTests;
    }
  }
}
