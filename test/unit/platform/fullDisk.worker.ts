import { dirname, join } from 'node:path';
import { nodeFiles } from '../../../src/platform/nodeFiles.js';

/** Runs where no file may grow beyond 8 KB: tries to write 20 KB in every way and prints the errors' codes. */
const path = process.argv[2] ?? '';
const files = nodeFiles();
const big = 'x'.repeat(20_000);
process.on('SIGXFSZ', () => undefined);

const codeOf = async (write: Promise<unknown>): Promise<string> => {
  try {
    await write;
    return 'no error';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
};

const outcome = {
  atomic: await codeOf(files.writeAtomic(path, big)),
  exclusive: await codeOf(files.createExclusive(`${path}.new`, big)),
  append: await codeOf(files.append(join(dirname(path), 'log'), big)),
};
process.stdout.write(JSON.stringify(outcome));
