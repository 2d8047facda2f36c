/** A reporter for vitest that says nothing of what passes: what it prints is what is wrong. */
export default class QuietReporter {
  onTestRunEnd(modules, errors) {
    for (const module of modules) {
      for (const error of module.errors()) console.error(`${module.relativeModuleId}\n${error.stack ?? error.message}`);
      for (const test of module.children.allTests('failed')) {
        const reasons = (test.result().errors ?? []).map((error) => error.message);
        console.error(`${module.relativeModuleId} > ${test.fullName}\n${reasons.join('\n')}\n`);
      }
    }
    for (const error of errors) console.error(error.stack ?? error.message);
  }
}
