import type { Files } from '../../src/platform/ports.js';

/** What happens at the chosen write step. */
export interface Fault {
  /** 0 is the first write step. */
  at: number;
  /**
   * `fail`: that step throws, later ones work. `full`: it and all later writes throw until `repair`, reads work. `kill`: the process is gone,
   * nothing works from then on.
   */
  kind: 'fail' | 'full' | 'kill';
  /** How much of the step reached the disk. `half` of a step that is atomic is nothing. */
  done: 'nothing' | 'half' | 'all';
  /** Node's code of the error; `ENOSPC` unless told. */
  code?: string;
}

export interface FaultyFiles extends Files {
  /** Write steps so far, as `operation path`. */
  readonly steps: string[];
  /** Bytes given to write operations so far. */
  readonly written: () => number;
  /** From now on writes throw, as on a disk that has become full. */
  fill(): void;
  /** There is room again, and a fault that has not come will not come. */
  repair(): void;
}

/** Real files with a fault at one write step, for going through every place where a disk can become full or a process can die. */
export function faultyFiles(files: Files, fault?: Fault): FaultyFiles {
  const steps: string[] = [];
  let bytes = 0;
  let dead = false;
  let full = false;
  let repaired = false;

  const error = () =>
    Object.assign(new Error(`${fault?.code ?? 'ENOSPC'}: made to fail`), { code: fault?.code ?? 'ENOSPC' });
  const alive = () => {
    if (dead) throw error();
  };
  const step = async <T>(
    name: string,
    size: number,
    run: () => Promise<T>,
    half?: () => Promise<unknown>,
  ): Promise<T> => {
    alive();
    const here = !repaired && steps.length === fault?.at;
    steps.push(name);
    bytes += size;
    if (full && !name.startsWith('remove') && !name.startsWith('truncate')) throw error();
    if (!here) return run();
    dead = fault.kind === 'kill';
    full = fault.kind === 'full';
    if (fault.done === 'all') await run();
    else if (fault.done === 'half') await half?.();
    throw error();
  };
  const reading = <A extends unknown[], T>(run: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      alive();
      return run(...args);
    };
  };

  return {
    steps,
    written: () => bytes,
    fill: () => void (full = true),
    repair: () => {
      full = false;
      repaired = true;
    },
    read: reading((path: string) => files.read(path)),
    readRange: reading((path: string, offset: number, length: number) => files.readRange(path, offset, length)),
    stat: reading((path: string) => files.stat(path)),
    list: reading((path: string) => files.list(path)),
    watch: (path, changed) => files.watch(path, changed),
    append: (path, data, options) => {
      const whole = Buffer.from(data);
      const half = () => files.append(path, whole.subarray(0, whole.length / 2), options);
      return step(`append ${path}`, whole.length, () => files.append(path, data, options), half);
    },
    writeAtomic: (path, data, options) =>
      step(`writeAtomic ${path}`, Buffer.byteLength(data), () => files.writeAtomic(path, data, options)),
    createExclusive: (path, data, options) =>
      step(`createExclusive ${path}`, Buffer.byteLength(data), () => files.createExclusive(path, data, options)),
    truncate: (path, size) => step(`truncate ${path}`, 0, () => files.truncate(path, size)),
    rename: (from, to) => step(`rename ${from}`, 0, () => files.rename(from, to)),
    remove: (path) => step(`remove ${path}`, 0, () => files.remove(path)),
    makeFolder: (path) => step(`makeFolder ${path}`, 0, () => files.makeFolder(path)),
  };
}
