// One project of the tests, and a second chance for files that failed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { reportsDir, root } from './paths.mjs';
import { run, say } from './run.mjs';

/** Files that get a second run at most: more than these are no accident. */
const MAX_SECOND_RUNS = 3;

/**
 * Runs one project of the tests. Real processes, real disks and a real browser are slow now and then, so a file that fails is run once more, from
 * its very beginning: the tests of a file build on each other. Rejects where a test failed in both runs or something else was wrong.
 * `onResult` gets the numbers of tests and the files that needed their second run, whether it passes or not.
 */
export async function runSuite(project, { env = {}, onResult }) {
  const first = await runOnce(project, [], env);
  const isWorthAnother = first.error && first.failedFiles.length > 0 && first.failedFiles.length <= MAX_SECOND_RUNS;
  if (!isWorthAnother) {
    onResult({ passed: first.passed, failed: first.failed, again: [] });
    if (first.error) throw first.error;
    return;
  }
  const again = first.failedFiles.map((file) => relative(root, file.name));
  say(`\nOnce more, from the beginning: ${again.join(', ')}`);
  const second = await runOnce(project, again, env);
  const elsewhere = first.passed - first.failedFiles.reduce((sum, file) => sum + file.passed, 0);
  onResult({ passed: elsewhere + second.passed, failed: second.failed, again });
  if (second.error) throw second.error;
}

async function runOnce(project, files, env) {
  const report = join(reportsDir, `${project}${files.length > 0 ? '-again' : ''}.json`);
  mkdirSync(reportsDir, { recursive: true });
  rmSync(report, { force: true });
  const cli = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  let error;
  try {
    const args = [cli, 'run', '--project', project, ...files, ...reporters];
    await run(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
  } catch (cause) {
    error = cause;
  }
  return { error, ...resultsIn(report) };
}

function resultsIn(report) {
  if (!existsSync(report)) return { passed: 0, failed: 0, failedFiles: [] };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failedFiles = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => ({
      name,
      passed: assertionResults.filter(({ status }) => status === 'passed').length,
    }));
  return { passed: numPassedTests, failed: numFailedTests, failedFiles };
}
